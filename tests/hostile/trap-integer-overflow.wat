;; what: the one signed division that overflows
;; expect: fault trap
;; message: integer overflow
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32)
      (i32.div_s (i32.const 0x80000000) (i32.const -1)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
