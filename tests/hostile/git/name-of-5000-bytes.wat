;; what: a file whose name has 5000 bytes
;; world: long-name
;; expect: world
;; message: a path has 5000 bytes
(call $walk (i32.const 1) (global.get $main) (i32.const 40) (i32.const 0) (i32.const 0) (i32.const 512))
