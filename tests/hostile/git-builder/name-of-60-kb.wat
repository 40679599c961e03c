;; what: a reference whose name has 60 KB
;; expect: built 10 entries
(call $first)
      (memory.fill (i32.const 131072) (i32.const 120) (i32.const 60000))
      (memory.copy (i32.const 131072) (i32.const 515) (i32.const 11))
      (call $set-reference (i32.const 131072) (i32.const 60000) (i32.const 256) (i32.const 40) (i32.const 1024))
      (call $refused)
      (call $set-reference (i32.const 515) (i32.const 15) (i32.const 256) (i32.const 40) (i32.const 1024))
