;; A verifier that says why it gives up, and traps.
(component
  (import "mcpmark:guest/log@0.1.0" (instance $log
    (export "panic" (func (param "message" string)))))
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
  (core func $panic (canon lower (func $log "panic") (memory $heap "memory")))
  (core module $guest
    (import "heap" "memory" (memory 1))
    (import "host" "panic" (func $panic (param i32 i32)))
    (data (i32.const 100) "the ledger has no header")
    (func (export "verify") (result i32)
      (call $panic (i32.const 100) (i32.const 24))
      (unreachable))
  )
  (core instance $guest (instantiate $guest
    (with "heap" (instance $heap))
    (with "host" (instance (export "panic" (func $panic))))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory $heap "memory")))
)
