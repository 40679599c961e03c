;; what: a program that never ends
;; expect: fault fuel
;; message: (limit `fuel`
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (loop $again (br $again))))
