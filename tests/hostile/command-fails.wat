;; what: a command without imports that returns an error
;; expect: graded failed
;; check: exit code
(component
  (core module $m (func (export "run") (result i32) (i32.const 1)))
  (core instance $i (instantiate $m))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $run-instance (export "run" (func $run)))
  (export "wasi:cli/run@0.2.6" (instance $run-instance))
)
