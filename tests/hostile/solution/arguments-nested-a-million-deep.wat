;; what: a list in a list in a list: parsing it could overflow a stack
;; expect: answer done
(data (i32.const 100) "echo")
(func (export "solve") (result i32)
  (memory.fill (i32.const 65536) (i32.const 0x5b) (i32.const 1000000))
  (call $call (i32.const 100) (i32.const 4) (i32.const 65536) (i32.const 1000000) (i32.const 512)) (call $refused)
  (i32.const 16))
