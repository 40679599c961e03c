;; what: a command that asks for http
;; expect: refused
;; message: imports `wasi:http/outgoing-handler@0.2.6`, which a verifier may not import
(component
  (import "wasi:http/outgoing-handler@0.2.6" (instance))
  (core module $m (func (export "run") (result i32) (i32.const 0)))
  (core instance $i (instantiate $m))
  (func $run (result (result)) (canon lift (core func $i "run")))
  (instance $run-instance (export "run" (func $run)))
  (export "wasi:cli/run@0.2.6" (instance $run-instance))
)
