;; what: a verdict that passes, and recursion without an end after it
;; expect: fault trap
;; message: call stack exhausted: the guest used up its 524288 bytes of stack
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (i32.const 16))
    (func $after (export "after") (param i32) (call $after (local.get 0)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))
      (post-return (core func $guest "after"))))
)
