;; what: a repository that cannot be opened or read: shallow
;; world: shallow
;; expect: world
;; message: git fetch --unshallow
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
