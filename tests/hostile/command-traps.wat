;; what: a program that traps
;; expect: fault trap
;; message: unreachable
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") unreachable))
