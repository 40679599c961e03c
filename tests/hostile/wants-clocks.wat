;; what: asks for the time of day
;; expect: refused
;; message: imports `wasi:clocks/wall-clock@0.2.6`, which a verifier is not given
(component
  (import "wasi:clocks/wall-clock@0.2.6" (instance))
)
