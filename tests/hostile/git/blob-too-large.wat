;; what: a blob that says that it has 64 GB
;; world: blob-too-large
;; expect: graded passed
(call $read-blob (i32.const 1) (global.get $blob) (i32.const 40) (i32.const 512)) (call $refused)
