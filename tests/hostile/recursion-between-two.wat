;; what: two functions that call each other
;; expect: fault trap
;; message: call stack exhausted
(component
  (core module $guest
    (memory (export "memory") 1)
    (func $a (export "verify") (result i32) (i32.add (call $b) (i32.const 1)))
    (func $b (result i32) (i32.add (call $a) (i32.const 2)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
