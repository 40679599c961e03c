//! Grades on a machine without free memory. The test has its own process, because the limit applies to the whole
//! process.

#![cfg(target_os = "linux")]

use std::fs;
use std::sync::Arc;

use mcpmark_sandbox::{Limits, RunError, Sandbox, SandboxConfig, Verifier, VerifyInput};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Returns a verifier whose check passes if it got all of its memory.
fn verifier(sandbox: &Sandbox, pages: u32, grow: u32) -> Verifier {
    let component = wat::parse_str(format!(
        r#"(component
  (core module $guest
    (memory (export "memory") {pages})
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "verify") (result i32)
      (i32.store8 (i32.const 40) (i32.ne (memory.grow (i32.const {grow})) (i32.const -1)))
      (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "verify") (memory (core memory $guest "memory")))))"#
    ));
    sandbox.verifier(&component.unwrap()).unwrap()
}

fn data_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmData:"))
        .unwrap();
    let kib = line.trim().trim_end_matches(" kB");
    kib.parse::<u64>().unwrap() << 10
}

#[test]
fn a_host_without_memory_gives_no_verdict_and_no_fault() {
    let sandbox = Sandbox::new(&SandboxConfig {
        slots: 1,
        ..SandboxConfig::default()
    });
    let sandbox = sandbox.unwrap().trusting();
    let grows = verifier(&sandbox, 1, 900);
    let born = verifier(&sandbox, 900, 0);
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    let grade = |verifier| {
        let input = VerifyInput::new(empty.clone(), empty.clone());
        sandbox.verify(verifier, input, &Limits::VERIFIER).result
    };

    let before = getrlimit(Resource::Data);
    let scarce = Rlimit {
        current: Some(data_bytes() + (16 << 20)),
        ..before
    };
    setrlimit(Resource::Data, scarce).unwrap();
    let failed = [&grows, &born].map(grade);
    setrlimit(Resource::Data, before).unwrap();
    for result in failed {
        match result {
            Err(RunError::Host(message)) => {
                assert!(message.contains("os error 12"), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    // The slot can be used again.
    for verifier in [&grows, &born] {
        assert!(grade(verifier).unwrap().passed());
    }
}
