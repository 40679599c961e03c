;; what: asks for an interface of WASI that is not offered
;; expect: refused
;; message: imports `wasi:keyvalue/store@0.2.0-draft`, which a verifier may not import
(component
  (import "wasi:keyvalue/store@0.2.0-draft" (instance))
)
