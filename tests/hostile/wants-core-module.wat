;; what: asks for a core module to run
;; expect: refused
;; message: imports `plugin`, which a verifier is not given
(component
  (import "plugin" (core module))
)
