;; what: a modification time that is neither there nor not
;; expect: fault trap
;; message: discriminant
(data (i32.const 100) "a")
(func (export "setup")
  (call $write-file (i32.const 100) (i32.const 1) (i32.const 100) (i32.const 1)
    (i32.const 0) (i32.const 7) (i64.const 0) (i32.const 512)))
