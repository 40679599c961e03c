;; Passes if delivery.txt, as the agent left it, holds the number of loaves that the shop
;; `corner` ordered. A verifier in Rust says this in two lines; here no compiler is needed.
(component
  (type $state (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $error' (variant (case "not-found") (case "not-a-file") (case "not-a-directory") (case "invalid-path" string)))
    (export "error" (type $error (eq $error')))
    (export "read" (func (param "tree" $tree) (param "path" string) (param "offset" u64) (param "length" u64)
      (result (result (list u8) (error $error)))))))
  (import "mcpmark:guest/state@0.1.0" (instance $state (type $state)))
  (import "bakery:orders/today@1.0.0" (instance $orders
    (export "loaves" (func (param "shop" string) (result (option u32))))))

  (core module $memory
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $memory (instantiate $memory))
  (core func $read (canon lower (func $state "read")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core func $loaves (canon lower (func $orders "loaves") (memory (core memory $memory "memory"))))

  (core module $guest
    (import "host" "memory" (memory 1))
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    (import "host" "loaves" (func $loaves (param i32 i32 i32)))
    ;; The list of checks: one, with its name and without a detail.
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\17\00\00\00")
    (data (i32.const 100) "as many as were ordered")
    (data (i32.const 200) "delivery.txt")
    (data (i32.const 220) "corner")

    ;; The number that the digits at $at say, up to the first that is none.
    (func $number (param $at i32) (param $length i32) (result i32)
      (local $number i32) (local $digit i32)
      (block $end
        (loop $next
          (br_if $end (i32.eqz (local.get $length)))
          (local.set $digit (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
          (br_if $end (i32.gt_u (local.get $digit) (i32.const 9)))
          (local.set $number (i32.add (i32.mul (local.get $number) (i32.const 10)) (local.get $digit)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $length (i32.sub (local.get $length) (i32.const 1)))
          (br $next)))
      (local.get $number))

    (func (export "verify") (result i32)
      (call $read (i32.const 1) (i32.const 200) (i32.const 12) (i64.const 0) (i64.const 9) (i32.const 300))
      (call $loaves (i32.const 220) (i32.const 6) (i32.const 320))
      ;; Passed: the file is there, the shop ordered, and the numbers are equal.
      (i32.store8 (i32.const 40)
        (i32.and
          (i32.and (i32.eqz (i32.load8_u (i32.const 300))) (i32.load8_u (i32.const 320)))
          (i32.eq
            (call $number (i32.load (i32.const 304)) (i32.load (i32.const 308)))
            (i32.load (i32.const 324)))))
      (i32.const 16)))
  (core instance $host
    (export "memory" (memory $memory "memory"))
    (export "read" (func $read))
    (export "loaves" (func $loaves)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $memory "memory"))))
)
