;; what: a loop without an end
;; expect: fault fuel
;; message: (limit `fuel`, fixed: the same for every solution
(func (export "solve") (result i32)
  (loop $again  (br $again)) (unreachable))
