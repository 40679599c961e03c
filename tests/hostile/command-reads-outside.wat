;; what: a program that looks for files of the host; it passes if it finds only its own
;; expect: graded passed
;; check: exit code
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "etc/passwd")
  (data (i32.const 200) "../../../../etc/passwd")
  (data (i32.const 300) "state/../../etc/passwd")
  (data (i32.const 400) "/etc/passwd")
  (data (i32.const 500) "proc/self/environ")
  (data (i32.const 600) "state/hello.txt")
  (func $try (param $at i32) (param $length i32) (result i32)
    (call $open (i32.const 3) (i32.const 1) (local.get $at) (local.get $length)
      (i32.const 0) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 0)))
  (func $refused (param $at i32) (param $length i32)
    (if (i32.eqz (call $try (local.get $at) (local.get $length))) (then unreachable)))
  (func (export "_start")
    (call $refused (i32.const 100) (i32.const 10))
    (call $refused (i32.const 200) (i32.const 22))
    (call $refused (i32.const 300) (i32.const 22))
    (call $refused (i32.const 400) (i32.const 11))
    (call $refused (i32.const 500) (i32.const 17))
    (if (call $try (i32.const 600) (i32.const 15)) (then unreachable))))
