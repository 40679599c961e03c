;; what: a name that lies outside of memory
;; expect: fault trap
;; message: out of bounds
(func (export "solve") (result i32)
  (call $call (i32.const 13107190) (i32.const 100) (i32.const 64) (i32.const 2) (i32.const 512))
  (i32.const 16))
