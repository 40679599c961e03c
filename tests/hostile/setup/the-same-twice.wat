;; what: one path for a file, a directory and a link
;; expect: built 1 entries
(data (i32.const 100) "a")
(data (i32.const 110) "a/b")
(func (export "setup")
  (call $file (i32.const 100) (i32.const 1))
  (if (i32.load8_u (i32.const 512)) (then unreachable))
  (call $file (i32.const 100) (i32.const 1)) (call $refused)
  (call $create-directory (i32.const 100) (i32.const 1) (i32.const 512)) (call $refused)
  (call $create-symlink (i32.const 100) (i32.const 1) (i32.const 100) (i32.const 1) (i32.const 512)) (call $refused)
  (call $file (i32.const 110) (i32.const 3)) (call $refused))
