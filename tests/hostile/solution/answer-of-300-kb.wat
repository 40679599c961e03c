;; what: an answer past its limit
;; expect: fault output
;; message: the answer has 300000 bytes, more than 262144 (limit `output_bytes`, fixed: the same for every solution
(func (export "solve") (result i32)
  (i32.store (i32.const 16) (i32.const 65536))
  (i32.store (i32.const 20) (i32.const 300000))
  (memory.fill (i32.const 65536) (i32.const 0x61) (i32.const 300000))
  (i32.const 16))
