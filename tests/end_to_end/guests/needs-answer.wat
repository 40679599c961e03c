;; A verifier that traps where it is given no answer, and never ends where the answer has more than 100 bytes.
;; Otherwise its one check fails.
(component
  (import "mcpmark:guest/answer@0.1.0" (instance $answer
    (export "get" (func (result (option string))))))
  (core module $heap
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.get $at))
  )
  (core instance $heap (instantiate $heap))
  (core func $get (canon lower (func $answer "get")
    (memory $heap "memory") (realloc (func $heap "realloc"))))
  (core module $guest
    (import "heap" "memory" (memory 1))
    (import "host" "get" (func $get (param i32)))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\05\00\00\00")
    (data (i32.const 100) "check")
    (func (export "verify") (result i32)
      (call $get (i32.const 200))
      (if (i32.eqz (i32.load8_u (i32.const 200))) (then unreachable))
      (if (i32.gt_u (i32.load (i32.const 208)) (i32.const 100)) (then
        (loop $for-ever (br $for-ever))))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest
    (with "heap" (instance $heap))
    (with "host" (instance (export "get" (func $get))))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory $heap "memory")))
)
