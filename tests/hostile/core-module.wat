;; expect: refused
;; message: a core WebAssembly module, not a component
(module (func (export "verify")))
