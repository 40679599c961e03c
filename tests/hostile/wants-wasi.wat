;; expect: refused
;; message: imports `wasi:filesystem/preopens@0.2.6`, which a verifier may not import
(component
  (import "wasi:filesystem/preopens@0.2.6" (instance))
)
