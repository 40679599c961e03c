;; expect: fault copy
;; message: more than 536870912 bytes for the guest, with 1024 bytes charged for each call (limit `copy_bytes`
(component
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters
    (export "get" (func (result string)))))
  (core module $memory
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $memory (instantiate $memory))
  (core func $get (canon lower (func $parameters "get")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "host" "get" (func $get (param i32)))
    (func (export "verify") (result i32)
      (loop $again (call $get (i32.const 16)) (br $again)) (unreachable)))
  (core instance $host (export "get" (func $get)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
