;; what: the same with lists
;; expect: refused
;; message: an inner component passes strings or lists to another, which fuel does not cover
(component
  (component $other
    (core module $m
      (memory (export "memory") 1000)
      (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
      (func (export "call") (param i32 i32)))
    (core instance $i (instantiate $m))
    (func (export "call") (param "it" (list u64)) (canon lift (core func $i "call")
      (memory (core memory $i "memory")) (realloc (core func $i "realloc")))))
  (instance $other (instantiate $other))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (component $guest
    (import "call" (func $call (param "it" (list u64))))
    (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
    (import "check" (type $check-type (eq $check)))
    (core module $memory (memory (export "memory") 1000))
    (core instance $memory (instantiate $memory))
    (core func $call (canon lower (func $call) (memory (core memory $memory "memory"))))
    (core module $guest
      (import "other" "call" (func $call (param i32 i32)))
      (import "other" "memory" (memory 1))
      (export "memory" (memory 0))
      (data (i32.const 16) "\20\00\00\00\01\00\00\00")
      (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
      (data (i32.const 100) "ab")
      (func (export "verify") (result i32)
        (local $i i32)
        (loop $again
          (call $call (i32.const 65536) (i32.const 6000000))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $again (i32.lt_u (local.get $i) (i32.const 200))))
        (i32.const 16)))
    (core instance $calls (export "call" (func $call)) (export "memory" (memory $memory "memory")))
    (core instance $guest (instantiate $guest (with "other" (instance $calls))))
    (func (export "verify") (result (list $check-type))
      (canon lift (core func $guest "verify") (memory (core memory $guest "memory")))))
  (instance $guest (instantiate $guest
    (with "call" (func $other "call")) (with "check" (type $check-type))))
  (export "verify" (func $guest "verify"))
)
