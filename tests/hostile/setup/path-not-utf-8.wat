;; what: a path that is no text
;; expect: fault trap
;; message: utf-8
(data (i32.const 100) "\ff\fe")
(func (export "setup") (call $file (i32.const 100) (i32.const 2)))
