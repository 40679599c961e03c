;; expect: fault fuel
;; message: used up its 1000000000 units of fuel (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32) (loop $again (br $again)) (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
