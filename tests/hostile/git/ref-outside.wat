;; what: a repository that cannot be opened or read: ref outside
;; world: ref-outside
;; expect: world
;; message: refs/heads/a..b
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
