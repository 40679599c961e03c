;; what: an allocator that calls the host while the host allocates
;; expect: fault trap
;; message: cannot leave component instance
(component
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters
    (export "get" (func (result string)))))
  (core module $memory
    (memory (export "memory") 1)
    (table (export "table") 1 funcref)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (call_indirect (param i32) (i32.const 8) (i32.const 0))
      (i32.const 4096)))
  (core instance $memory (instantiate $memory))
  (core func $get (canon lower (func $parameters "get")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "host" "get" (func $get (param i32)))
    (import "host" "table" (table 1 funcref))
    (elem (i32.const 0) $get)
    (func (export "verify") (result i32)
      (call $get (i32.const 8))
      (i32.const 16)))
  (core instance $host (export "get" (func $get)) (export "table" (table $memory "table")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
