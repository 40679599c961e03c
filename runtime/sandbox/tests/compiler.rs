//! Compilation in a child process with limits, whose death the parent survives.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_sandbox::{
    Cancel, CompileError, CompileLimits, Compiler, EngineKind, Limits, LoadError, Sandbox,
    SandboxConfig, VerifyInput,
};
use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

fn well_behaved() -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile/well-behaved.wat");
    wat::parse_file(file).unwrap()
}

fn compiler(limits: CompileLimits) -> Compiler {
    Compiler {
        limits,
        ..Compiler::new(env!("CARGO_BIN_EXE_mcpmark-compile-guest"), [""; 0])
    }
}

fn program(program: &str, arguments: &[&str], limits: CompileLimits) -> Compiler {
    Compiler {
        limits,
        ..Compiler::new(program, arguments)
    }
}

fn sandbox(compiler: Option<Compiler>, cache: Option<&Path>) -> Sandbox {
    Sandbox::new(&SandboxConfig {
        compiler,
        cache: cache.map(Path::to_owned),
        slots: 1,
        ..SandboxConfig::default()
    })
    .unwrap()
}

/// Returns the error of loading a component with this compiler.
fn refusal(compiler: Compiler, component: &[u8]) -> LoadError {
    match sandbox(Some(compiler), None).verifier(component) {
        Ok(_) => panic!("it was loaded"),
        Err(error) => error,
    }
}

fn leb(mut value: usize, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![id];
    leb(content.len(), &mut bytes);
    bytes.extend_from_slice(content);
    bytes
}

/// Returns a valid component with one module of `functions` functions with `steps` steps each. It is small, but
/// expensive to compile.
fn bomb(functions: usize, steps: usize) -> Vec<u8> {
    // All locals stay live until the end, which makes register allocation hard.
    const LOCALS: usize = 60;
    let mut body = vec![1];
    leb(LOCALS, &mut body);
    body.push(0x7e);
    // A loop with many back edges, each of which carries all locals.
    body.extend([0x03, 0x40]);
    for step in 0..steps {
        let (a, b) = (step * 7 % LOCALS, step * 13 % LOCALS);
        // local[b] = (local[a] * local[b]) rotl local[a]
        body.extend([0x20, a as u8, 0x20, b as u8, 0x7e, 0x20, a as u8, 0x89]);
        body.extend([0x21, b as u8]);
        if step % 8 == 0 {
            body.extend([0x20, a as u8, 0xa7, 0x0d, 0]);
        }
    }
    body.extend([0x0b, 0x0b]);
    let mut types = vec![1];
    types.extend([0x60, 0, 0]);
    let (mut declared, mut code) = (Vec::new(), Vec::new());
    leb(functions, &mut declared);
    leb(functions, &mut code);
    declared.extend(vec![0; functions]);
    for _ in 0..functions {
        leb(body.len(), &mut code);
        code.extend_from_slice(&body);
    }
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &types),
        section(3, &declared),
        section(10, &code),
    ]
    .concat();
    [b"\0asm\x0d\0\x01\0".to_vec(), section(1, &module)].concat()
}

#[test]
fn a_child_compiles_for_either_engine_and_the_result_grades() {
    for engine in [EngineKind::Cranelift, EngineKind::Pulley] {
        let cache = tempfile::tempdir().unwrap();
        let config = SandboxConfig {
            engine,
            cross_check: true,
            compiler: Some(compiler(CompileLimits::default())),
            cache: Some(cache.path().join("compiled")),
            slots: 1,
            ..SandboxConfig::default()
        };
        let sandbox = Sandbox::new(&config).unwrap();
        assert!(sandbox.profile().starts_with(engine.as_str()));
        let verifier = sandbox.verifier(&well_behaved()).unwrap();
        let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
        let input = VerifyInput::new(empty.clone(), empty);
        let run = sandbox.verify(&verifier, input, &Limits::VERIFIER);
        assert!(run.result.unwrap().passed());
        let kept = fs::read_dir(cache.path().join("compiled")).unwrap().count();
        assert_eq!(kept, 3, "one for each engine, and the lock");

        // From here on it is in the cache, and needs no compiler.
        let config = SandboxConfig {
            compiler: None,
            ..config
        };
        Sandbox::new(&config)
            .unwrap()
            .verifier(&well_behaved())
            .unwrap();
    }
}

#[test]
fn a_damaged_artefact_is_not_used_and_is_replaced() {
    let cache = tempfile::tempdir().unwrap();
    let dir = cache.path().join("compiled");
    let sandbox = sandbox(Some(compiler(CompileLimits::default())), Some(&dir));
    sandbox.verifier(&well_behaved()).unwrap();
    let artefact = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "cwasm")
        })
        .unwrap();
    let whole = fs::read(&artefact).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&artefact, &damaged).unwrap();
    sandbox.verifier(&well_behaved()).unwrap();
    assert_eq!(fs::read(&artefact).unwrap(), whole);
}

#[test]
fn without_a_compiler_only_what_is_trusted_is_compiled() {
    let sandbox = sandbox(None, None);
    let error = match sandbox.verifier(&well_behaved()) {
        Ok(_) => panic!("it was loaded"),
        Err(error) => error,
    };
    assert!(error.is_infrastructure(), "{error}");
    assert!(
        error.to_string().contains("`SandboxConfig::compiler`"),
        "{error}"
    );
    sandbox.trusting().verifier(&well_behaved()).unwrap();
    assert!(sandbox.verifier(&well_behaved()).is_err());
}

#[test]
fn the_child_reports_an_invalid_component() {
    let mut broken = well_behaved();
    broken.truncate(broken.len() - 3);
    let error = refusal(compiler(CompileLimits::default()), &broken);
    assert!(
        matches!(error, LoadError::Compile(CompileError::Invalid(_))),
        "{error}"
    );
}

#[test]
fn limits_without_an_end_are_limits() {
    let limits = CompileLimits {
        cpu_seconds: u64::MAX,
        wall_seconds: u64::MAX,
        memory_bytes: u64::MAX,
        code_bytes: u64::MAX,
    };
    let sandbox = sandbox(Some(compiler(limits)), None);
    let guest = sandbox.verifier(&well_behaved()).unwrap();
    let everything = Limits {
        fuel: u64::MAX,
        memory_bytes: u64::MAX,
        table_elements: u64::MAX,
        time_ms: u64::MAX,
        copy_bytes: u64::MAX,
        log_bytes: u64::MAX,
        output_bytes: u64::MAX,
        checks: u64::MAX,
    };
    let nothing = Snapshot {
        tree: Tree::empty(),
        blobs: Arc::new(MemoryBlobs::new()),
    };
    let input = VerifyInput::new(nothing.clone(), nothing);
    let verdict = sandbox.verify(&guest, input, &everything).result.unwrap();
    assert!(verdict.passed());
}

#[test]
fn a_compile_bomb_meets_each_limit_by_name() {
    let bomb = bomb(2, 700_000);
    let generous = CompileLimits {
        cpu_seconds: 3600,
        wall_seconds: 3600,
        memory_bytes: 8 << 30,
        ..CompileLimits::default()
    };
    for (limits, limit, allowed) in [
        (
            CompileLimits {
                cpu_seconds: 1,
                ..generous
            },
            "cpu_seconds",
            "1 s of processor time",
        ),
        (
            CompileLimits {
                wall_seconds: 1,
                ..generous
            },
            "wall_seconds",
            "1 s",
        ),
        (
            CompileLimits {
                memory_bytes: 128 << 20,
                ..generous
            },
            "memory_bytes",
            "128 MiB of memory",
        ),
    ] {
        let error = refusal(compiler(limits), &bomb);
        let expected = CompileError::Limit {
            limit,
            allowed: allowed.to_owned(),
        };
        assert_eq!(error, LoadError::Compile(expected));
        assert!(!error.is_infrastructure());
        assert!(
            error.to_string().contains(&format!("limit `{limit}`")),
            "{error}"
        );
    }
    let few = CompileLimits {
        code_bytes: 100,
        ..generous
    };
    let error = refusal(compiler(few), &well_behaved());
    assert!(error.to_string().contains("`code_bytes`"), "{error}");
}

#[test]
fn a_compiler_that_breaks_or_is_none_is_said_so() {
    let limits = CompileLimits::default();
    let shell = |script| program("/bin/sh", &["-c", script], limits);
    let crashed = |message: &str| CompileError::Crashed(message.to_owned());
    let component = well_behaved();
    for (compiler, expected) in [
        (shell("kill -SEGV $$"), crashed("terminated by signal 11")),
        (
            shell("echo first >&2; echo overflow >&2; exit 70"),
            crashed("exited with code 70: overflow"),
        ),
        (
            program("/bin/cat", &[], limits),
            CompileError::Host(
                "the configured program is not a compiler; it must call `serve_compiler`".into(),
            ),
        ),
        (
            shell("printf 'no such register'; exit 12"),
            crashed("no such register"),
        ),
        // SIGKILL from outside says nothing about the component.
        (
            shell("kill -KILL $$"),
            CompileError::Host(
                "the compiler was killed by another process, or by the system because memory ran out"
                    .into(),
            ),
        ),
        (
            shell("kill -XCPU $$"),
            CompileError::Limit {
                limit: "cpu_seconds",
                allowed: "60 s of processor time".into(),
            },
        ),
        // Its environment has the number of threads and nothing else.
        (
            shell(
                "tr '\\0=' '\\n\\n' </proc/$$/environ | grep -v '^[0-9]*$' | tr '\\n' ' ' >&2; exit 70",
            ),
            crashed("exited with code 70: RAYON_NUM_THREADS"),
        ),
        // A grandchild that keeps the pipes open does not block the parent.
        (
            shell("sleep 3600 & exit 70"),
            crashed("exited with code 70"),
        ),
    ] {
        assert_eq!(refusal(compiler, &component), LoadError::Compile(expected));
    }
    let error = refusal(program("/no/such/compiler", &[], limits), &component);
    assert!(error.is_infrastructure());
    assert!(error.to_string().contains("/no/such/compiler"), "{error}");
}

#[test]
fn a_child_that_hangs_or_never_stops_writing_is_stopped() {
    let limits = CompileLimits {
        wall_seconds: 1,
        ..CompileLimits::default()
    };
    // The last script closes its output and continues.
    for script in [
        "sleep 3600",
        "sleep 3600 >/dev/null",
        "exec >&-; sleep 3600",
    ] {
        let error = refusal(program("/bin/sh", &["-c", script], limits), &well_behaved());
        assert!(error.to_string().contains("`wall_seconds`"), "{error}");
    }
    let limits = CompileLimits {
        code_bytes: 1 << 20,
        wall_seconds: 3600,
        memory_bytes: 8 << 30,
        ..CompileLimits::default()
    };
    let error = refusal(program("/bin/cat", &["/dev/zero"], limits), &well_behaved());
    assert!(error.to_string().contains("`code_bytes`"), "{error}");
}

/// A compiler process that has its limits and waits for its component.
struct Waiting(std::process::Child);

impl Waiting {
    fn start(limits: CompileLimits) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcpmark-compile-guest"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.as_mut().unwrap();
        input.write_all(&request(limits)).unwrap();
        Self(child)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn request(limits: CompileLimits) -> Vec<u8> {
    let profile = sandbox(None, None).profile();
    let limits = serde_json::to_value(limits).unwrap();
    let request = serde_json::json!({
        "engine": "cranelift",
        "form": "guest",
        "profile": profile,
        "limits": limits,
    });
    format!("{request}\n").into_bytes()
}

/// Returns a file of a process in `/proc` as soon as it contains `text`. Fails after a minute.
#[cfg(target_os = "linux")]
fn proc_file(process: u32, file: &str, text: &str) -> String {
    let mut found = String::new();
    for _ in 0..6_000 {
        found = fs::read_to_string(format!("/proc/{process}/{file}")).unwrap();
        if found.contains(text) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{file} has no {text:?}: {found}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_child_gives_up_what_it_has_no_use_for_before_it_sees_the_component() {
    let limits = CompileLimits {
        cpu_seconds: 7,
        memory_bytes: 600 << 20,
        ..CompileLimits::default()
    };
    let child = Waiting::start(limits);
    let process = child.0.id();
    // The limit that is set last.
    let found = proc_file(process, "limits", &row("Max cpu time", 7, 8, "seconds"));
    for expected in [
        row("Max file size", 0, 0, "bytes"),
        row("Max core file size", 0, 0, "bytes"),
        row("Max data size", 600 << 20, 600 << 20, "bytes"),
        row(
            "Max address space",
            (600 << 20) + (4 << 30),
            (600 << 20) + (4 << 30),
            "bytes",
        ),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found}");
    }
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    assert!(status.contains("NoNewPrivs:\t1\n"), "{status}");
}

#[test]
fn a_child_that_gets_no_threads_compiles_with_one() {
    // The stacks need more memory than the limit, so that the thread pool cannot start.
    let limits = CompileLimits {
        memory_bytes: 128 << 20,
        ..CompileLimits::default()
    };
    let attempt = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcpmark-compile-guest"))
            // As the parent starts it. With RUST_BACKTRACE, the panic would need memory beyond the limit.
            .env_clear()
            .env("RAYON_NUM_THREADS", "1000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(&request(limits)).unwrap();
        input.write_all(&well_behaved()).unwrap();
        drop(input);
        child.wait_with_output().unwrap()
    };
    // The last thread that starts can lack the memory for its signal stack, for which Rust ends the process.
    let outputs = std::iter::repeat_with(attempt).take(10);
    let is_aborted = |output: &std::process::Output| {
        String::from_utf8_lossy(&output.stderr).contains("alternative stack")
    };
    let output = outputs.into_iter().find(|output| !is_aborted(output));
    let output = output.expect("each attempt was aborted by a thread without a signal stack");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(output.stdout.starts_with(b"mcpmark code 1\r\n"));
    assert!(errors.contains("ThreadPoolBuildError"), "{errors}");
}

/// Formats a line of `/proc/<process>/limits`.
#[cfg(target_os = "linux")]
fn row(name: &str, soft: u64, hard: u64, unit: &str) -> String {
    format!("{name:<25} {soft:<20} {hard:<20} {unit}")
}

#[cfg(target_os = "linux")]
#[test]
fn the_child_dies_with_its_parent() {
    let dir = tempfile::tempdir().unwrap();
    let request_file = dir.path().join("request");
    fs::write(&request_file, request(CompileLimits::default())).unwrap();
    // The shell is the parent. It keeps the other end of the child's input open, in itself and in a process that
    // outlives it, so that the child does not end because its input ends.
    let script = format!(
        "mkfifo input; (cat request; exec sleep 600) >input & echo $!; {} <input >/dev/null & echo $!; wait",
        env!("CARGO_BIN_EXE_mcpmark-compile-guest")
    );
    let mut shell = Command::new("/bin/sh")
        .args(["-c", &script])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(shell.stdout.take().unwrap()).lines();
    let mut number = || lines.next().unwrap().unwrap().parse::<u32>().unwrap();
    let (feeder, compiler) = (number(), number());
    proc_file(compiler, "limits", &row("Max cpu time", 60, 61, "seconds"));
    assert!(is_alive(compiler));
    shell.kill().unwrap();
    shell.wait().unwrap();
    let died = (0..6_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_alive(compiler)
    });
    let fed = is_alive(feeder);
    Command::new("/bin/kill")
        .args(["-KILL", &feeder.to_string()])
        .status()
        .unwrap();
    assert!(fed, "its input came to an end");
    assert!(died, "it lives on");
}

/// Reports whether a process exists and is not a zombie.
#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.as_bytes()[0]);
    state.is_some_and(|state| !b"ZX".contains(&state))
}

#[test]
fn a_compilation_ends_when_it_is_cancelled() {
    let waits = |cancel: &Cancel| {
        let limits = CompileLimits {
            wall_seconds: 3600,
            ..CompileLimits::default()
        };
        let sleeps = program("/bin/sh", &["-c", "sleep 3600"], limits);
        sandbox(Some(sleeps), None).cancelled_by(cancel.clone())
    };
    let cancel = Cancel::new();
    let sandbox = waits(&cancel);
    let cores = std::thread::available_parallelism().unwrap().get();
    let component = well_behaved();
    std::thread::scope(|scope| {
        // More threads than concurrent compilations: some compile, and others wait for a slot.
        let threads: Vec<_> = (0..cores + 2)
            .map(|_| scope.spawn(|| sandbox.verifier(&component).err().unwrap()))
            .collect();
        std::thread::sleep(Duration::from_millis(50));
        cancel.cancel();
        for thread in threads {
            let error = thread.join().unwrap();
            assert!(error.is_infrastructure());
            assert!(error.to_string().contains("cancelled"), "{error}");
        }
    });
}
