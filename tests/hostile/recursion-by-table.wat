;; expect: fault trap
;; message: call stack exhausted
(component
  (core module $guest
    (memory (export "memory") 1)
    (type $f (func (result i32)))
    (table 1 funcref)
    (elem (i32.const 0) $down)
    (func $down (export "verify") (result i32)
      (i32.add (call_indirect (type $f) (i32.const 0)) (i32.const 1)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
