;; what: asks the state for a function that writes
;; expect: refused
;; message: does not fit the contract of a verifier
(component
  (import "mcpmark:guest/state@0.1.0" (instance
    (export "write" (func (param "path" string) (param "content" (list u8))))))
)
