//! Arena: grades a guest between two honest grades, and checks that no file changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use libtest_mimic::Failed;
use mcpmark_sandbox::{
    CompileLimits, Compiler, Limits, LoadError, Log, Printed, Run, RunError, Sandbox,
    SandboxConfig, Verdict, Verifier, VerifyInput,
};
use mcpmark_snapshot::{CaptureOptions, Digest, Snapshot, Store, capture};

use crate::{cases, corpus};

/// Guest and its expected outcome.
#[derive(Clone, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// Expected kind: `graded passed`, `graded failed`, `refused`, or `fault` and its kind.
    pub(crate) expect: String,
    /// Expected kind under the tighter limits of the long runs, if it differs.
    pub(crate) soon: Option<String>,
    /// Text that the message contains.
    pub(crate) message: String,
    /// Name of the first check.
    pub(crate) check: Option<String>,
    /// True if log lines are dropped.
    pub(crate) dropped: bool,
    /// Name of a guest that is graded just before, in the same slot.
    pub(crate) after: Option<String>,
    pub(crate) parameters: Option<String>,
    pub(crate) component: Source,
}

#[derive(Clone, Default)]
pub(crate) enum Source {
    Wat(PathBuf),
    /// Guest of `tests/hostile/rust`.
    #[default]
    Rust,
    /// Function that makes the component only when it is needed, because it may be large.
    Made(fn() -> Vec<u8>),
}

impl Source {
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Failed> {
        match self {
            // A program of WASI 0.1 is a core module, which `mcpmark` converts to a component.
            Self::Wat(path) => {
                let bytes = wat::parse_file(path)?;
                Ok(mcpmark_build::adapt(&bytes)?.into_owned())
            }
            Self::Rust => corpus::rust_guest()
                .map(<[u8]>::to_vec)
                .map_err(Failed::from),
            Self::Made(make) => Ok(make()),
        }
    }
}

/// Outcome of a guest.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) log: Log,
    pub(crate) printed: Option<Printed>,
    pub(crate) fuel: u64,
}

impl From<Run<Verdict>> for Outcome {
    fn from(run: Run<Verdict>) -> Self {
        let (kind, message, verdict) = match run.result {
            Ok(verdict) if verdict.passed() => {
                ("graded passed".into(), String::new(), Some(verdict))
            }
            Ok(verdict) => ("graded failed".into(), String::new(), Some(verdict)),
            Err(RunError::Fault(fault)) => (format!("fault {}", fault.kind), fault.message, None),
            Err(RunError::World(message)) => ("world".into(), message, None),
            Err(RunError::Host(message)) => ("host".into(), message, None),
        };
        Self {
            kind,
            message,
            verdict,
            log: run.log,
            printed: run.printed,
            fuel: run.fuel,
        }
    }
}

pub(crate) struct Arena {
    pub(crate) sandbox: Sandbox,
    pub(crate) honest: Verifier,
    pub(crate) input: VerifyInput,
    expected: Outcome,
    root: tempfile::TempDir,
    turn: Mutex<()>,
}

impl Arena {
    pub(crate) fn shared() -> &'static Self {
        static ARENA: LazyLock<Arena> = LazyLock::new(Arena::new);
        &ARENA
    }

    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path().join("store")).unwrap();
        let world = |name: &str, greeting: &str| {
            let dir = root.path().join(name);
            fs::create_dir_all(dir.join("many")).unwrap();
            fs::write(dir.join("hello.txt"), greeting).unwrap();
            fs::write(dir.join("cafe\u{301}.txt"), "decomposed").unwrap();
            for number in 0..200 {
                fs::write(
                    dir.join("many").join(number.to_string()),
                    number.to_string(),
                )
                .unwrap();
            }
            for (link, target) in [("up", "many"), ("self", "self"), ("dangling", "nowhere")] {
                std::os::unix::fs::symlink(target, dir.join(link)).unwrap();
            }
            let tree = capture(&dir, &store, &CaptureOptions::default()).unwrap();
            Snapshot::new(tree, std::sync::Arc::new(store.clone()))
        };
        let input = VerifyInput {
            answer: Some("done".into()),
            ..VerifyInput::new(world("start", "hallo"), world("end", "hello"))
        };
        let sandbox = sandbox(1);
        let honest = cases::directory().join("state-offsets-at-the-edge.wat");
        let honest = sandbox.verifier(&wat::parse_file(honest).unwrap()).unwrap();
        let expected = sandbox
            .verify(&honest, input.clone(), &Limits::VERIFIER)
            .into();
        Self {
            sandbox,
            honest,
            input,
            expected,
            root,
            turn: Mutex::new(()),
        }
    }

    /// Grades a guest twice between honest grades, and checks everything that must hold.
    pub(crate) fn judge(&self, case: &Case) -> Result<(), Failed> {
        let before = match &case.after {
            Some(name) => {
                let bytes = corpus::named(name).bytes()?;
                Some(
                    self.sandbox
                        .verifier(&bytes)
                        .map_err(|error| error.to_string())?,
                )
            }
            None => None,
        };
        let bytes = case.component.bytes()?;
        let loaded = self.sandbox.verifier(&bytes);

        self.between_honest_grades(|| {
            let outcome = match &loaded {
                Ok(verifier) => {
                    let grade = || {
                        if let Some(before) = &before {
                            self.grade(before, case);
                        }
                        self.grade(verifier, case)
                    };
                    let (first, second) = (grade(), grade());
                    if first != second {
                        return fail(format!("two runs differ: {first:?} and {second:?}"));
                    }
                    first
                }
                Err(error) => refused(error),
            };
            check(case, &outcome)
        })
    }

    /// Runs `hostile` while no other test runs, and checks that an honest grade and the files do not change.
    pub(crate) fn between_honest_grades(
        &self,
        hostile: impl FnOnce() -> Result<(), Failed>,
    ) -> Result<(), Failed> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let files = self.files();
        self.honest_grade("before")?;
        let result = hostile();
        self.honest_grade("after")?;
        if self.files() != files {
            return fail("a file was touched".into());
        }
        result
    }

    /// Returns fingerprints of two directories: the store with the worlds, and the working directory with the home of
    /// this process.
    fn files(&self) -> [Files; 2] {
        let watched = std::env::var_os(crate::WATCHED).unwrap();
        [self.root.path(), Path::new(&watched)].map(fingerprint)
    }

    pub(crate) fn grade(&self, verifier: &Verifier, case: &Case) -> Outcome {
        let mut input = self.input.clone();
        if let Some(parameters) = &case.parameters {
            input.parameters = parameters.clone();
        }
        self.sandbox
            .verify(verifier, input, &Limits::VERIFIER)
            .into()
    }

    fn honest_grade(&self, when: &str) -> Result<(), Failed> {
        let run = self
            .sandbox
            .verify(&self.honest, self.input.clone(), &Limits::VERIFIER);
        let outcome = Outcome::from(run);
        if outcome == self.expected && outcome.kind == "graded passed" {
            return Ok(());
        }
        fail(format!("the honest grade {when} it is {outcome:?}"))
    }
}

/// Returns a sandbox configured as on a host: a child process compiles components.
pub(crate) fn sandbox(slots: u32) -> Sandbox {
    Sandbox::new(&SandboxConfig {
        compiler: Some(compiler(CompileLimits {
            cpu_seconds: 4,
            memory_bytes: 1 << 30,
            ..CompileLimits::default()
        })),
        slots,
        ..SandboxConfig::default()
    })
    .unwrap()
}

pub(crate) fn compiler(limits: CompileLimits) -> Compiler {
    Compiler {
        limits,
        ..Compiler::new(env!("CARGO_BIN_EXE_mcpmark-compile-guest"), [""; 0])
    }
}

pub(crate) fn refused(error: &LoadError) -> Outcome {
    let kind = if error.is_infrastructure() {
        "host"
    } else {
        "refused"
    };
    Outcome {
        kind: kind.into(),
        message: error.to_string(),
        verdict: None,
        log: Log::default(),
        printed: None,
        fuel: 0,
    }
}

fn check(case: &Case, outcome: &Outcome) -> Result<(), Failed> {
    let names = outcome
        .verdict
        .as_ref()
        .map(Verdict::checks)
        .unwrap_or_default();
    let check = case.check.as_ref();
    if outcome.kind == case.expect
        && outcome.message.contains(&case.message)
        && check.is_none_or(|name| names.first().is_some_and(|first| &first.name == name))
        && case.dropped == (outcome.log.dropped > 0)
        // Without an expected message, any reason would be accepted.
        && (outcome.kind.starts_with("graded") || !case.message.is_empty())
        && outcome.message.len() < 16 << 10
    {
        return Ok(());
    }
    let failed: Vec<_> = names.iter().filter(|check| !check.passed).take(3).collect();
    let (first, dropped) = (names.first().map(|check| &check.name), outcome.log.dropped);
    fail(format!(
        "expected {:?} with {:?} and check {check:?}, got {:?}: {:?}; first check {first:?}, failed {failed:?}, {dropped} lines dropped",
        case.expect, case.message, outcome.kind, outcome.message
    ))
}

pub(crate) fn fail<T>(message: String) -> Result<T, Failed> {
    Err(Failed::from(message))
}

/// Size, time of change and content of each path.
type Files = BTreeMap<PathBuf, (u64, i64, i64, Option<Digest>)>;

/// Returns size, time of change and content of everything below a directory.
fn fingerprint(root: &Path) -> Files {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        }
        let content = metadata
            .is_file()
            .then(|| Digest::of(&fs::read(&path).unwrap()));
        found.insert(
            path,
            (
                metadata.len(),
                metadata.ctime(),
                metadata.ctime_nsec(),
                content,
            ),
        );
    }
    found
}
