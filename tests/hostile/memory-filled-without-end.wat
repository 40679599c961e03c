;; what: 64 MB written by one instruction, again and again
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1000)
    (func (export "verify") (result i32)
      (loop $again
        (memory.fill (i32.const 0) (i32.const 1) (i32.const 64000000))
        (br $again))
      (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
