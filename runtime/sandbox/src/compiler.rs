//! Compilation of guests in a child process.
//!
//! wasmtime does not bound the cost of compilation: a crafted component may take minutes or gigabytes, or crash the
//! compiler. Therefore it takes place in a child that has limits of its own and whose death this process survives.
//! [`serve_compiler`](crate::serve_compiler) implements the child.

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

/// Program that compiles components for a [`Sandbox`](crate::Sandbox).
///
/// The sandbox starts it once for each component that is not in the cache, with only `RAYON_NUM_THREADS` in its
/// environment. It must call [`serve_compiler`](crate::serve_compiler). Its output is machine code that this process
/// runs, so do not use a program that other users may write to.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Limits of one compilation.
    pub limits: CompileLimits,
}

/// Limits of the compilation of one component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileLimits {
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: u64,
    /// Wall-clock time, in seconds.
    pub wall_seconds: u64,
    /// Memory of the child (`RLIMIT_DATA`), in bytes.
    pub memory_bytes: u64,
    /// Size of the machine code, in bytes.
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

/// Errors of compiling a component.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The bytes are not a valid component, or use a feature that is switched off.
    #[error("not a valid component: {0}")]
    Invalid(String),
    /// The compilation reached a limit.
    #[error(
        "compilation exceeds the limit of {allowed} (limit `{limit}` of the compiler, which the operator of this host may raise)"
    )]
    Limit {
        /// Name of the field of [`CompileLimits`].
        limit: &'static str,
        /// Value of the limit, with its unit.
        allowed: String,
    },
    /// The component needs more instances, memories, tables or globals than a guest can have.
    #[error(
        "the component requires more than this host provides for a guest: {0} (fixed, so that guests can be isolated cheaply)"
    )]
    NoRoom(String),
    /// The compiler crashed on the component.
    #[error("the compiler crashed on the component: {0}")]
    Crashed(String),
    /// There is no compiler, or it cannot be used. The component is not the cause.
    #[error("cannot compile the component: {0}")]
    Host(String),
}

/// Form of guest, which selects the compiler settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Guest of one of the worlds without WASI.
    Guest,
    /// Interpreter that runs scripts.
    Interpreter,
}

/// Request to the child: one line of JSON before the component.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) engine: EngineKind,
    pub(crate) form: Form,
    pub(crate) profile: String,
    pub(crate) limits: CompileLimits,
}

/// Prefix of the child's answer, so that the output of another program is not mistaken for machine code.
pub(crate) const ANSWER: &[u8; 16] = b"mcpmark code 1\r\n";
/// Exit code of the child for a component that is not valid.
pub(crate) const INVALID: u8 = 10;
/// Exit code of the child for a request that it cannot serve.
pub(crate) const UNABLE: u8 = 11;
/// Exit code of the child for a crash of the compiler.
pub(crate) const BROKEN: u8 = 12;

/// Maximum number of bytes that are read of an error message.
const MESSAGE_BYTES: u64 = 16 << 10;
/// Maximum number of threads of one compilation. Each thread uses address space.
const MAX_THREADS: usize = 4;

impl Compiler {
    /// Returns a compiler with the default limits.
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
        // An overflow of the clock means that there is no deadline.
        let deadline = Instant::now().checked_add(Duration::from_secs(limits.wall_seconds));
        let mut child = self.start()?;
        let outcome = exchange(
            &mut child,
            &[request.as_slice(), component],
            limits,
            StopConditions { deadline, cancel },
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
            // A process group of its own, so that its descendants can be stopped with it.
            .process_group(0);
        command.spawn().map(Running).map_err(|error| {
            let program = self.program.display();
            CompileError::Host(format!("cannot start the compiler {program}: {error}"))
        })
    }
}

impl CompileError {
    pub(crate) fn host(error: impl std::fmt::Display) -> Self {
        Self::Host(error.to_string())
    }

    pub(crate) fn cancelled() -> Self {
        Self::host("cancelled")
    }
}

/// Deadline and cancellation of a child.
#[derive(Clone, Copy)]
struct StopConditions<'a> {
    /// `None` if there is no deadline.
    deadline: Option<Instant>,
    cancel: Option<&'a Cancel>,
}

/// Reason for stopping a child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StopReason {
    Time,
    Cancelled,
}

impl StopConditions<'_> {
    fn stop_reason(self) -> Option<StopReason> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            Some(StopReason::Cancelled)
        } else {
            let has_passed = |deadline| Instant::now() >= deadline;
            self.deadline
                .is_some_and(has_passed)
                .then_some(StopReason::Time)
        }
    }
}

/// Child process that is killed when this value is dropped.
struct Running(Child);

impl Running {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }

    /// Waits until the child ends or a stop condition holds, then kills its process group. Returns the exit status and
    /// the reason if the child was stopped.
    fn end(
        &mut self,
        stop_conditions: StopConditions<'_>,
    ) -> io::Result<(ExitStatus, Option<StopReason>)> {
        let stopped = loop {
            if self.has_ended() {
                break None;
            }
            if let Some(reason) = stop_conditions.stop_reason() {
                break Some(reason);
            }
            thread::sleep(Duration::from_millis(1));
        };
        // Kill the group before `wait`: until then no other process can get the same process id.
        self.kill();
        Ok((self.0.wait()?, stopped))
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

/// Exit status and output of a child.
struct CompilerOutput {
    status: ExitStatus,
    stopped: Option<StopReason>,
    output: Vec<u8>,
    errors: Vec<u8>,
}

fn exchange(
    child: &mut Running,
    request: &[&[u8]],
    limits: CompileLimits,
    stop_conditions: StopConditions<'_>,
) -> Result<CompilerOutput, CompileError> {
    let (Some(mut input), Some(output), Some(errors)) = (
        child.0.stdin.take(),
        child.0.stdout.take(),
        child.0.stderr.take(),
    ) else {
        return Err(CompileError::host(
            "the process of the compiler has no pipes",
        ));
    };
    // A shortage of threads is an error of the host, not of the component.
    let thread = || thread::Builder::new().name("mcpmark-compile".into());
    thread::scope(|scope| {
        // One byte more than the limit shows that the output exceeds it.
        let most = limits.code_bytes.saturating_add(ANSWER.len() as u64 + 1);
        let started = (|| -> io::Result<_> {
            let output = thread().spawn_scoped(scope, move || read_up_to(output, most))?;
            let errors = thread().spawn_scoped(scope, || read_up_to(errors, MESSAGE_BYTES))?;
            thread().spawn_scoped(scope, move || {
                // A child that stops reading reports the reason itself.
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
        let (status, stopped) = child.end(stop_conditions).map_err(CompileError::host)?;
        let lost =
            |_| CompileError::host("a thread that reads the output of the compiler panicked");
        Ok(CompilerOutput {
            status,
            stopped,
            output: output.join().map_err(lost)?,
            errors: errors.join().map_err(lost)?,
        })
    })
}

/// Reads to the end or to the limit. Bytes that were read before an error are kept.
fn read_up_to(stream: impl Read, limit: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.take(limit).read_to_end(&mut bytes);
    bytes
}

impl CompilerOutput {
    fn judge(mut self, limits: CompileLimits) -> Result<Vec<u8>, CompileError> {
        let limit = |limit, allowed| Err(CompileError::Limit { limit, allowed });
        if self.output.len() as u64 > limits.code_bytes.saturating_add(ANSWER.len() as u64) {
            return limit(
                "code_bytes",
                format!("{} of machine code", mebibytes(limits.code_bytes)),
            );
        }
        match self.stopped {
            Some(StopReason::Time) => {
                return limit("wall_seconds", format!("{} s", limits.wall_seconds));
            }
            Some(StopReason::Cancelled) => return Err(CompileError::cancelled()),
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
                "the configured program is not a compiler; it must call `serve_compiler`",
            )),
            _ if out_of_memory(&errors) => limit(
                "memory_bytes",
                format!("{} of memory", mebibytes(limits.memory_bytes)),
            ),
            (_, Some(signal)) if signal == Signal::XCPU.as_raw() => limit(
                "cpu_seconds",
                format!("{} s of processor time", limits.cpu_seconds),
            ),
            // The CPU limit also ends in SIGKILL, but one second after SIGXCPU, which no child ignores. So a person or
            // the system sent this signal.
            (_, Some(signal)) if signal == Signal::KILL.as_raw() => Err(CompileError::host(
                "the compiler was killed by another process, or by the system because memory ran out",
            )),
            (code, signal) => {
                let end = match (code, signal) {
                    (_, Some(signal)) => format!("terminated by signal {signal}"),
                    (code, _) => format!("exited with code {}", code.unwrap_or_default()),
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

/// Reports whether Rust or the system printed that memory ran out.
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
