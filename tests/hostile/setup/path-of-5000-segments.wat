;; what: a path so deep that walking it could overflow a stack
;; expect: built 0 entries
(func (export "setup")
  (local $at i32)
  (loop $again
    (i32.store16 (i32.add (i32.const 65536) (local.get $at)) (i32.const 0x2f61))
    (local.set $at (i32.add (local.get $at) (i32.const 2)))
    (br_if $again (i32.lt_u (local.get $at) (i32.const 10000))))
  (call $file (i32.const 65536) (i32.const 9999)) (call $refused))
