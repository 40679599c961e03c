;; what: asks for randomness of the machine
;; expect: refused
;; message: imports `wasi:random/random@0.2.6`, which a verifier may not import
(component
  (import "wasi:random/random@0.2.6" (instance))
)
