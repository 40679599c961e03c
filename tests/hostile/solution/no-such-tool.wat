;; what: a tool that is not there
;; expect: answer done
(data (i32.const 100) "rm")
(func (export "solve") (result i32)
  (call $call (i32.const 100) (i32.const 2) (i32.const 64) (i32.const 2) (i32.const 512)) (call $refused)
  (i32.const 16))
