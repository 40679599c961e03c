//! The sandbox embedded in another program that offers an interface of its own.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcpmark_sandbox::wasmtime::{self, StoreContextMut};
use mcpmark_sandbox::{
    CALL_COST, EngineError, Fault, FaultKind, Interface, Limits, LoadError, Run, RunError, Sandbox,
    SandboxConfig, Snapshot, Verdict, VerifierHost, VerifyInput,
};
use mcpmark_snapshot::{File, MemoryBlobs, Tree, TreeBuilder, TreePath};

const NUMBERS: &str = "probe:data/numbers@0.1.0";

/// Data from which the interface answers.
struct Numbers {
    answer: Box<dyn Fn(u32) -> wasmtime::Result<u64> + Send + Sync>,
    /// Fuel charged for each answer.
    fuel: u64,
}

impl Numbers {
    fn new(answer: impl Fn(u32) -> wasmtime::Result<u64> + Send + Sync + 'static) -> Self {
        let answer = Box::new(answer);
        Self { answer, fuel: 0 }
    }
}

fn numbers(name: &'static str) -> Interface {
    Interface::new(name, "read numbers", move |linker| {
        let at = |mut store: StoreContextMut<'_, VerifierHost>, (index,): (u32,)| {
            let host = store.data_mut();
            host.charge(8)?;
            let numbers = host.data::<Numbers>()?;
            host.charge_fuel(numbers.fuel)?;
            Ok(((numbers.answer)(index)?,))
        };
        linker.instance(name)?.func_wrap("at", at)
    })
}

/// Returns a guest that imports `at` from the interface `name` and runs `body`. The body may write the byte at 40,
/// which decides whether the check passes.
fn guest(name: &str, function: &str, export: &str, body: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(component
  (import "{name}" (instance $numbers (export "at" {function})))
  (core func $at (canon lower (func $numbers "at")))
  (core module $guest
    (import "host" "at" (func $at (param i32) (result i64)))
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\02\00\00\00\01")
    (data (i32.const 100) "ab")
    (func (export "run") (result i32) {body} (i32.const 16)))
  (core instance $host (export "at" (func $at)))
  (core instance $guest (instantiate $guest (with "host" (instance $host))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "{export}") (result (list $check-type))
    (canon lift (core func $guest "run") (memory (core memory $guest "memory"))))
)"#
    ))
    .unwrap()
}

const FUNCTION: &str = r#"(func (param "index" u32) (result u64))"#;
/// Body whose check passes if the number at index 3 is 7.
const ASKS_ONCE: &str =
    "(i32.store8 (i32.const 40) (i64.eq (call $at (i32.const 3)) (i64.const 7)))";

fn asks(body: &str) -> Vec<u8> {
    guest(NUMBERS, FUNCTION, "verify", body)
}

fn config() -> SandboxConfig {
    SandboxConfig {
        interfaces: vec![numbers(NUMBERS)],
        slots: 1,
        ..SandboxConfig::default()
    }
}

fn offering() -> Sandbox {
    Sandbox::new(&config()).unwrap().trusting()
}

fn input() -> VerifyInput {
    let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
    VerifyInput::new(empty.clone(), empty)
}

fn grade(sandbox: &Sandbox, body: &str, numbers: Numbers, limits: &Limits) -> Run<Verdict> {
    let verifier = sandbox.verifier(&asks(body)).unwrap();
    sandbox.verify(&verifier, input().with(numbers), limits)
}

fn fault(run: Run<Verdict>) -> Fault {
    match run.result {
        Err(RunError::Fault(fault)) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

fn host_message(run: Run<Verdict>) -> String {
    match run.result {
        Err(RunError::Host(message)) => message,
        other => panic!("the host is not to blame: {other:?}"),
    }
}

fn refusal(sandbox: &Sandbox, component: &[u8]) -> String {
    match sandbox.verifier(component) {
        Ok(_) => panic!("it was loaded"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_grade_is_answered_from_its_own_data() {
    let sandbox = offering();
    let verifier = sandbox.verifier(&asks(ASKS_ONCE)).unwrap();
    for (number, passed) in [(7, true), (8, false), (7, true)] {
        let numbers = Numbers::new(move |index| Ok(if index == 3 { number } else { 0 }));
        let run = sandbox.verify(&verifier, input().with(numbers), &Limits::VERIFIER);
        assert_eq!(run.result.unwrap().passed(), passed);
    }
    // The last value of a type replaces earlier ones.
    let input = input()
        .with(Numbers::new(|_| Ok(0)))
        .with(Numbers::new(|_| Ok(7)));
    let run = sandbox.verify(&verifier, input, &Limits::VERIFIER);
    assert!(run.result.unwrap().passed());
}

#[test]
fn only_the_very_names_that_were_added_are_accepted() {
    let cache = tempfile::tempdir().unwrap();
    let with_cache = |config: SandboxConfig| {
        let cache = Some(cache.path().join("compiled"));
        let config = SandboxConfig { cache, ..config };
        Sandbox::new(&config).unwrap().trusting()
    };
    let (offering, plain) = (with_cache(config()), with_cache(SandboxConfig::default()));
    let component = asks(ASKS_ONCE);
    offering.verifier(&component).unwrap();
    // The machine code is in the shared cache, which makes no difference.
    assert_eq!(
        refusal(&plain, &component),
        "imports `probe:data/numbers@0.1.0`, which a verifier may not import; it may import \
         state, answer, parameters and log of mcpmark:guest@0.1.0, and cli, clocks, filesystem, \
         io and random of WASI 0.2"
    );
    for name in [
        "probe:data/numbers@0.1.1",
        "probe:data/numbers@0.2.0",
        "probe:data/numbers",
        "probe:data/letters@0.1.0",
        "wasi:clocks/monotonic-clock@0.3.0",
        "mcpmark:guest/tools@0.1.0",
    ] {
        let message = refusal(&offering, &guest(name, FUNCTION, "verify", ""));
        assert!(
            message.contains(&format!("imports `{name}`"))
                && message
                    .contains("log of mcpmark:guest@0.1.0, and probe:data/numbers@0.1.0, and cli,"),
            "{message}"
        );
    }
    let other_type = r#"(func (param "index" u32) (result s64))"#;
    match offering.verifier(&guest(NUMBERS, other_type, "verify", "")) {
        Err(LoadError::Contract { message, .. }) => {
            assert!(message.contains(NUMBERS), "{message}");
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was loaded"),
    }
}

#[test]
fn only_verifiers_are_accepted() {
    let sandbox = offering();
    for export in ["setup", "solve"] {
        let component = guest(NUMBERS, FUNCTION, export, "");
        let error = match export {
            "setup" => sandbox.setup(&component).err(),
            _ => sandbox.solution(&component).err(),
        };
        assert!(
            matches!(&error, Some(LoadError::Imports { imports, .. }) if imports == &[NUMBERS]),
            "{error:?}"
        );
        assert!(
            sandbox.inspect(&component).unwrap().imports[0]
                .allows
                .is_none()
        );
    }
}

#[test]
fn inspection_says_what_it_allows_where_it_is_offered() {
    let component = asks(ASKS_ONCE);
    assert_eq!(
        offering().inspect(&component).unwrap().summary(),
        "can read numbers; nothing else"
    );
    assert_eq!(
        mcpmark_sandbox::inspect(&component, &[]).unwrap().summary(),
        "can compute; asks for one thing that it is not given"
    );
}

#[test]
fn calls_are_charged_to_the_byte_and_work_to_the_unit() {
    let sandbox = offering();
    let run = |fuel: u64, limits: Limits| {
        let numbers = Numbers {
            fuel,
            ..Numbers::new(|_| Ok(7))
        };
        grade(&sandbox, ASKS_ONCE, numbers, &limits)
    };
    let free = run(0, Limits::VERIFIER);
    let own = free.fuel;
    assert!(free.result.unwrap().passed());

    let copied = |copy_bytes| Limits {
        copy_bytes,
        ..Limits::VERIFIER
    };
    assert!(run(0, copied(CALL_COST + 8)).result.unwrap().passed());
    assert_eq!(fault(run(0, copied(CALL_COST + 7))).kind, FaultKind::Copy);

    let fuelled = |fuel| Limits {
        fuel,
        ..Limits::VERIFIER
    };
    let exact = run(1000, fuelled(own + 1000));
    assert_eq!(exact.fuel, own + 1000);
    assert!(exact.result.unwrap().passed());
    for charged in [1001, u64::MAX] {
        let fault = fault(run(charged, fuelled(own + 1000)));
        assert_eq!(fault.kind, FaultKind::Fuel);
        assert!(fault.message.contains("(limit `fuel`"), "{fault}");
    }
}

#[test]
fn a_guest_that_never_stops_asking_is_stopped() {
    let sandbox = offering();
    let asks_on = "(loop $again (drop (call $at (i32.const 0))) (br $again))";
    let limits = Limits {
        fuel: 1_000_000,
        ..Limits::VERIFIER
    };
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let numbers = Numbers {
        fuel: 1_000,
        ..Numbers::new(move |_| Ok(counted.fetch_add(1, Ordering::Relaxed)))
    };
    assert_eq!(
        fault(grade(&sandbox, asks_on, numbers, &limits)).kind,
        FaultKind::Fuel
    );
    assert!(calls.load(Ordering::Relaxed) <= 1_000);
    let limits = Limits {
        copy_bytes: 100_000,
        ..Limits::VERIFIER
    };
    let run = grade(&sandbox, asks_on, Numbers::new(|_| Ok(0)), &limits);
    assert_eq!(fault(run).kind, FaultKind::Copy);
}

#[test]
fn errors_of_the_embedder_are_not_blamed_on_the_guest() {
    let sandbox = offering();
    let verifier = sandbox.verifier(&asks(ASKS_ONCE)).unwrap();
    let run = sandbox.verify(&verifier, input(), &Limits::VERIFIER);
    let message = host_message(run);
    assert!(
        message.contains("Numbers`; set it with `SandboxConfig::data` or `VerifyInput::with`"),
        "{message}"
    );
    // A verifier that does not call the interface needs no data.
    let silent = sandbox.verifier(&asks("")).unwrap();
    let run = sandbox.verify(&silent, input(), &Limits::VERIFIER);
    assert!(run.result.unwrap().passed());

    let graded = |numbers| grade(&sandbox, ASKS_ONCE, numbers, &Limits::VERIFIER);
    let lost = Numbers::new(|_| Err(VerifierHost::host_error("the ledger is lost")));
    assert_eq!(host_message(graded(lost)), "the ledger is lost");
    let breaks = Numbers::new(|index| panic!("no number {index}"));
    assert_eq!(
        host_message(graded(breaks)),
        "the host panicked: no number 3"
    );
    let refuses = Numbers::new(|_| Err(wasmtime::Error::msg("there is no such number")));
    let fault = fault(graded(refuses));
    assert_eq!(fault.kind, FaultKind::Trap);
    assert!(fault.message.contains("there is no such number"), "{fault}");
    // The next grade is not affected.
    assert!(graded(Numbers::new(|_| Ok(7))).result.unwrap().passed());
}

#[test]
fn a_cross_check_asks_the_same_data_twice() {
    let both = Sandbox::new(&SandboxConfig {
        cross_check: true,
        ..config()
    });
    let both = both.unwrap().trusting();
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let steady = Numbers::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(7)
    });
    let run = grade(&both, ASKS_ONCE, steady, &Limits::VERIFIER);
    assert!(run.result.unwrap().passed());
    assert_eq!(calls.load(Ordering::Relaxed), 2);

    let next = AtomicU64::new(7);
    let unsteady = Numbers::new(move |_| Ok(next.fetch_add(1, Ordering::Relaxed)));
    let run = grade(&both, ASKS_ONCE, unsteady, &Limits::VERIFIER);
    assert_eq!(fault(run).kind, FaultKind::Disagreement);
}

#[test]
fn a_state_that_does_not_hold_what_it_says_is_not_graded() {
    let sandbox = offering();
    let component = wat::parse_str(include_str!("../examples/guests/greeting.wat")).unwrap();
    let verifier = sandbox.verifier(&component).unwrap();
    let blobs = Arc::new(MemoryBlobs::new());
    let content = blobs.put("hello");
    let run = |size| {
        let mut tree = TreeBuilder::new();
        let file = File {
            size,
            executable: false,
            modified: None,
            content,
        };
        let path = TreePath::parse("greeting.txt").unwrap();
        tree.insert_file(&path, file).unwrap();
        let end = Snapshot::new(tree.finish(), blobs.clone());
        let input = VerifyInput::new(Snapshot::new(Tree::empty(), blobs.clone()), end);
        sandbox.verify(&verifier, input, &Limits::VERIFIER)
    };
    assert!(run(5).result.unwrap().passed());
    // The file is read whole for the smaller size, and in part for the larger one.
    for size in [3, 20] {
        let message = host_message(run(size));
        assert!(message.contains("is damaged: expected "), "{message}");
    }
}

#[test]
fn an_interface_that_cannot_be_offered_is_named() {
    let named = |name: &'static str| numbers(name);
    let nothing = Interface::new("probe:data/none@0.1.0", "read nothing", |_| Ok(()));
    // Shadows an interface of the sandbox, or another one of the embedder.
    let shadows = |other: &'static str| {
        Interface::new("probe:data/more@0.1.0", "read more", move |linker| {
            linker.allow_shadowing(true);
            linker
                .instance("probe:data/more@0.1.0")?
                .func_wrap("at", |_, (_,): (u32,)| Ok((7_u64,)))?;
            linker
                .instance(other)?
                .func_wrap("stat", |_, (_,): (u32,)| Ok((7_u64,)))
        })
    };
    for (interfaces, name, words) in [
        (
            vec![named("mcpmark:guest/state@0.1.0")],
            "mcpmark:guest/state@0.1.0",
            "reserved for the contract",
        ),
        (vec![named(NUMBERS), named(NUMBERS)], NUMBERS, "twice"),
        (
            vec![nothing],
            "probe:data/none@0.1.0",
            "does not define that name",
        ),
        (
            vec![shadows("mcpmark:guest/state@0.1.0")],
            "probe:data/more@0.1.0",
            "also defines `mcpmark:guest/state@0.1.0`, which belongs to another interface",
        ),
        (
            vec![numbers(NUMBERS), shadows(NUMBERS)],
            "probe:data/more@0.1.0",
            "also defines `probe:data/numbers@0.1.0`",
        ),
    ] {
        let config = SandboxConfig {
            interfaces,
            ..config()
        };
        match Sandbox::new(&config).err() {
            Some(EngineError::Interface {
                name: refused,
                message,
            }) => {
                assert_eq!(refused, name);
                assert!(message.contains(words), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the output of an example. Examples are built with the tests of this package.
fn example(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap().join("examples").join(name);
    let output = Command::new(&built)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo test`", built.display()));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_examples_do_what_they_say() {
    assert_eq!(
        example("grade"),
        "score 1: [Check { name: \"greeting.txt says hello\", passed: true, detail: \"\" }]\n"
    );
    assert_eq!(
        example("interface"),
        "the verifier can read the starting and the final state; can read the orders of the day; \
         nothing else\n\
         42 of 42 loaves: passed is true\n\
         42 of 40 loaves: passed is false\n\
         where it is not offered, the verifier is refused: it imports \
         `bakery:orders/today@1.0.0`, which a verifier may not import; it may import state, answer, \
         parameters and log of mcpmark:guest@0.1.0, and cli, clocks, filesystem, io and random of WASI 0.2\n"
    );
}

#[test]
fn nothing_of_the_services_the_journal_or_an_async_runtime_comes_with_it() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "mcpmark-sandbox", "--edges", "normal"])
        .args([
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--offline",
            "--locked",
        ])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let tree = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.contains(&"wasmtime") && names.contains(&"mcpmark-snapshot"));
    let ours = ["mcpmark-sandbox", "mcpmark-snapshot", "mcpmark-verdict"];
    for name in names {
        let foreign = [
            "tokio",
            "rmcp",
            "rusqlite",
            "libsqlite3-sys",
            "hyper",
            "clap",
        ];
        assert!(!foreign.contains(&name), "{name} comes with the sandbox");
        assert!(
            !name.starts_with("mcpmark") || ours.contains(&name),
            "{name} comes with the sandbox"
        );
    }
}
