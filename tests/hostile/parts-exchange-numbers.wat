;; what: one inner component that calls another with numbers alone, for as long as fuel lasts
;; expect: fault fuel
;; message: (limit `fuel`
(component
  (component $other
    (core module $m
      (func (export "call") (param i64)))
    (core instance $i (instantiate $m))
    (func (export "call") (param "it" u64) (canon lift (core func $i "call"))))
  (instance $other (instantiate $other))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (component $guest
    (import "call" (func $call (param "it" u64)))
    (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
    (import "check" (type $check-type (eq $check)))
    (core module $memory (memory (export "memory") 1000))
    (core instance $memory (instantiate $memory))
    (core func $call (canon lower (func $call)))
    (core module $guest
      (import "other" "call" (func $call (param i64)))
      (import "other" "memory" (memory 1))
      (export "memory" (memory 0))
      (data (i32.const 16) "\20\00\00\00\01\00\00\00")
      (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
      (data (i32.const 100) "ab")
      (func (export "verify") (result i32)
        (loop $again (call $call (i64.const 1)) (br $again))
        (i32.const 16)))
    (core instance $calls (export "call" (func $call)) (export "memory" (memory $memory "memory")))
    (core instance $guest (instantiate $guest (with "other" (instance $calls))))
    (func (export "verify") (result (list $check-type))
      (canon lift (core func $guest "verify") (memory (core memory $guest "memory")))))
  (instance $guest (instantiate $guest
    (with "call" (func $other "call")) (with "check" (type $check-type))))
  (export "verify" (func $guest "verify"))
)
