;; what: asks for an interface named alike
;; expect: refused
;; message: imports `mcpmark:guests/state@0.1.0`, which a verifier may not import
(component
  (import "mcpmark:guests/state@0.1.0" (instance))
)
