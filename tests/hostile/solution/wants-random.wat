;; what: what a solution is not given
;; expect: refused
;; message: imports `mcpmark:guest/random@0.1.0`, which a solution may not import
(component
  (import "mcpmark:guest/random@0.1.0" (instance))
  (core module $m (memory (export "memory") 1) (func (export "run") (result i32) (i32.const 16)))
  (core instance $g (instantiate $m))
  (func (export "solve") (result string) (canon lift (core func $g "run") (memory (core memory $g "memory"))))
)
