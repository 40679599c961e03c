;; what: references to functions without end: the engine makes each by a call of its own, at a price
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (core module $guest
    (memory (export "memory") 1)
    (func $other)
    (elem declare func $other)
    (func (export "verify") (result i32)
      (loop $more (drop (ref.func $other)) (br $more)) (unreachable))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
