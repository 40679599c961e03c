;; what: the references of a repository with a tag of itself
;; world: tag-of-itself
;; expect: fault fuel
;; message: (limit `fuel`
(call $references (i32.const 1) (i32.const 512))
