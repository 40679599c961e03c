;; what: a tag that is made anew without an end
;; expect: fault fuel
;; message: (limit `fuel`
(call $first)
      (loop $again
        (call $annotate (i32.const 512) (i32.const 3) (i32.const 256) (i32.const 40) (i32.const 512) (i32.const 3) (i32.const 512) (i32.const 3)
          (i64.const 1) (i32.const 0) (i32.const 131072) (i32.const 1000) (i32.const 1024))
        (br $again))
