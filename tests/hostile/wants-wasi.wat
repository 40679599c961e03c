;; what: asks for a version of WASI that is not offered
;; expect: refused
;; message: imports `wasi:filesystem/preopens@0.3.0`, which a verifier may not import
(component
  (import "wasi:filesystem/preopens@0.3.0" (instance))
)
