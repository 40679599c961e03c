;; what: a blob with fewer bytes than it says
;; world: blob-that-lies
;; expect: world
;; message: the repository is damaged
(call $read-blob (i32.const 1) (global.get $blob) (i32.const 40) (i32.const 512))
