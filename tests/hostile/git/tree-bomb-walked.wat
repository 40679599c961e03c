;; what: a tree of ten thousand million files in twelve objects
;; world: tree-bomb
;; expect: fault fuel
;; message: (limit `fuel`
(call $walk (i32.const 1) (global.get $main) (i32.const 40) (i32.const 0) (i32.const 0) (i32.const 512))
