;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (core module $guest (func (export "verify") (result i32) (i32.const 1)))
  (core instance $guest (instantiate $guest))
  (func (export "verify") (result bool) (canon lift (core func $guest "verify")))
)
