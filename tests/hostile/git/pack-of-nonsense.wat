;; what: a repository that cannot be opened or read: pack of nonsense
;; world: pack-of-nonsense
;; expect: world
;; message: the repository is damaged
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
