;; what: a commit and a tag with a message of 5 MB
;; expect: fault output
;; message: the default branch "main" does not exist
(call $first)
      (memory.fill (i32.const 131072) (i32.const 120) (i32.const 5000000))
      (call $annotate (i32.const 512) (i32.const 3) (i32.const 256) (i32.const 40) (i32.const 512) (i32.const 3) (i32.const 512) (i32.const 3)
        (i64.const 1) (i32.const 0) (i32.const 131072) (i32.const 5000000) (i32.const 1024))
      (call $refused)
