;; what: a verify that wants an argument
;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (core module $guest (memory (export "memory") 1) (func (export "verify") (param i32) (result i32) (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (param "n" u32) (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
