;; what: tail calls without end: no stack, only fuel
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func $a (export "verify") (result i32) (return_call $a))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
