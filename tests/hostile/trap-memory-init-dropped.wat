;; what: data used after it was dropped
;; expect: fault trap
;; message: out of bounds memory access
(component
  (core module $guest
    (memory (export "memory") 1)
    (data $d "x")
    (func (export "verify") (result i32)
      (data.drop $d) (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)) (i32.const 0))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
