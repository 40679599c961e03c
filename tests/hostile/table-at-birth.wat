;; what: a table of a million elements
;; expect: refused
;; message: requires more than this host provides for a guest
(component
  (core module $guest
    (memory (export "memory") 1)
    (table 1000000 funcref)
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
