//! Fuzz target of components: inspection, loading, and a run with little fuel.

use std::sync::{Arc, LazyLock};

use mcpmark_sandbox::{
    GuestKind, Limits, LoadError, RunError, Sandbox, SandboxConfig, SetupInput, VerifyInput,
};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

/// Maximum length of an error message about a guest, in bytes.
const MESSAGE: usize = 16 << 10;

static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let config = SandboxConfig {
        slots: 1,
        max_component_bytes: 64 << 10,
        ..SandboxConfig::default()
    };
    Sandbox::new(&config).unwrap().trusting()
});

pub(crate) fn run(bytes: &[u8]) {
    let inspection = SANDBOX.inspect(bytes);
    // A component without a known export is loaded as a verifier, which must fail.
    let kind = inspection.as_ref().ok().and_then(|it| it.kind);
    let loaded = match kind {
        Some(GuestKind::Setup) => SANDBOX.setup(bytes).map(|setup| {
            let input = SetupInput {
                seed: 1,
                clock: 0,
                parameters: "{}".into(),
                max_bytes: 1 << 20,
                max_entries: 100,
            };
            let run = SANDBOX.build_world(&setup, input, &limits());
            blames_the_guest(&run.result.map(drop));
        }),
        Some(GuestKind::Solution) => SANDBOX.solution(bytes).map(drop),
        Some(GuestKind::Interpreter) => SANDBOX.interpreter(bytes).map(drop),
        Some(GuestKind::Site) => SANDBOX.site(bytes).map(drop),
        Some(GuestKind::Verifier) | None => SANDBOX.verifier(bytes).map(|verifier| {
            let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
            let input = VerifyInput::new(empty.clone(), empty);
            let run = SANDBOX.verify(&verifier, input, &limits());
            blames_the_guest(&run.result.map(drop));
        }),
    };
    match (inspection, loaded) {
        (Ok(inspection), Ok(())) => {
            assert!(inspection.kind.is_some());
            let offered = |it: &mcpmark_sandbox::Capability| it.allows.is_some();
            assert!(inspection.imports.iter().all(offered), "{inspection:?}");
        }
        (Err(error), Ok(())) => panic!("it loads, and inspection says: {error}"),
        (inspection, Err(error)) => {
            assert!(!error.is_infrastructure(), "{error}");
            assert!(error.to_string().len() <= MESSAGE);
            if let LoadError::Imports { imports, .. } = error {
                assert!(!imports.is_empty());
                let inspection = inspection.expect("it could be compiled");
                // A component without a known export has no kind, and therefore no allowed imports.
                if inspection.kind.is_some() {
                    let disallowed = inspection.imports.into_iter();
                    let disallowed = disallowed.filter(|it| it.allows.is_none());
                    let disallowed: Vec<String> = disallowed.map(|it| it.import).collect();
                    assert_eq!(imports, disallowed);
                }
            }
        }
    }
}

fn limits() -> Limits {
    Limits {
        fuel: 100_000,
        copy_bytes: 1 << 20,
        ..Limits::VERIFIER
    }
}

fn blames_the_guest(result: &Result<(), RunError>) {
    match result {
        Ok(()) => {}
        Err(RunError::Fault(fault)) => assert!(fault.message.len() <= MESSAGE),
        Err(RunError::World(message) | RunError::Host(message)) => {
            panic!("the host failed: {message}")
        }
    }
}
