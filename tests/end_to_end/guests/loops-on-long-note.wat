;; A verifier whose one check fails, and which never ends where the final tree has a note.txt of
;; more than 100 bytes.
(component
  (import "mcpmark:guest/state@0.1.0" (instance $state
    (type $tree (enum "start" "final"))
    (export "tree" (type $named-tree (eq $tree)))
    (type $error (variant (case "not-found") (case "not-a-file") (case "not-a-directory")
      (case "invalid-path" string)))
    (export "error" (type $named-error (eq $error)))
    (export "read" (func (param "tree" $named-tree) (param "path" string) (param "offset" u64)
      (param "length" u64) (result (result (list u8) (error $named-error)))))))
  (core module $heap
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
      (global.set $next (i32.add (local.get $at) (local.get 3)))
      (local.get $at))
  )
  (core instance $heap (instantiate $heap))
  (core func $read (canon lower (func $state "read")
    (memory $heap "memory") (realloc (func $heap "realloc"))))
  (core module $guest
    (import "heap" "memory" (memory 1))
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\05\00\00\00")
    (data (i32.const 100) "check")
    (data (i32.const 120) "note.txt")
    (func (export "verify") (result i32)
      (call $read (i32.const 1) (i32.const 120) (i32.const 8)
        (i64.const 0) (i64.const 1000) (i32.const 200))
      (if (i32.eqz (i32.load8_u (i32.const 200))) (then
        (if (i32.gt_u (i32.load (i32.const 208)) (i32.const 100)) (then
          (loop $for-ever (br $for-ever))))))
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest
    (with "heap" (instance $heap))
    (with "host" (instance (export "read" (func $read))))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory $heap "memory")))
)
