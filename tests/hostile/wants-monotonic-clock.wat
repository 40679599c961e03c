;; what: asks for a clock to measure with
;; expect: refused
;; message: imports `wasi:clocks/monotonic-clock@0.2.6`, which a verifier may not import
(component
  (import "wasi:clocks/monotonic-clock@0.2.6" (instance))
)
