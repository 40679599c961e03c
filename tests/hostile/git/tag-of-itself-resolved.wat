;; what: a name that leads to a tag of itself
;; world: tag-of-itself
;; expect: fault fuel
;; message: (limit `fuel`
(call $resolve (i32.const 1) (i32.const 192) (i32.const 4) (i32.const 512))
