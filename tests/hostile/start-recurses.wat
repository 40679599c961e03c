;; what: a start function without a bottom
;; expect: fault trap
;; message: call stack exhausted
(component
  (core module $guest
    (memory (export "memory") 1)
    (func $start (call $start) (call $start))
    (start $start)
    (func (export "verify") (result i32) (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
