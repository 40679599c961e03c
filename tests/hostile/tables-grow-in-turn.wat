;; what: several tables that grow in turn
;; expect: fault memory
;; message: (limit `table_elements`
(component
  (core module $guest
    (memory (export "memory") 1)
    (table $a 1 funcref)
    (table $b 1 funcref)
    (func (export "verify") (result i32)
      (loop $more
        (drop (table.grow $a (ref.null func) (i32.const 500)))
        (drop (table.grow $b (ref.null func) (i32.const 500)))
        (br $more))
      (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
