;; Verifier that sends the lines of its parameters as statements. Each line has a check, whose detail is the first value
;; of the result, `null`, `none` if there are no rows, or the SQLSTATE of the error.
;;
;; A line is a query, after `s` for the starting or `f` for the final state. After a first line `!`, the lines are the
;; steps in one copy of the final state: `+role` opens a session of a role, `*name` one of a superuser, `-name` ends a
;; session, and `name:statement` runs a statement in one.
(component
  (type $parameters (instance (export "get" (func (result string)))))
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters (type $parameters)))
  (type $database (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $value' (option string))
    (export "value" (type $value (eq $value')))
    (type $column' (record (field "name" string) (field "type-name" string)))
    (export "column" (type $column (eq $column')))
    (type $rows' (record (field "columns" (list $column)) (field "rows" (list (list $value)))
      (field "affected" (option u64))))
    (export "rows" (type $rows (eq $rows')))
    (type $error' (record (field "code" string) (field "message" string) (field "detail" (option string))
      (field "hint" (option string)) (field "schema" (option string)) (field "table" (option string))
      (field "column" (option string)) (field "constraint" (option string))))
    (export "error" (type $error (eq $error')))
    (type $login' (record (field "session" string) (field "role" (option string))))
    (export "login" (type $login (eq $login')))
    (type $statement' (record (field "session" string) (field "text" string) (field "parameters" (list $value))))
    (export "statement" (type $statement (eq $statement')))
    (type $step' (variant (case "login" $login) (case "execute" $statement) (case "logout" string)))
    (export "step" (type $step (eq $step')))
    (export "query" (func (param "tree" $tree) (param "text" string) (param "parameters" (list $value))
      (result (result $rows (error $error)))))
    (export "scratch" (func (param "tree" $tree) (param "clock" (option s64)) (param "steps" (list $step))
      (result (list (result $rows (error $error))))))))
  (import "mcpmark:sql/database@0.1.0" (instance $database (type $database)))
  (core module $memory
    (memory (export "memory") 800)
    (global $heap (mut i32) (i32.const 65536))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $at i32)
      (local.set $at (i32.and (i32.add (global.get $heap) (i32.const 7)) (i32.const -8)))
      (global.set $heap (i32.add (local.get $at) (local.get 3)))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (core func $get (canon lower (func $parameters "get")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core func $query (canon lower (func $database "query")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core func $scratch (canon lower (func $database "scratch")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
  (core module $guest
    (import "host" "get" (func $get (param i32)))
    (import "host" "query" (func $query (param i32 i32 i32 i32 i32 i32)))
    (import "host" "scratch" (func $scratch (param i32 i32 i64 i32 i32 i32)))
    (import "host" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
    (import "host" "memory" (memory 1))
    (data (i32.const 0) "none")
    (data (i32.const 8) "null")
    (global $at (mut i32) (i32.const 0))
    (global $end (mut i32) (i32.const 0))
    (global $checks (mut i32) (i32.const 0))
    (global $count (mut i32) (i32.const 0))

    (func $alloc (param $bytes i32) (result i32)
      (call $realloc (i32.const 0) (i32.const 0) (i32.const 8) (local.get $bytes)))

    ;; The place of the next byte of this value, or the end.
    (func $find (param $from i32) (param $byte i32) (result i32)
      (loop $next
        (if (i32.lt_u (local.get $from) (global.get $end)) (then
          (if (i32.ne (i32.load8_u (local.get $from)) (local.get $byte)) (then
            (local.set $from (i32.add (local.get $from) (i32.const 1)))
            (br $next))))))
      (local.get $from))

    ;; Writes the check of a line: its name, and the result as its detail.
    (func $told (param $line i32) (param $length i32) (param $result i32)
      (local $check i32) (local $text i32) (local $size i32) (local $row i32)
      (local.set $check (i32.add (global.get $checks) (i32.mul (global.get $count) (i32.const 20))))
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      (local.set $text (i32.const 0))
      (local.set $size (i32.const 4))
      (if (i32.load8_u (local.get $result))
        (then
          (local.set $text (i32.load offset=8 (local.get $result)))
          (local.set $size (i32.load offset=12 (local.get $result))))
        (else
          (if (i32.load offset=20 (local.get $result)) (then
            (local.set $row (i32.load (i32.load offset=16 (local.get $result))))
            (if (i32.load8_u (local.get $row))
              (then
                (local.set $text (i32.load offset=4 (local.get $row)))
                (local.set $size (i32.load offset=8 (local.get $row))))
              (else (local.set $text (i32.const 8))))))))
      (i32.store (local.get $check) (local.get $line))
      (i32.store offset=4 (local.get $check) (local.get $length))
      (i32.store8 offset=8 (local.get $check) (i32.const 1))
      (i32.store offset=12 (local.get $check) (local.get $text))
      (i32.store offset=16 (local.get $check) (local.get $size)))

    (func $queries
      (local $line i32) (local $length i32) (local $result i32)
      (loop $next
        (if (i32.lt_u (global.get $at) (global.get $end)) (then
          (local.set $line (i32.add (global.get $at) (i32.const 1)))
          (local.set $length (i32.sub (call $find (local.get $line) (i32.const 10)) (local.get $line)))
          (local.set $result (call $alloc (i32.const 96)))
          (call $query (i32.eq (i32.load8_u (global.get $at)) (i32.const 102)) (local.get $line) (local.get $length)
            (i32.const 0) (i32.const 0) (local.get $result))
          (call $told (local.get $line) (local.get $length) (local.get $result))
          (global.set $at (i32.add (i32.add (local.get $line) (local.get $length)) (i32.const 1)))
          (br $next)))))

    ;; Writes one step, of which the line has the given end.
    (func $step (param $step i32) (param $end i32)
      (local $sign i32) (local $name i32) (local $length i32)
      (local.set $sign (i32.load8_u (global.get $at)))
      (local.set $name (i32.add (global.get $at) (i32.const 1)))
      (local.set $length (i32.sub (local.get $end) (local.get $name)))
      (if (i32.or (i32.eq (local.get $sign) (i32.const 43)) (i32.eq (local.get $sign) (i32.const 42)))
        (then
          (i32.store8 (local.get $step) (i32.const 0))
          (i32.store offset=4 (local.get $step) (local.get $name))
          (i32.store offset=8 (local.get $step) (local.get $length))
          (i32.store8 offset=12 (local.get $step) (i32.eq (local.get $sign) (i32.const 43)))
          (i32.store offset=16 (local.get $step) (local.get $name))
          (i32.store offset=20 (local.get $step) (local.get $length))
          (return)))
      (if (i32.eq (local.get $sign) (i32.const 45))
        (then
          (i32.store8 (local.get $step) (i32.const 2))
          (i32.store offset=4 (local.get $step) (local.get $name))
          (i32.store offset=8 (local.get $step) (local.get $length))
          (return)))
      (local.set $name (call $find (global.get $at) (i32.const 58)))
      (i32.store8 (local.get $step) (i32.const 1))
      (i32.store offset=4 (local.get $step) (global.get $at))
      (i32.store offset=8 (local.get $step) (i32.sub (local.get $name) (global.get $at)))
      (local.set $name (i32.add (local.get $name) (i32.const 1)))
      (i32.store offset=12 (local.get $step) (local.get $name))
      (i32.store offset=16 (local.get $step) (i32.sub (local.get $end) (local.get $name)))
      (i32.store offset=20 (local.get $step) (i32.const 0))
      (i32.store offset=24 (local.get $step) (i32.const 0)))

    (func $steps
      (local $steps i32) (local $lines i32) (local $number i32) (local $end i32) (local $results i32) (local $place i32)
      (local.set $steps (call $alloc (i32.mul (i32.const 28) (i32.const 100))))
      (local.set $lines (call $alloc (i32.mul (i32.const 8) (i32.const 100))))
      (loop $next
        (if (i32.lt_u (global.get $at) (global.get $end)) (then
          (local.set $end (call $find (global.get $at) (i32.const 10)))
          (call $step (i32.add (local.get $steps) (i32.mul (local.get $number) (i32.const 28))) (local.get $end))
          (local.set $place (i32.add (local.get $lines) (i32.mul (local.get $number) (i32.const 8))))
          (i32.store (local.get $place) (global.get $at))
          (i32.store offset=4 (local.get $place) (i32.sub (local.get $end) (global.get $at)))
          (local.set $number (i32.add (local.get $number) (i32.const 1)))
          (global.set $at (i32.add (local.get $end) (i32.const 1)))
          (br $next))))
      (call $scratch (i32.const 1) (i32.const 0) (i64.const 0) (local.get $steps) (local.get $number) (i32.const 1032))
      (local.set $results (i32.load (i32.const 1032)))
      (local.set $end (i32.load (i32.const 1036)))
      (local.set $number (i32.const 0))
      (loop $next
        (if (i32.lt_u (local.get $number) (local.get $end)) (then
          (local.set $place (i32.add (local.get $lines) (i32.mul (local.get $number) (i32.const 8))))
          (call $told (i32.load (local.get $place)) (i32.load offset=4 (local.get $place))
            (i32.add (local.get $results) (i32.mul (local.get $number) (i32.const 96))))
          (local.set $number (i32.add (local.get $number) (i32.const 1)))
          (br $next)))))

    (func (export "verify") (result i32)
      (call $get (i32.const 1024))
      (global.set $at (i32.load (i32.const 1024)))
      (global.set $end (i32.add (global.get $at) (i32.load (i32.const 1028))))
      (global.set $checks (call $alloc (i32.mul (i32.const 20) (i32.const 100))))
      (if (i32.eq (i32.load8_u (global.get $at)) (i32.const 33))
        (then
          (global.set $at (i32.add (global.get $at) (i32.const 2)))
          (call $steps))
        (else (call $queries)))
      (i32.store (i32.const 512) (global.get $checks))
      (i32.store (i32.const 516) (global.get $count))
      (i32.const 512))
  )
  (core instance $host
    (export "get" (func $get))
    (export "query" (func $query))
    (export "scratch" (func $scratch))
    (export "realloc" (func $memory "realloc"))
    (export "memory" (memory $memory "memory")))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check' (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (export $check "check" (type $check'))
  (func (export "verify") (result (list $check)) (canon lift (core func $guest "verify")
    (memory (core memory $memory "memory")) (realloc (core func $memory "realloc"))))
)
