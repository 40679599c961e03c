;; what: asks for a function that nobody offers
;; expect: refused
;; message: imports `launch-missiles`, which a verifier may not import
(component
  (import "launch-missiles" (func (param "where" string)))
)
