;; what: a log without an end
;; expect: fault copy
;; message: (limit `copy_bytes`
(func (export "setup")
  (loop $again (call $log (i32.const 0) (i32.const 1000)) (br $again)))
