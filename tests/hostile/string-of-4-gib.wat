;; what: a name as long as the address space
;; expect: fault trap
;; message: string pointer/length out of bounds of memory
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\00\00\00\00\ff\ff\ff\ff\01")
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
