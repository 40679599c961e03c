;; what: a result at an odd address
;; expect: fault trap
;; message: not aligned
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32) (i32.const 17))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
