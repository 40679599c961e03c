;; what: a loop that counts, so that it is not removed
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32)
      (local $i i64)
      (loop $again
        (local.set $i (i64.add (local.get $i) (i64.const 1)))
        (i64.store (i32.const 0) (local.get $i))
        (br $again))
      (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
