;; what: results of a megabyte
;; expect: fault copy
;; message: (limit `copy_bytes`
(data (i32.const 100) "large")
(func (export "solve") (result i32)
  (loop $again (call $call (i32.const 100) (i32.const 5) (i32.const 64) (i32.const 2) (i32.const 512)) (br $again)) (unreachable))
