;; what: asks for environment variables
;; expect: refused
;; message: imports `wasi:cli/environment@0.2.6`, which a verifier is not given
(component
  (import "wasi:cli/environment@0.2.6" (instance))
)
