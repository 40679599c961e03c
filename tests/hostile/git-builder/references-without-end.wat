;; what: references without an end
;; expect: fault fuel
;; message: (limit `fuel`
(call $first)
      (loop $again
        (call $next)
        (call $set-reference (i32.const 530) (i32.const 17) (i32.const 256) (i32.const 40) (i32.const 1024))
        (call $taken)
        (br $again))
