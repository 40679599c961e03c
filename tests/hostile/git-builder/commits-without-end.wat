;; what: commits that write 100 KB each until the world is full, and go on
;; expect: fault copy
;; message: (limit `copy_bytes`
(i32.store8 (i32.const 65536) (i32.const 0))
      (i32.store (i32.const 65540) (i32.const 512))
      (i32.store (i32.const 65544) (i32.const 3))
      (i32.store (i32.const 65548) (i32.const 131072))
      (i32.store (i32.const 65552) (i32.const 100000))
      (i32.store8 (i32.const 65556) (i32.const 0))
      (i32.store8 (i32.const 65560) (i32.const 1))
      (i32.store (i32.const 65564) (i32.const 547))
      (i32.store (i32.const 65568) (i32.const 4))
      (loop $again
        ;; Each has other bytes.
        (i32.store (i32.const 131072) (i32.add (i32.load (i32.const 131072)) (i32.const 1)))
        (call $put (i32.const 0) (i32.const 0) (i32.const 65536) (i32.const 1))
        (br $again))
