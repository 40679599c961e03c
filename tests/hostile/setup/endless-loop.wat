;; what: a loop without an end
;; expect: fault fuel
;; message: (limit `fuel`, fixed: the same for every setup guest
(func (export "setup")
  (loop $again  (br $again)))
