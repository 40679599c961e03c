;; what: asks for standard output
;; expect: refused
;; message: imports `wasi:cli/stdout@0.2.6`, which a verifier may not import
(component
  (import "wasi:cli/stdout@0.2.6" (instance))
)
