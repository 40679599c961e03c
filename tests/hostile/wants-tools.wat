;; expect: refused
;; message: imports `mcpmark:guest/tools@0.1.0` and `env`, which a verifier may not import
(component
  (import "mcpmark:guest/tools@0.1.0" (instance))
  (import "env" (func))
)
