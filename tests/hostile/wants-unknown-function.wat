;; what: asks for a function that nobody offers
;; expect: refused
;; message: imports `launch-missiles`, which a verifier is not given
(component
  (import "launch-missiles" (func (param "where" string)))
)
