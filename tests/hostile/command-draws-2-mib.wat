;; what: a program that asks for more random bytes than a call may return
;; expect: fault trap
;; message: the verifier requested 2097152 random bytes at once
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 40)
  (func (export "_start")
    (drop (call $random (i32.const 0) (i32.const 2097152)))))
