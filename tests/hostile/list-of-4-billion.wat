;; what: a list of 2^32 - 1 checks
;; expect: fault trap
;; message: list pointer/length out of bounds of memory
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\ff\ff\ff\ff")
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
