;; what: memory without an end
;; expect: fault memory
;; message: (limit `memory_bytes`, fixed: the same for every setup guest
(func (export "setup")
  (loop $again (drop (memory.grow (i32.const 16))) (br $again)))
