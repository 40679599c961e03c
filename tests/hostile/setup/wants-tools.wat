;; what: what a setup routine is not given
;; expect: refused
;; message: imports `mcpmark:guest/tools@0.1.0`, which a setup guest may not import
(component
  (import "mcpmark:guest/tools@0.1.0" (instance))
  (core module $m (func (export "run")))
  (core instance $g (instantiate $m))
  (func (export "setup") (canon lift (core func $g "run")))
)
