;; what: content that lies outside of memory
;; expect: fault trap
;; message: out of bounds
(data (i32.const 100) "a")
(func (export "setup")
  (call $write-file (i32.const 100) (i32.const 1) (i32.const 100) (i32.const 0x7fffffff)
    (i32.const 0) (i32.const 0) (i64.const 0) (i32.const 512)))
