;; what: a tool whose host breaks
;; expect: host
;; message: the host panicked: the tool broke
(data (i32.const 100) "break")
(func (export "solve") (result i32)
  (call $call (i32.const 100) (i32.const 5) (i32.const 64) (i32.const 2) (i32.const 512))
  (i32.const 16))
