;; what: one check with a detail of 50,000,000 bytes
;; expect: fault output
;; message: the guest passed more than
(component
  (core module $guest
    (memory (export "memory") 1000)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01\00\00\00\00\10\00\00\80\f0\fa\02")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
