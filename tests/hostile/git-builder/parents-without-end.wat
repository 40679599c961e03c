;; what: a commit with 100,000 parents, again and again
;; expect: fault copy
;; message: (limit `copy_bytes`
(local $at i32)
      (call $first)
      (local.set $at (i32.const 65536))
      (loop $again
        (i32.store (local.get $at) (i32.const 256))
        (i32.store offset=4 (local.get $at) (i32.const 40))
        (br_if $again (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 865536))))
      (loop $again
        (call $put (i32.const 65536) (i32.const 100000) (i32.const 0) (i32.const 0))
        (call $refused)
        (br $again))
