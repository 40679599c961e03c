;; what: an element segment past the end of its table
;; expect: fault trap
;; message: out of bounds table access
(component
  (core module $guest
    (memory (export "memory") 1)
    (table 1 funcref)
    (elem (i32.const 1) $f)
    (func $f)
    (func (export "verify") (result i32)
      (i32.const 0))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
