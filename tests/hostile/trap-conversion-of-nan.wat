;; what: NaN made an integer
;; expect: fault trap
;; message: invalid conversion to integer
(component
  (core module $guest
    (memory (export "memory") 1)
    (func (export "verify") (result i32)
      (i32.trunc_f64_s (f64.const nan)))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
