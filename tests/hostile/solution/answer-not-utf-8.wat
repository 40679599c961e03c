;; what: an answer that is no text
;; expect: fault trap
;; message: utf-8
(func (export "solve") (result i32)
  (i32.store8 (i32.const 32) (i32.const 0xff))
  (i32.const 16))
