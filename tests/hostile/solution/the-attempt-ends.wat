;; what: a tool that says the attempt is over; what the guest would do next does not matter
;; expect: stopped
;; message: the attempt is over
(data (i32.const 100) "stop")
(func (export "solve") (result i32)
  (call $call (i32.const 100) (i32.const 4) (i32.const 64) (i32.const 2) (i32.const 512)) (unreachable)
  (i32.const 16))
