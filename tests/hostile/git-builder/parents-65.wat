;; what: a commit with 65 parents
;; expect: built 10 entries
(local $at i32)
      (call $first)
      (local.set $at (i32.const 65536))
      (loop $again
        (i32.store (local.get $at) (i32.const 256))
        (i32.store offset=4 (local.get $at) (i32.const 40))
        (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 66056))))
      (call $put (i32.const 65536) (i32.const 65) (i32.const 0) (i32.const 0))
      (call $refused)
      (call $put (i32.const 65536) (i32.const 64) (i32.const 0) (i32.const 0))
      (call $taken)
      (call $set-reference (i32.const 515) (i32.const 15) (i32.const 256) (i32.const 40) (i32.const 1024))
