;; what: asks for environment variables
;; expect: refused
;; message: imports `wasi:cli/environment@0.2.6`, which a verifier may not import
(component
  (import "wasi:cli/environment@0.2.6" (instance))
)
