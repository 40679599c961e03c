;; what: a component that is a command and also returns checks, so that its verdict could be either
;; expect: refused
;; message: expected one of two exports, `verify`, which returns the checks, or `wasi:cli/run@0.2.6`
(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "run") (result i32) (i32.const 0))
    (func (export "verify") (result i32) (i32.const 16)))
  (core instance $i (instantiate $m))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $run-instance (export "run" (func $run)))
  (export "wasi:cli/run@0.2.6" (instance $run-instance))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $i "verify") (memory (core memory $i "memory"))))
)
