;; what: a repository that cannot be opened or read: packed refs of nonsense
;; world: packed-refs-of-nonsense
;; expect: world
;; message: repo/.git/packed-refs:1
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
