;; what: calls that cost the host more than the guest
;; expect: fault copy
;; message: (limit `copy_bytes`
(data (i32.const 100) "echo")
(func (export "solve") (result i32)
  (loop $again (call $call (i32.const 100) (i32.const 4) (i32.const 64) (i32.const 2) (i32.const 512)) (br $again)) (unreachable))
