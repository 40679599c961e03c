;; what: a program that opens ten files in turn, 13 times, and reads a byte of each, so that the host loads some again
;; expect: graded passed
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "state/many/10")
  (func (export "_start")
    (local $number i32)
    (i32.store (i32.const 16) (i32.const 200))
    (i32.store (i32.const 20) (i32.const 1))
    (loop $again
      (i32.store8 (i32.const 112)
        (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
      (if (call $open (i32.const 3) (i32.const 1) (i32.const 100) (i32.const 13)
            (i32.const 0) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 0))
        (then unreachable))
      (if (call $read (i32.load (i32.const 0)) (i32.const 16) (i32.const 1) (i32.const 8))
        (then unreachable))
      (if (call $close (i32.load (i32.const 0))) (then unreachable))
      (local.set $number (i32.add (local.get $number) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $number) (i32.const 13))))))
