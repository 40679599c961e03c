;; what: checks whose fields stand in another order
;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (core module $guest (memory (export "memory") 1) (func (export "verify") (result i32) (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "passed" bool) (field "name" string) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
