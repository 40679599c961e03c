;; what: fills of no bytes without end: each is a call out of the guest, and costs fuel accordingly
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32)
      (loop $more (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (br $more)) (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
