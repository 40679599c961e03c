;; what: 2,000 lines of no length: what each costs the host is its line break
;; expect: graded passed
;; soon: fault copy
(component
  (import "mcpmark:guest/log@0.1.0" (instance $log
    (export "write" (func (param "message" string)))))
  (core module $memory (memory (export "memory") 1))
  (core instance $memory (instantiate $memory))
  (core func $write (canon lower (func $log "write") (memory (core memory $memory "memory"))))
  (core module $guest
    (import "host" "write" (func $write (param i32 i32)))
    (import "host" "memory" (memory 1))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (local $left i32)
      (local.set $left (i32.const 2000))
      (loop $more
        (call $write (i32.const 0) (i32.const 0))
        (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.const 16)))
  (core instance $host (export "write" (func $write)) (export "memory" (memory $memory "memory")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
