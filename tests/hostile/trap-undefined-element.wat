;; what: a call past the end of a table
;; expect: fault trap
;; message: undefined element
(component
  (core module $guest
    (memory (export "memory") 1)
    (table 1 funcref)
    (func (export "verify") (result i32)
      (call_indirect (result i32) (i32.const 9)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
