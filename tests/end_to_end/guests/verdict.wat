;; A verifier with one check; the test fills in PASSED, LENGTH and DETAIL.
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\05\00\00\00PASSED")
    (data (i32.const 100) "check")
    (data (i32.const 200) "DETAIL")
    (func (export "verify") (result i32)
      (i32.store (i32.const 44) (i32.const 200))
      (i32.store (i32.const 48) (i32.const LENGTH))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
