;; what: an answer that lies outside of memory
;; expect: fault trap
;; message: out of bounds
(func (export "solve") (result i32)
  (i32.store (i32.const 16) (i32.const 13107190))
  (i32.store (i32.const 20) (i32.const 100))
  (i32.const 16))
