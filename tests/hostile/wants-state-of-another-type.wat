;; what: takes the files as a function of another type
;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (import "mcpmark:guest/state@0.1.0" (instance
    (export "read" (func (param "path" string) (result (list u8))))))
)
