;; what: an allocator that hands out its own result
;; expect: fault trap
;; message: list pointer is not aligned
(component
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters
    (export "get" (func (result string)))))
  (core module $memory
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 16))
  )
  (core instance $memory (instantiate $memory))
  (core func $get (canon lower (func $parameters "get")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "host" "get" (func $get (param i32)))
    (import "host" "memory" (memory 1))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32)
      (call $get (i32.const 8))
      (i32.const 16)))
  (core instance $host (export "get" (func $get)) (export "memory" (memory $memory "memory")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
