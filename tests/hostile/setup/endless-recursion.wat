;; what: calls itself
;; expect: fault trap
;; message: used up its 524288 bytes of stack
(func $setup (export "setup") (call $setup) (call $setup))
