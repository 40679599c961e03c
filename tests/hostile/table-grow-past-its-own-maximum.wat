;; what: growth past the maximum that the table declares
;; expect: graded passed
;; soon: fault fuel
(component
  (core module $guest
    (memory (export "memory") 1) (table $t 1 10 funcref)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32)
      (local $i i32)
      (loop $again
        (if (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1)) (then (i32.store8 (i32.const 40) (i32.const 0))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $i) (i32.const 1000))))
      (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
