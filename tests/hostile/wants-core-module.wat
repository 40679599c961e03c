;; what: asks for a core module to run
;; expect: refused
;; message: imports `plugin`, which a verifier may not import
(component
  (import "plugin" (core module))
)
