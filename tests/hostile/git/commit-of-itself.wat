;; what: a history that ends in itself
;; world: commit-of-itself
;; expect: graded passed
(call $log (i32.const 1) (global.get $main) (i32.const 40) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 512))
