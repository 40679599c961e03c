;; what: resources of its own, whose handles take memory and time of the host
;; expect: refused
;; message: it creates handles to resources that it defines, which fuel does not cover
(component
  (type $thing (resource (rep i32)))
  (core func $new (canon resource.new $thing))
  (core module $guest
    (import "thing" "new" (func $new (param i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32)
      (loop $again (drop (call $new (i32.const 1))) (br $again))
      (unreachable)))
  (core instance $thing (export "new" (func $new)))
  (core instance $guest (instantiate $guest (with "thing" (instance $thing))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
