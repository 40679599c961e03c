//! Compiling guests in another process.
//!
//! Compiling is not guarded by wasmtime: a crafted component may take minutes or
//! gigabytes, or break the compiler. So it happens in a child that has limits of its own
//! and that this process outlives. [`serve_compiler`](crate::serve_compiler) is the child's side.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::{Deserialize, Serialize};

use crate::{Cancel, EngineKind};

/// The program that compiles components for a [`Sandbox`](crate::Sandbox).
///
/// It is started once for each component that is not in the cache, with an empty
/// environment, and must call [`serve_compiler`](crate::serve_compiler). What it
/// returns is machine code that this process runs: name no program that others may write to.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The program.
    pub program: PathBuf,
    /// What it is called with.
    pub arguments: Vec<OsString>,
    /// What one compilation may use.
    pub limits: CompileLimits,
}

/// What the compilation of one component may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileLimits {
    /// Seconds of processor time, all threads together.
    pub cpu_seconds: u64,
    /// Seconds on the clock.
    pub wall_seconds: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of machine code.
    pub code_bytes: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            cpu_seconds: 60,
            wall_seconds: 120,
            memory_bytes: 2 << 30,
            code_bytes: 512 << 20,
        }
    }
}

/// Why a component could not be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// It is not a valid component, or uses a feature that is switched off.
    #[error("not a valid component: {0}")]
    Invalid(String),
    /// It takes more than it may.
    #[error(
        "compiling it takes more than {allowed} (limit `{limit}` of the compiler; who runs this host may raise it)"
    )]
    Limit {
        /// The field of [`CompileLimits`].
        limit: &'static str,
        /// Its value in words.
        allowed: String,
    },
    /// It would need more instances, memories, tables or globals than a guest can have.
    #[error(
        "it needs more than this host gives a guest: {0} (fixed, so that guests can be kept apart cheaply)"
    )]
    NoRoom(String),
    /// The compiler broke while it worked on it.
    #[error("the compiler broke on it: {0}")]
    Crashed(String),
    /// There is no compiler, or it cannot be used; the component is not to blame.
    #[error("cannot compile it: {0}")]
    Host(String),
}

/// What a component is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// A guest of one of the pure worlds.
    Guest,
    /// The guest that runs scripts.
    Interpreter,
}

/// What the child is asked; one line of JSON before the component.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) engine: EngineKind,
    pub(crate) form: Form,
    pub(crate) profile: String,
    pub(crate) limits: CompileLimits,
}

/// Stands before what the child answers, so that the output of another program is not
/// taken for machine code.
pub(crate) const ANSWER: &[u8; 16] = b"mcpmark code 1\r\n";
/// The child's exit code for a component that is not valid.
pub(crate) const INVALID: u8 = 10;
/// The child's exit code for a request that it cannot serve.
pub(crate) const UNABLE: u8 = 11;
/// The child's exit code where the compiler broke.
pub(crate) const BROKEN: u8 = 12;

/// More of an error than this is not read.
const MESSAGE_BYTES: u64 = 16 << 10;
/// Threads of one compilation; each costs address space.
const MAX_THREADS: usize = 4;

impl Compiler {
    /// A program with the usual limits.
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            limits: CompileLimits::default(),
        }
    }

    pub(crate) fn compile(
        &self,
        component: &[u8],
        (engine, form): (EngineKind, Form),
        profile: &str,
        cancel: Option<&Cancel>,
    ) -> Result<Vec<u8>, CompileError> {
        let limits = self.limits;
        let request = Request {
            engine,
            form,
            profile: profile.to_owned(),
            limits,
        };
        let mut request = serde_json::to_vec(&request).map_err(CompileError::host)?;
        request.push(b'\n');
        // More time than the clock can count is no limit.
        let deadline = Instant::now().checked_add(Duration::from_secs(limits.wall_seconds));
        let mut child = self.start()?;
        let outcome = converse(
            &mut child,
            &[request.as_slice(), component],
            limits,
            Patience { deadline, cancel },
        )?;
        outcome.judge(limits)
    }

    fn start(&self) -> Result<Running, CompileError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .env("RAYON_NUM_THREADS", threads.min(MAX_THREADS).to_string())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Of its own, so that whatever it starts can be stopped with it.
            .process_group(0);
        command.spawn().map(Running).map_err(|error| {
            let program = self.program.display();
            CompileError::Host(format!("the compiler {program} cannot be started: {error}"))
        })
    }
}

impl CompileError {
    pub(crate) fn host(error: impl std::fmt::Display) -> Self {
        Self::Host(error.to_string())
    }

    pub(crate) fn cancelled() -> Self {
        Self::host("that was cancelled")
    }
}

/// How long a child is waited for.
#[derive(Clone, Copy)]
struct Patience<'a> {
    /// None where the time has no end.
    deadline: Option<Instant>,
    cancel: Option<&'a Cancel>,
}

/// Why a child is waited for no more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Time,
    Cancelled,
}

impl Patience<'_> {
    fn over(self) -> Option<Over> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            Some(Over::Cancelled)
        } else {
            let over = |deadline| Instant::now() >= deadline;
            self.deadline.is_some_and(over).then_some(Over::Time)
        }
    }
}

/// A child that does not outlive its value.
struct Running(Child);

impl Running {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }

    /// Waits for the end, makes one when patience is over, and stops whatever the child
    /// started. Says what was over.
    fn end(&mut self, patience: Patience<'_>) -> io::Result<(ExitStatus, Option<Over>)> {
        let over = loop {
            if self.has_ended() {
                break None;
            }
            if let Some(over) = patience.over() {
                break Some(over);
            }
            thread::sleep(Duration::from_millis(1));
        };
        // Before it is waited for: until then no other process has its number.
        self.kill();
        Ok((self.0.wait()?, over))
    }

    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.id()
            .is_none_or(|id| !matches!(waitid(WaitId::Pid(id), options), Ok(None)))
    }

    fn kill(&mut self) {
        if let Some(group) = self.id() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(Some(_))) {
            self.kill();
            let _ = self.0.wait();
        }
    }
}

/// How a child ended and what it said.
struct Ended {
    status: ExitStatus,
    over: Option<Over>,
    output: Vec<u8>,
    errors: Vec<u8>,
}

fn converse(
    child: &mut Running,
    request: &[&[u8]],
    limits: CompileLimits,
    patience: Patience<'_>,
) -> Result<Ended, CompileError> {
    let (Some(mut input), Some(output), Some(errors)) = (
        child.0.stdin.take(),
        child.0.stdout.take(),
        child.0.stderr.take(),
    ) else {
        return Err(CompileError::host("the compiler has no pipes"));
    };
    // A system that is short of threads is no fault of the component.
    let thread = || thread::Builder::new().name("mcpmark-compile".into());
    thread::scope(|scope| {
        // One byte more than is allowed shows that there is more.
        let most = limits.code_bytes.saturating_add(ANSWER.len() as u64 + 1);
        let started = (|| -> io::Result<_> {
            let output = thread().spawn_scoped(scope, move || read_up_to(output, most))?;
            let errors = thread().spawn_scoped(scope, || read_up_to(errors, MESSAGE_BYTES))?;
            thread().spawn_scoped(scope, move || {
                // A child that stopped reading says why on its own.
                let _ = request.iter().try_for_each(|part| input.write_all(part));
            })?;
            Ok((output, errors))
        })();
        let (output, errors) = match started {
            Ok(threads) => threads,
            Err(error) => {
                // The threads that did start read until the child is gone.
                child.kill();
                return Err(CompileError::host(error));
            }
        };
        let (status, over) = child.end(patience).map_err(CompileError::host)?;
        let lost = |_| CompileError::host("a thread that reads from the compiler broke");
        Ok(Ended {
            status,
            over,
            output: output.join().map_err(lost)?,
            errors: errors.join().map_err(lost)?,
        })
    })
}

/// Reads to the end or to the limit; what was read before an error still counts.
fn read_up_to(stream: impl Read, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.take(limit).read_to_end(&mut bytes);
    bytes
}

impl Ended {
    fn judge(mut self, limits: CompileLimits) -> Result<Vec<u8>, CompileError> {
        let limit = |limit, allowed| Err(CompileError::Limit { limit, allowed });
        if self.output.len() as u64 > limits.code_bytes.saturating_add(ANSWER.len() as u64) {
            return limit(
                "code_bytes",
                format!("{} of machine code", mebibytes(limits.code_bytes)),
            );
        }
        match self.over {
            Some(Over::Time) => {
                return limit("wall_seconds", format!("{} s", limits.wall_seconds));
            }
            Some(Over::Cancelled) => return Err(CompileError::cancelled()),
            None => {}
        }
        let message = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let errors = message(&self.errors);
        match (self.status.code(), self.status.signal()) {
            (Some(0), _) if self.output.starts_with(ANSWER) => {
                Ok(self.output.split_off(ANSWER.len()))
            }
            (Some(code), _) if code == i32::from(INVALID) => {
                Err(CompileError::Invalid(message(&self.output)))
            }
            (Some(code), _) if code == i32::from(UNABLE) => {
                Err(CompileError::Host(message(&self.output)))
            }
            (Some(code), _) if code == i32::from(BROKEN) => {
                Err(CompileError::Crashed(message(&self.output)))
            }
            (Some(0), _) => Err(CompileError::host(
                "the program that was named as the compiler is none",
            )),
            _ if out_of_memory(&errors) => limit(
                "memory_bytes",
                format!("{} of memory", mebibytes(limits.memory_bytes)),
            ),
            (_, Some(signal)) if signal == Signal::XCPU.as_raw() => limit(
                "cpu_seconds",
                format!("{} s of processor time", limits.cpu_seconds),
            ),
            // The limit's own last word would be this too, and comes a second after the signal
            // above, which nobody ignores here. So it was somebody else: a person, or the system.
            (_, Some(signal)) if signal == Signal::KILL.as_raw() => Err(CompileError::host(
                "the compiler was killed from outside, as the system does when memory runs out",
            )),
            (code, signal) => {
                let end = match (code, signal) {
                    (_, Some(signal)) => format!("it was stopped by signal {signal}"),
                    (code, _) => format!("it ended with code {}", code.unwrap_or_default()),
                };
                let said = errors.lines().last().unwrap_or_default();
                Err(CompileError::Crashed(match said {
                    "" => end,
                    said => format!("{end}: {said}"),
                }))
            }
        }
    }
}

/// What Rust and the system say when there is no more memory.
fn out_of_memory(errors: &str) -> bool {
    [
        "memory allocation of",
        "os error 12",
        "Cannot allocate memory",
    ]
    .iter()
    .any(|sign| errors.contains(sign))
}

fn mebibytes(bytes: u64) -> String {
    if bytes >= 1 << 20 {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}
