;; what: a pack that is none, beside objects that are sound
;; world: pack-of-nonsense
;; expect: graded passed
(call $read-commit (i32.const 1) (global.get $main) (i32.const 40) (i32.const 512))
