;; what: a command whose function has a parameter
;; expect: refused
;; message: expected `wasi:cli/run@0.2.6` to export a function `run: func() -> result`
(component
  (core module $m (func (export "run") (param i32) (result i32) (i32.const 0)))
  (core instance $i (instantiate $m))
  (func $run (param "x" u32) (result (result)) (canon lift (core func $i "run")))
  (instance $run-instance (export "run" (func $run)))
  (export "wasi:cli/run@0.2.6" (instance $run-instance))
)
