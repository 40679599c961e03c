;; what: a repository that cannot be opened or read: objects that link
;; world: objects-that-link
;; expect: world
;; message: is a symlink
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
