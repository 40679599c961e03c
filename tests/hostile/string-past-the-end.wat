;; what: a name that runs out of memory
;; expect: fault trap
;; message: out of bounds
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\f0\ff\00\00\00\01\00\00\01")
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
