;; what: a program that takes all memory
;; expect: fault memory
;; message: (limit `memory_bytes`
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (loop $again (drop (memory.grow (i32.const 16))) (br $again))))
