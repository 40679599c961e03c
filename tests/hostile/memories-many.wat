;; what: three memories that grow in turn
;; expect: fault memory
;; message: (limit `memory_bytes`
(component
  (core module $guest
    (memory (export "memory") 1)
    (memory $b 1)
    (memory $c 1)
    (func (export "verify") (result i32)
      (loop $more
        (drop (memory.grow (i32.const 8)))
        (drop (memory.grow $b (i32.const 8)))
        (drop (memory.grow $c (i32.const 8)))
        (br $more))
      (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
