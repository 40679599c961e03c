;; what: files until the host takes no more, and on
;; expect: fault copy
;; message: (limit `copy_bytes`
(data (i32.const 100) "d/00000000")
(func $count
  (local $at i32)
  (local.set $at (i32.const 109))
  (loop $digit
    (i32.store8 (local.get $at) (i32.add (i32.load8_u (local.get $at)) (i32.const 1)))
    (if (i32.gt_u (i32.load8_u (local.get $at)) (i32.const 57)) (then
      (i32.store8 (local.get $at) (i32.const 48))
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (br $digit)))))
(func (export "setup")
  (loop $again (call $count) (call $file (i32.const 100) (i32.const 10)) (br $again)))
