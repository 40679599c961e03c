//! Grades on threads of an embedder with less stack than a guest may use. The test has its own process, because a stack
//! overflow would end it.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use mcpmark_sandbox::{
    EngineKind, FaultKind, Limits, RunError, Sandbox, SandboxConfig, VerifyInput,
};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

fn guest(name: &str) -> Vec<u8> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile");
    wat::parse_file(directory.join(name).with_extension("wat")).unwrap()
}

/// Grades three guests on a thread with this stack size: an honest one, and two that exhaust their stack.
fn grade_on(stack: usize, engine: EngineKind) {
    let config = SandboxConfig {
        engine,
        slots: 1,
        ..SandboxConfig::default()
    };
    let sandbox = Sandbox::new(&config).unwrap().trusting();
    let load = |name| sandbox.verifier(&guest(name)).unwrap();
    let [honest, deep, large] = [
        "well-behaved",
        "endless-recursion",
        "recursion-with-large-frames",
    ]
    .map(load);
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    let grade = |verifier| {
        let input = VerifyInput::new(empty.clone(), empty.clone());
        sandbox.verify(verifier, input, &Limits::VERIFIER).result
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack);
        let on_it = || {
            for _ in 0..20 {
                assert!(grade(&honest).unwrap().passed());
                for verifier in [&deep, &large] {
                    match grade(verifier) {
                        Err(RunError::Fault(fault)) if fault.kind == FaultKind::Trap => {
                            assert!(fault.message.contains("524288 bytes of stack"), "{fault}");
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        };
        thread.spawn_scoped(scope, on_it).unwrap().join().unwrap();
    });
}

#[test]
fn a_guest_has_all_its_stack_on_a_thread_that_has_less() {
    for engine in [EngineKind::Cranelift, EngineKind::Pulley] {
        for kib in [128, 256, 512, 768, 1024, 4096] {
            grade_on(kib << 10, engine);
        }
    }
}
