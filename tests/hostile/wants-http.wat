;; what: asks for web requests
;; expect: refused
;; message: imports `wasi:http/outgoing-handler@0.2.6`, which a verifier may not import
(component
  (import "wasi:http/outgoing-handler@0.2.6" (instance))
)
