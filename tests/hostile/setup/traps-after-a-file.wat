;; what: half a world is none
;; expect: fault trap
;; message: unreachable
(data (i32.const 100) "a")
(func (export "setup") (call $file (i32.const 100) (i32.const 1)) (unreachable))
