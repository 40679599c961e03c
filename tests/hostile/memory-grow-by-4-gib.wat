;; what: one step to 4 GiB
;; expect: fault memory
;; message: (limit `memory_bytes`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32) (memory.grow (i32.const 65535)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
