;; what: a long history that no reference reaches, listed
;; world: dangling-history
;; expect: fault fuel
;; message: (limit `fuel`
(call $log (i32.const 1) (global.get $dangling) (i32.const 40) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const -1) (i32.const 512))
