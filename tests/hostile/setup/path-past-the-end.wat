;; what: a path that lies outside of memory
;; expect: fault trap
;; message: out of bounds
(func (export "setup") (call $file (i32.const 13107190) (i32.const 100)))
