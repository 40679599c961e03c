;; what: a name made of the bits of NaNs: the same on every run and engine
;; expect: graded passed
;; check: AAAAAAAAAAAAIPPHAAAAAAAAAAAAIPPHAAAAAAAAAAAAIPPHAAAAAAAAAAAAIPPH
(component
  (core module $guest
    (memory (export "memory") 1)
    (func $hex (param $v i64) (param $at i32)
      (local $i i32)
      (loop $next
        (i32.store8 (i32.add (local.get $at) (local.get $i))
          (i32.add (i32.const 65) (i32.wrap_i64 (i64.and (local.get $v) (i64.const 15)))))
        (local.set $v (i64.shr_u (local.get $v) (i64.const 4)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 16)))))
    (func (export "verify") (result i32)
      (i32.store (i32.const 16) (i32.const 32))
      (i32.store (i32.const 20) (i32.const 1))
      (i32.store (i32.const 32) (i32.const 100))
      (i32.store (i32.const 36) (i32.const 64))
      (i32.store8 (i32.const 40) (i32.const 1))
      (call $hex (i64.reinterpret_f64 (f64.div (f64.const 0) (f64.load (i32.const 800)))) (i32.const 100))
      (call $hex (i64.reinterpret_f64 (f64.add (f64.const nan:0x4000000000001) (f64.load (i32.const 800)))) (i32.const 116))
      (call $hex (i64.reinterpret_f64 (f64.sqrt (f64.const -1))) (i32.const 132))
      (call $hex (i64.reinterpret_f64 (f64.promote_f32 (f32.mul (f32.const -nan) (f32.load (i32.const 800))))) (i32.const 148))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
