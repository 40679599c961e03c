;; expect: fault output
;; message: the guest passed more than
(component
  (core module $guest
    (memory (export "memory") 1000)
    (data (i32.const 16) "\20\00\00\00\c0\c6\2d\00")
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
