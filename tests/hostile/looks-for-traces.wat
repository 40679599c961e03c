;; what: traps where memory, a table or a global is not as new
;; expect: graded passed
;; soon: fault fuel
;; after: leaves-traces
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (table $t 1000 funcref)
    (global $g (mut i64) (i64.const 0))
    (func (export "verify") (result i32)
      (local $at i32)
      (if (i64.ne (global.get $g) (i64.const 0)) (then unreachable))
      (loop $next
        (if (i32.eqz (ref.is_null (table.get $t (local.get $at)))) (then unreachable))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 1000))))
      (drop (memory.grow (i32.const 900)))
      (local.set $at (i32.const 128))
      (loop $next
        (if (i64.ne (i64.load (local.get $at)) (i64.const 0)) (then unreachable))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $next (i32.lt_u (local.get $at) (i32.const 59047936))))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
