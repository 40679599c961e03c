;; what: an instance where a function belongs
;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (instance $nothing)
  (export "verify" (instance $nothing))
)
