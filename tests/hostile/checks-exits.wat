;; what: a verifier with checks that ends itself with success before it returns them
;; expect: fault trap
;; message: the verifier ended with exit code 0 before it returned its checks
(component
  (import "wasi:cli/exit@0.2.3" (instance $exit (export "exit" (func (param "status" (result))))))
  (core func $exit (canon lower (func $exit "exit")))
  (core module $guest
    (import "host" "exit" (func $exit (param i32)))
    (memory (export "memory") 1)
    (func (export "verify") (result i32) (call $exit (i32.const 0)) (i32.const 16)))
  (core instance $host (export "exit" (func $exit)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
