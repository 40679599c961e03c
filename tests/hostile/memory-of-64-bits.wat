;; what: a memory with 64-bit addresses
;; expect: refused
;; message: not a valid component
(component
  (core module $guest
    (memory (export "memory") 1)
    (memory $wide i64 1)
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
