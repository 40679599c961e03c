;; what: an inner component that is handed a function of the host: it could be any part's
;; expect: refused
;; message: an inner component passes strings or lists to another, which fuel does not cover
(component
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters
    (export "get" (func (result string)))))
  (component $asks
    (import "get" (func $get (result string)))
    (core module $memory
      (memory (export "memory") 1)
      (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
    (core instance $memory (instantiate $memory))
    (core func (canon lower (func $get)
      (memory (core memory $memory "memory")) (realloc (core func $memory "realloc")))))
  (instance (instantiate $asks (with "get" (func $parameters "get"))))
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
