;; what: arguments that take many times as much when they are parsed
;; expect: fault output
;; message: bytes of arguments, but the limit is 8388608 (fixed)
(data (i32.const 100) "echo")
(func (export "solve") (result i32)
  (memory.fill (i32.const 65536) (i32.const 0x20) (i32.const 9000000))
  (call $call (i32.const 100) (i32.const 4) (i32.const 65536) (i32.const 9000000) (i32.const 512))
  (i32.const 16))
