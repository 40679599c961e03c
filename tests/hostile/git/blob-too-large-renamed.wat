;; what: a file of 64 GB that came where another went
;; world: blob-too-large
;; expect: graded passed
(call $changes (i32.const 1) (i32.const 1) (global.get $dangling) (i32.const 40) (global.get $main) (i32.const 40) (i32.const 512))
