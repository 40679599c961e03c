;; what: numbers without an end
;; expect: fault copy
;; message: (limit `copy_bytes`
(func (export "setup")
  (loop $again (drop (call $next)) (br $again)))
