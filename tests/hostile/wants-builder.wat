;; what: asks for what only setup routines are given
;; expect: refused
;; message: imports `mcpmark:guest/builder@0.1.0`, which a verifier may not import
(component
  (import "mcpmark:guest/builder@0.1.0" (instance))
)
