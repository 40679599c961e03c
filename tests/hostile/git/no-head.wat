;; what: a repository that cannot be opened or read: no head
;; world: no-head
;; expect: world
;; message: repo/.git/HEAD: does not exist
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
