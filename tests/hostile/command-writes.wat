;; what: a program that changes the states; it passes if every attempt is refused as read-only
;; expect: graded passed
;; check: exit code
(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_unlink_file" (func $unlink (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_create_directory" (func $mkdir (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_rename"
    (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 100) "state/hello.txt")
  (data (i32.const 200) "state/new.txt")
  (data (i32.const 300) "start/new.txt")
  (func $write (param $at i32) (param $length i32) (param $flags i32) (result i32)
    (call $open (i32.const 3) (i32.const 1) (local.get $at) (local.get $length)
      (local.get $flags) (i64.const 64) (i64.const 64) (i32.const 0) (i32.const 0)))
  (func $read-only (param $errno i32)
    (if (i32.ne (local.get $errno) (i32.const 69)) (then unreachable)))
  (func (export "_start")
    (call $read-only (call $write (i32.const 100) (i32.const 15) (i32.const 0)))
    (call $read-only (call $write (i32.const 100) (i32.const 15) (i32.const 8)))
    (call $read-only (call $write (i32.const 200) (i32.const 13) (i32.const 1)))
    (call $read-only (call $write (i32.const 300) (i32.const 13) (i32.const 1)))
    (call $read-only (call $unlink (i32.const 3) (i32.const 100) (i32.const 15)))
    (call $read-only (call $mkdir (i32.const 3) (i32.const 200) (i32.const 13)))
    (call $read-only
      (call $rename (i32.const 3) (i32.const 100) (i32.const 15) (i32.const 3) (i32.const 200) (i32.const 13)))))
