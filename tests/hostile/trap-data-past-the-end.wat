;; what: a data segment past the end of memory
;; expect: fault trap
;; message: out of bounds memory access
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 65535) "abc")
    (func (export "verify") (result i32)
      (i32.const 0))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
