;; expect: refused
;; message: does not fit the contract of a verifier
(component)
