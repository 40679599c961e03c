;; what: fills its memory, tables and globals
;; expect: graded passed
;; soon: fault fuel
(component
  (core module $guest
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (table $t (export "table") 1000 funcref)
    (global $g (mut i64) (i64.const 0))
    (func $f)
    (elem declare func $f)
    (func (export "verify") (result i32)
      (global.set $g (i64.const -1))
      (drop (memory.grow (i32.const 900)))
      (memory.fill (i32.const 128) (i32.const 0xAA) (i32.const 65408))
      (memory.fill (i32.const 65536) (i32.const 0xAA) (i32.const 58982400))
      (table.fill $t (i32.const 0) (ref.func $f) (i32.const 1000))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory"))))
)
