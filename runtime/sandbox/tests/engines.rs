//! Agreement of the two engines, and the fault if they disagree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_sandbox::{
    EngineKind, Fault, FaultKind, Limits, RunError, Sandbox, SandboxConfig, Verdict, VerifyInput,
};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

fn hostile() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile")
}

fn sandbox(engine: EngineKind, cross_check: bool) -> Sandbox {
    Sandbox::new(&SandboxConfig {
        engine,
        cross_check,
        slots: 1,
        ..SandboxConfig::default()
    })
    .unwrap()
    .trusting()
}

/// Returns the verdict or the fault, and the used fuel.
fn grade(sandbox: &Sandbox, component: &[u8]) -> (Result<Verdict, Fault>, u64) {
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    let input = VerifyInput::new(empty.clone(), empty);
    // Less fuel than the default, because the interpreter is slow.
    let limits = Limits {
        fuel: 20_000_000,
        ..Limits::VERIFIER
    };
    let verifier = sandbox.verifier(component).unwrap();
    let run = sandbox.verify(&verifier, input, &limits);
    match run.result {
        Ok(verdict) => (Ok(verdict), run.fuel),
        Err(RunError::Fault(fault)) => (Err(fault), run.fuel),
        Err(RunError::World(message) | RunError::Host(message)) => panic!("{message}"),
    }
}

#[test]
fn hostile_guests_get_the_same_outcome_for_the_same_fuel() {
    let engines = [EngineKind::Cranelift, EngineKind::Pulley].map(|kind| sandbox(kind, false));
    let mut compared = 0;
    for entry in fs::read_dir(hostile()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "wat") {
            continue;
        }
        let component = wat::parse_file(&path).unwrap();
        if engines[0].verifier(&component).is_err() {
            assert!(engines[1].verifier(&component).is_err(), "{path:?}");
            continue;
        }
        let [(first, first_fuel), (second, second_fuel)] =
            [0, 1].map(|engine| grade(&engines[engine], &component));
        match (first, second) {
            (Ok(first), Ok(second)) => assert_eq!(first, second, "{path:?}"),
            (Err(first), Err(second)) => {
                assert_eq!(first.kind, second.kind, "{path:?}");
                // The recursion depth that fits a stack of the same size depends on the engine.
                if first.message.contains("call stack exhausted") {
                    continue;
                }
            }
            (first, second) => panic!("{path:?}: {first:?} and {second:?}"),
        }
        assert_eq!(first_fuel, second_fuel, "{path:?}");
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} guests were compared");
}

/// Returns a verifier that calls itself `depth` times before it passes.
fn descends(depth: u32) -> Vec<u8> {
    let text = fs::read_to_string(hostile().join("well-behaved.wat")).unwrap();
    let down = format!(
        r#"(func $down (param i32) (result i32)
            (if (result i32) (local.get 0)
                (then (i32.add (call $down (i32.sub (local.get 0) (i32.const 1))) (local.get 0)))
                (else (i32.const 1))))
        (func (export "verify") (result i32)
            (drop (call $down (i32.const {depth})))
            (i32.const 16))"#
    );
    let body = r#"(func (export "verify") (result i32) (i32.const 16))"#;
    assert!(text.contains(body));
    wat::parse_str(text.replace(body, &down)).unwrap()
}

#[test]
fn a_disagreement_is_a_fault_that_says_who_says_what() {
    let deepest = |kind| {
        let sandbox = sandbox(kind, false);
        let (mut fits, mut overflows) = (1, 1 << 20);
        while overflows - fits > 1 {
            let middle = fits + (overflows - fits) / 2;
            match grade(&sandbox, &descends(middle)).0 {
                Ok(_) => fits = middle,
                Err(_) => overflows = middle,
            }
        }
        fits
    };
    let (machine, interpreter) = (deepest(EngineKind::Cranelift), deepest(EngineKind::Pulley));
    assert_ne!(machine, interpreter);
    let between = machine.min(interpreter) + machine.abs_diff(interpreter).div_ceil(2);

    let both = sandbox(EngineKind::Cranelift, true);
    let (result, _) = grade(&both, &descends(machine.min(interpreter)));
    assert!(result.unwrap().passed());
    let (result, _) = grade(&both, &descends(machine.max(interpreter) + 1));
    assert_eq!(result.unwrap_err().kind, FaultKind::Trap);
    let (result, _) = grade(&both, &descends(between));
    let fault = result.unwrap_err();
    assert_eq!(fault.kind, FaultKind::Disagreement);
    for part in [
        "cranelift: ",
        "pulley: ",
        "call stack exhausted",
        "1 of 1 checks passed",
    ] {
        assert!(fault.message.contains(part), "{fault}");
    }
}

#[test]
fn a_verifier_of_another_sandbox_is_not_graded() {
    let alone = sandbox(EngineKind::Cranelift, false);
    let both = sandbox(EngineKind::Cranelift, true);
    let component = wat::parse_file(hostile().join("well-behaved.wat")).unwrap();
    let verifier = alone.verifier(&component).unwrap();
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    let input = VerifyInput::new(empty.clone(), empty);
    let run = both.verify(&verifier, input, &Limits::VERIFIER);
    assert!(matches!(run.result, Err(RunError::Host(_))));
}
