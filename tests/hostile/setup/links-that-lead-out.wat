;; what: symlinks to what is not in the world
;; expect: built 0 entries
(data (i32.const 100) "link")
(data (i32.const 1024) "../../etc/passwd")
(data (i32.const 1088) "/etc/passwd")
(data (i32.const 1152) "")
(data (i32.const 1216) "x/../../..")
(func (export "setup")
  (call $create-symlink (i32.const 100) (i32.const 4) (i32.const 1024) (i32.const 16) (i32.const 512)) (call $refused)
  (call $create-symlink (i32.const 100) (i32.const 4) (i32.const 1088) (i32.const 11) (i32.const 512)) (call $refused)
  (call $create-symlink (i32.const 100) (i32.const 4) (i32.const 1152) (i32.const 0) (i32.const 512)) (call $refused)
  (call $create-symlink (i32.const 100) (i32.const 4) (i32.const 1216) (i32.const 10) (i32.const 512)) (call $refused))
