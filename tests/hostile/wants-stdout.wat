;; what: asks for standard output
;; expect: refused
;; message: imports `wasi:cli/stdout@0.2.6`, which a verifier is not given
(component
  (import "wasi:cli/stdout@0.2.6" (instance))
)
