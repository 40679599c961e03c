;; what: a verifier that reads the final state through `state`, a clock of WASI that runs, and random numbers
;; expect: graded passed
;; check: ab
(component
  (type $errors (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $error' (variant (case "not-found") (case "not-a-file") (case "not-a-directory") (case "invalid-path" string)))
    (export "error" (type $error (eq $error')))
    (export "read" (func (param "tree" $tree) (param "path" string) (param "offset" u64) (param "length" u64)
      (result (result (list u8) (error $error)))))))
  (import "mcpmark:guest/state@0.1.0" (instance $state (type $errors)))
  (import "wasi:clocks/monotonic-clock@0.2.3" (instance $clock (export "now" (func (result u64)))))
  (import "wasi:random/random@0.2.3" (instance $random (export "get-random-u64" (func (result u64)))))
  (core module $memory
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 8192)))
  (core instance $memory (instantiate $memory))
  (core func $read (canon lower (func $state "read")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core func $now (canon lower (func $clock "now")))
  (core func $draw (canon lower (func $random "get-random-u64")))
  (core module $guest
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    (import "host" "now" (func $now (result i64)))
    (import "host" "draw" (func $draw (result i64)))
    (import "host" "memory" (memory 1))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\00")
    (data (i32.const 100) "ab")
    (data (i32.const 200) "hello.txt")
    (func (export "verify") (result i32)
      (local $now i64)
      (call $read (i32.const 1) (i32.const 200) (i32.const 9) (i64.const 0) (i64.const 9) (i32.const 300))
      (local.set $now (call $now))
      (i32.store8 (i32.const 40)
        (i32.and
          (i32.and
            (i32.eqz (i32.load8_u (i32.const 300)))
            (i32.eq (i32.load8_u (i32.const 8192)) (i32.const 104)))
          (i32.and
            (i64.lt_u (local.get $now) (call $now))
            (i64.ne (call $draw) (call $draw)))))
      (i32.const 16)))
  (core instance $host
    (export "read" (func $read)) (export "now" (func $now)) (export "draw" (func $draw))
    (export "memory" (memory $memory "memory")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
