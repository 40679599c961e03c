;; expect: fault memory
;; message: more than 20000 (limit `table_elements`
(component
  (core module $guest
    (memory (export "memory") 1)
    (table $t 1 funcref)
    (func (export "verify") (result i32)
      (loop $more (drop (table.grow $t (ref.null func) (i32.const 1000))) (br $more)) (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
