;; what: asks for the network
;; expect: refused
;; message: imports `wasi:sockets/tcp@0.2.6`, which a verifier is not given
(component
  (import "wasi:sockets/tcp@0.2.6" (instance))
)
