;; what: asks for an interface that comes later
;; expect: refused
;; message: imports `mcpmark:guest/state@0.9.0`, which a verifier may not import
(component
  (import "mcpmark:guest/state@0.9.0" (instance))
)
