;; what: the tools, again and again
;; expect: fault copy
;; message: (limit `copy_bytes`
(func (export "solve") (result i32)
  (loop $again (call $list (i32.const 512)) (br $again)) (unreachable))
