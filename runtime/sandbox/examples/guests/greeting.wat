;; Passes if greeting.txt, as the agent left it, says hello.
(component
  (type $state (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $error' (variant (case "not-found") (case "not-a-file") (case "not-a-directory") (case "invalid-path" string)))
    (export "error" (type $error (eq $error')))
    (export "read" (func (param "tree" $tree) (param "path" string) (param "offset" u64) (param "length" u64)
      (result (result (list u8) (error $error)))))))
  (import "mcpmark:guest/state@0.1.0" (instance $state (type $state)))

  (core module $memory
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $memory (instantiate $memory))
  (core func $read (canon lower (func $state "read")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))

  (core module $guest
    (import "host" "memory" (memory 1))
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    ;; The list of checks: one, with its name and without a detail.
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\17\00\00\00")
    (data (i32.const 100) "greeting.txt says hello")
    (data (i32.const 200) "greeting.txt")
    (data (i32.const 220) "hello\00\00\00")

    (func (export "verify") (result i32)
      (call $read (i32.const 1) (i32.const 200) (i32.const 12) (i64.const 0) (i64.const 8) (i32.const 300))
      ;; The file is there, has 5 bytes, and they are the right ones.
      (i32.store8 (i32.const 40)
        (i32.and
          (i32.and (i32.eqz (i32.load8_u (i32.const 300))) (i32.eq (i32.load (i32.const 308)) (i32.const 5)))
          (i64.eq (i64.load (i32.load (i32.const 304))) (i64.load (i32.const 220)))))
      (i32.const 16)))
  (core instance $host (export "memory" (memory $memory "memory")) (export "read" (func $read)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
