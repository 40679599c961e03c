;; what: a commit that says that it has 2 GB
;; world: commit-too-large
;; expect: world
;; message: 2000000000 bytes, but the limit is 1048576
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
