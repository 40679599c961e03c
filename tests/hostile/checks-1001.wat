;; what: one check too many, each with a name of its own
;; expect: fault output
;; message: the verdict has 1001 checks, more than 1000 (limit `checks`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32)
      (local $i i32) (local $at i32) (local $text i32)
      (i32.store (i32.const 16) (i32.const 1024))
      (i32.store (i32.const 20) (i32.const 1001))
      (loop $next
        (local.set $at (i32.add (i32.const 1024) (i32.mul (local.get $i) (i32.const 20))))
        (local.set $text (i32.add (i32.const 32768) (i32.mul (local.get $i) (i32.const 2))))
        (i32.store (local.get $at) (local.get $text))
        (i32.store offset=4 (local.get $at) (i32.const 2))
        (i32.store8 (local.get $text) (i32.add (i32.const 48) (i32.rem_u (local.get $i) (i32.const 64))))
        (i32.store8 offset=1 (local.get $text) (i32.add (i32.const 48) (i32.div_u (local.get $i) (i32.const 64))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 1001))))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
