;; what: a path of 60 MB
;; expect: fault output
;; message: the guest passed more than
(component
  (type $errors (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $error' (variant (case "not-found") (case "not-a-file") (case "not-a-directory") (case "invalid-path" string)))
    (export "error" (type $error (eq $error')))
    (export "read" (func (param "tree" $tree) (param "path" string) (param "offset" u64) (param "length" u64)
      (result (result (list u8) (error $error)))))))
  (import "mcpmark:guest/state@0.1.0" (instance $state (type $errors)))
  (core module $memory
    (memory (export "memory") 1000)
    (global $free (mut i32) (i32.const 8192))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 8192)))
  (core instance $memory (instantiate $memory))
  (core func $read (canon lower (func $state "read")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    (import "host" "memory" (memory 1))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (data (i32.const 200) "hello.txt")
    (func (export "verify") (result i32)
      (call $read (i32.const 1) (i32.const 10000) (i32.const 60000000) (i64.const 0) (i64.const 9) (i32.const 300))
      (i32.const 16)))
  (core instance $host (export "read" (func $read)) (export "memory" (memory $memory "memory")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
