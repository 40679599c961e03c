;; what: WASI, which only verifiers are given
;; expect: refused
;; message: imports `wasi:filesystem/preopens@0.2.6`, which a setup guest may not import
(component
  (import "wasi:filesystem/preopens@0.2.6" (instance))
  (core module $m (func (export "run")))
  (core instance $g (instantiate $m))
  (func (export "setup") (canon lift (core func $g "run")))
)
