;; what: asks for the time of day
;; expect: refused
;; message: imports `wasi:clocks/wall-clock@0.2.6`, which a verifier may not import
(component
  (import "wasi:clocks/wall-clock@0.2.6" (instance))
)
