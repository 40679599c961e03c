;; what: arguments in another form
;; expect: answer done
(data (i32.const 100) "echo")
(data (i32.const 1024) "[1,2]")
(data (i32.const 1040) "{\"a\":")
(data (i32.const 1056) "null")
(func (export "solve") (result i32)
  (call $call (i32.const 100) (i32.const 4) (i32.const 1024) (i32.const 5) (i32.const 512)) (call $refused)
  (call $call (i32.const 100) (i32.const 4) (i32.const 1040) (i32.const 5) (i32.const 512)) (call $refused)
  (call $call (i32.const 100) (i32.const 4) (i32.const 1056) (i32.const 4) (i32.const 512)) (call $refused)
  (call $call (i32.const 100) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 512)) (call $refused)
  (i32.const 16))
