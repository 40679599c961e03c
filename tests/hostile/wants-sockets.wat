;; what: asks for the network
;; expect: refused
;; message: imports `wasi:sockets/tcp@0.2.6`, which a verifier may not import
(component
  (import "wasi:sockets/tcp@0.2.6" (instance))
)
