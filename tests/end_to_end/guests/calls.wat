;; A solution that makes fixed calls, whatever their results, and answers "done". The test fills in TEXTS and CALLS.
(component
  (import "mcpmark:guest/tools@0.1.0" (instance $tools
    (type $blob' (record (field "mime-type" string) (field "data" string)))
    (export "blob" (type $blob (eq $blob')))
    (type $content' (variant (case "text" string) (case "image" $blob) (case "audio" $blob) (case "other" string)))
    (export "content" (type $content (eq $content')))
    (type $output' (record (field "content" (list $content)) (field "structured" (option string))
      (field "is-error" bool)))
    (export "output" (type $output (eq $output')))
    (export "call" (func (param "name" string) (param "arguments" string)
      (result (result $output (error string)))))))
  (core module $heap
    (memory (export "memory") 64)
    ;; The results are not read, so that each may overwrite the previous one.
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536)))
  (core instance $heap (instantiate $heap))
  (core func $call (canon lower (func $tools "call")
    (memory (core memory $heap "memory")) (realloc (core func $heap "realloc"))))
  (core module $guest
    (import "heap" "memory" (memory 1))
    (import "host" "call" (func $call (param i32 i32 i32 i32 i32)))
    (data (i32.const 16) "\20\00\00\00\04\00\00\00")
    (data (i32.const 32) "done")
    (data (i32.const 1024) "TEXTS")
    (func (export "solve") (result i32)
      CALLS
      (i32.const 16))
  )
  (core instance $guest (instantiate $guest
    (with "heap" (instance $heap))
    (with "host" (instance (export "call" (func $call))))))
  (func (export "solve") (result string)
    (canon lift (core func $guest "solve") (memory (core memory $heap "memory"))))
)
