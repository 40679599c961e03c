;; A guest that does what bytes say. The file `image` of the final state becomes its memory,
;; from address 0; then it makes the calls that are written there, and returns the pointer
;; that is written there.
;;
;;      0  the pointer that `verify` returns
;;      4  not 0: the allocator answers in turn with the four numbers at 8
;;      8  four numbers
;;     24  how many calls, up to 15
;;     32  a call: which, a tree, a pointer, a length, an offset and a length of 8 bytes each,
;;         where the result goes, and 4 bytes of nothing
;;     72  the next call, and so on
(component
  (type $state (instance
    (type $tree' (enum "start" "final"))
    (export "tree" (type $tree (eq $tree')))
    (type $kind' (enum "directory" "file" "symlink"))
    (export "kind" (type $kind (eq $kind')))
    (type $entry' (record (field "path" string) (field "kind" $kind) (field "size" u64)
      (field "executable" bool) (field "modified" (option s64)) (field "target" (option string))
      (field "digest" string)))
    (export "entry" (type $entry (eq $entry')))
    (type $error' (variant (case "not-found") (case "not-a-file") (case "not-a-directory") (case "invalid-path" string)))
    (export "error" (type $error (eq $error')))
    (type $change-kind' (enum "added" "removed" "modified"))
    (export "change-kind" (type $change-kind (eq $change-kind')))
    (type $change' (record (field "path" string) (field "kind" $change-kind)
      (field "before" (option $entry)) (field "after" (option $entry))))
    (export "change" (type $change (eq $change')))
    (export "stat" (func (param "tree" $tree) (param "path" string) (result (result $entry (error $error)))))
    (export "list" (func (param "tree" $tree) (param "path" string) (result (result (list $entry) (error $error)))))
    (export "walk" (func (param "tree" $tree) (param "path" string) (result (result (list $entry) (error $error)))))
    (export "read" (func (param "tree" $tree) (param "path" string) (param "offset" u64) (param "length" u64)
      (result (result (list u8) (error $error)))))
    (export "changes" (func (result (list $change))))))
  (import "mcpmark:guest/state@0.1.0" (instance $state (type $state)))
  (import "mcpmark:guest/answer@0.1.0" (instance $answer (export "get" (func (result (option string))))))
  (import "mcpmark:guest/parameters@0.1.0" (instance $parameters (export "get" (func (result string)))))
  (import "mcpmark:guest/log@0.1.0" (instance $log
    (export "write" (func (param "message" string)))
    (export "panic" (func (param "message" string)))))

  (core module $memory
    (memory (export "memory") 2)
    (global $free (mut i32) (i32.const 0))
    (global $turn (mut i32) (i32.const 0))
    (func (export "realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32)
      (local $at i32)
      (if (i32.load (i32.const 4))
        (then
          (global.set $turn (i32.and (i32.add (global.get $turn) (i32.const 1)) (i32.const 3)))
          (return (i32.load (i32.add (i32.const 8) (i32.shl (global.get $turn) (i32.const 2)))))))
      (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
      (global.set $free (i32.add (local.get $at) (local.get $new)))
      (local.get $at)))
  (core instance $memory (instantiate $memory))
  (alias core export $memory "memory" (core memory $m))
  (alias core export $memory "realloc" (core func $realloc))

  (core func $load (canon lower (func $state "read") (memory $m) (realloc $realloc)))
  (core func $stat (canon lower (func $state "stat") (memory $m) (realloc $realloc) ENCODING))
  (core func $list (canon lower (func $state "list") (memory $m) (realloc $realloc) ENCODING))
  (core func $walk (canon lower (func $state "walk") (memory $m) (realloc $realloc) ENCODING))
  (core func $read (canon lower (func $state "read") (memory $m) (realloc $realloc) ENCODING))
  (core func $changes (canon lower (func $state "changes") (memory $m) (realloc $realloc) ENCODING))
  (core func $answer (canon lower (func $answer "get") (memory $m) (realloc $realloc) ENCODING))
  (core func $parameters (canon lower (func $parameters "get") (memory $m) (realloc $realloc) ENCODING))
  (core func $write (canon lower (func $log "write") (memory $m) ENCODING))
  (core func $panic (canon lower (func $log "panic") (memory $m) ENCODING))

  (core module $guest
    (import "host" "memory" (memory 2))
    (import "host" "load" (func $load (param i32 i32 i32 i64 i64 i32)))
    (import "host" "stat" (func $stat (param i32 i32 i32 i32)))
    (import "host" "list" (func $list (param i32 i32 i32 i32)))
    (import "host" "walk" (func $walk (param i32 i32 i32 i32)))
    (import "host" "read" (func $read (param i32 i32 i32 i64 i64 i32)))
    (import "host" "changes" (func $changes (param i32)))
    (import "host" "answer" (func $answer (param i32)))
    (import "host" "parameters" (func $parameters (param i32)))
    (import "host" "write" (func $write (param i32 i32)))
    (import "host" "panic" (func $panic (param i32 i32)))
    ;; Beyond what an image can reach.
    (data (i32.const 131000) "image")

    (func $call (param $at i32)
      (local $tree i32) (local $pointer i32) (local $length i32) (local $result i32)
      (local.set $tree (i32.load offset=4 (local.get $at)))
      (local.set $pointer (i32.load offset=8 (local.get $at)))
      (local.set $length (i32.load offset=12 (local.get $at)))
      (local.set $result (i32.load offset=32 (local.get $at)))
      (block $panic (block $write (block $parameters (block $answer (block $changes (block $read (block $walk (block $list (block $stat
        (br_table $stat $list $walk $read $changes $answer $parameters $write $panic
          (i32.rem_u (i32.load (local.get $at)) (i32.const 9))))
        (return (call $stat (local.get $tree) (local.get $pointer) (local.get $length) (local.get $result))))
        (return (call $list (local.get $tree) (local.get $pointer) (local.get $length) (local.get $result))))
        (return (call $walk (local.get $tree) (local.get $pointer) (local.get $length) (local.get $result))))
        (return (call $read (local.get $tree) (local.get $pointer) (local.get $length)
          (i64.load offset=16 (local.get $at)) (i64.load offset=24 (local.get $at)) (local.get $result))))
        (return (call $changes (local.get $result))))
        (return (call $answer (local.get $result))))
        (return (call $parameters (local.get $result))))
        (return (call $write (local.get $pointer) (local.get $length))))
        (call $panic (local.get $pointer) (local.get $length)))

    (func (export "verify") (result i32)
      (local $at i32) (local $calls i32)
      (call $load (i32.const 1) (i32.const 131000) (i32.const 5) (i64.const 0) (i64.const 65536) (i32.const 131020))
      (local.set $calls (i32.and (i32.load8_u (i32.const 24)) (i32.const 15)))
      (local.set $at (i32.const 32))
      (block $end
        (loop $next
          (br_if $end (i32.eqz (local.get $calls)))
          (call $call (local.get $at))
          (local.set $at (i32.add (local.get $at) (i32.const 40)))
          (local.set $calls (i32.sub (local.get $calls) (i32.const 1)))
          (br $next)))
      (i32.load (i32.const 0))))
  (core instance $host
    (export "memory" (memory $m))
    (export "load" (func $load))
    (export "stat" (func $stat))
    (export "list" (func $list))
    (export "walk" (func $walk))
    (export "read" (func $read))
    (export "changes" (func $changes))
    (export "answer" (func $answer))
    (export "parameters" (func $parameters))
    (export "write" (func $write))
    (export "panic" (func $panic)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory $m) ENCODING))
)
