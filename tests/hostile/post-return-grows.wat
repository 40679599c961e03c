;; what: a verdict that passes, and memory that grows after it
;; expect: fault memory
;; message: more than 67108864 (limit `memory_bytes`, which
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32) (i32.const 16))
    (func $after (export "after") (param i32) (loop $more (drop (memory.grow (i32.const 16))) (br $more)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))
      (post-return (core func $guest "after"))))
)
