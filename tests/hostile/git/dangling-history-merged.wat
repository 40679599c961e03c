;; what: the common ancestor with a long history that no reference reaches
;; world: dangling-history
;; expect: fault fuel
;; message: (limit `fuel`
(call $merge-base (i32.const 1) (global.get $dangling) (i32.const 40) (global.get $main) (i32.const 40) (i32.const 512))
