;; what: WASI, which only verifiers are given
;; expect: refused
;; message: imports `wasi:filesystem/preopens@0.2.6`, which a solution may not import
(component
  (import "wasi:filesystem/preopens@0.2.6" (instance))
  (core module $m (memory (export "memory") 1) (func (export "run") (result i32) (i32.const 16)))
  (core instance $g (instantiate $m))
  (func (export "solve") (result string) (canon lift (core func $g "run") (memory (core memory $g "memory"))))
)
