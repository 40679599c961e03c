//! Runs of guests: inputs, limits, and the classification of errors as faults.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_snapshot::Snapshot;
use rustix::io::Errno;
use wasmtime::component::ResourceTableError;
use wasmtime::{OutOfMemory, PoolConcurrencyLimitError, Store, Trap, UpdateDeadline};

use crate::bindings::verifier::Check as WitCheck;
use crate::component::{Linked, Setup, Site, Solution, one_line};
use crate::engine::TICK;
use crate::host::site::{Request, Response, SiteHost};
use crate::host::{
    Common, HasCommon, Log, RunState, SetupHost, SiteGuestHost, SolutionHost, Stop, ToolHost,
    VerifierHost, WorldBuilder,
};
use crate::limits::{Allowed, MAX_HANDLES, MAX_OPEN, MAX_STACK_BYTES};
use crate::order::payload;
use crate::wasi::{self, Program};
use crate::{
    Cancel, Check, Fault, FaultKind, GradeData, GuestKind, InterfaceVersions, Limits, RunError,
    Sandbox, Verdict, Written,
};

pub(crate) const CANCELLED: &str = "the run was cancelled";

/// Stack for a guest and the host functions that it calls, in bytes: the maximum of a guest, and the same amount for
/// the host. A guest that reaches the end of the thread's stack before its own limit would end this process.
const STACK_BYTES: usize = 2 * MAX_STACK_BYTES as usize;

/// Input of a verifier.
#[derive(Clone)]
pub struct VerifyInput {
    /// Starting state.
    pub start: Snapshot,
    /// Final state, which the agent left.
    pub end: Snapshot,
    /// Last message of the agent, if the task is judged on it.
    pub answer: Option<String>,
    /// Parameters of the task, as a JSON object.
    pub parameters: String,
    /// Data from which the interfaces of an embedder answer.
    pub data: GradeData,
    /// Arguments of a verifier that reads them through WASI, without the name of the program.
    pub arguments: Vec<String>,
    /// Environment variables of a verifier that reads them through WASI. They are added to those of every verifier, or
    /// override them.
    pub environment: Vec<(String, String)>,
}

impl VerifyInput {
    /// Returns an input with two states, and without answer, parameters and data.
    pub fn new(start: Snapshot, end: Snapshot) -> Self {
        Self {
            start,
            end,
            answer: None,
            parameters: "{}".to_owned(),
            data: GradeData::none(),
            arguments: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Adds a value from which an [`Interface`](crate::Interface) answers ([`VerifierHost::data`]). It replaces an
    /// earlier value of the same type.
    #[must_use]
    pub fn with<D: std::any::Any + Send + Sync>(mut self, data: impl Into<Arc<D>>) -> Self {
        self.data = self.data.with(data);
        self
    }
}

/// Input of a setup guest.
#[derive(Debug, Clone)]
pub struct SetupInput {
    /// Seed of everything random in the world.
    pub seed: u64,
    /// Time of the world's clock, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// JSON object for the interface `parameters`.
    pub parameters: String,
    /// Maximum size of the world, in bytes.
    pub max_bytes: u64,
    /// Maximum number of files, directories and symlinks in the world.
    pub max_entries: u64,
}

/// Outcome of one run of a guest.
#[derive(Debug)]
pub struct Run<T> {
    /// Result of the guest, or the reason why there is none.
    pub result: Result<T, RunError>,
    /// Log of the guest, also kept if there is no result.
    pub log: Log,
    /// Output of a verifier that imports WASI; none for other guests.
    pub printed: Option<Printed>,
    /// Servers that answered the guest through interfaces of an embedder.
    pub interfaces: InterfaceVersions,
    /// Fuel that the guest used. It differs between engine profiles, so it is for display and never part of a receipt.
    pub fuel: u64,
}

/// Output of a verifier that imports WASI.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// Output, also kept if there is no verdict.
    pub written: Written,
    /// Exit code of a command, if it ended normally.
    pub exit_code: Option<u8>,
}

/// Result of a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solved {
    /// The solution ended with this answer.
    Answer(String),
    /// The attempt ended during a tool call, for this reason.
    Stopped(String),
}

impl Sandbox {
    /// Grades a final state on the engine of this sandbox.
    pub(crate) fn verify_once(
        &self,
        linked: &Linked,
        clock: i64,
        input: VerifyInput,
        limits: &Limits,
    ) -> Run<Verdict> {
        let allowed = self.allowed(GuestKind::Verifier, limits);
        let program = match linked {
            Linked::Pure(_) => None,
            Linked::Wasi(_) => Some(Program::Checks),
            Linked::Command(_) => Some(Program::Command),
        };
        let host = VerifierHost {
            wasi: program.map(|program| wasi::state(program, &input, clock)),
            common: Common::new(allowed, input.parameters),
            start: input.start,
            end: input.end,
            answer: input.answer,
            data: self.inner.data.clone().and(input.data),
            state: RunState::default(),
            changes: None,
        };
        let (bytes, hand_over) = if program.is_some() {
            (wasi::CALL_BYTES, HandOver::Fixed(wasi::CALL_BYTES))
        } else {
            let bytes = verdict_bytes(&allowed.limits);
            (bytes, HandOver::Limit("output_bytes"))
        };
        match linked {
            Linked::Pure(pre) | Linked::Wasi(pre) => {
                let mut run = self.run(host, bytes, hand_over, |store| {
                    pre.instantiate(&mut *store)?.call_verify(store)
                });
                let printed = run.take_written().map(|written| Printed {
                    written,
                    exit_code: None,
                });
                Run {
                    printed,
                    ..run.and_then(|checks, _| of_checks(checks, &allowed))
                }
            }
            Linked::Command(command) => {
                let mut run = self.run(host, bytes, hand_over, |store| command.call(store));
                let printed = Printed {
                    written: run.take_written().unwrap_or_default(),
                    exit_code: run.result.as_ref().ok().copied(),
                };
                let verdict = run.and_then(|code, _| {
                    let verdict = wasi::command_verdict(&printed.written, code, &allowed);
                    verdict.map_err(RunError::Fault)
                });
                Run {
                    printed: Some(printed),
                    ..verdict
                }
            }
        }
    }

    /// Builds a world from a seed.
    pub fn build_world(&self, guest: &Setup, input: SetupInput, limits: &Limits) -> Run<Snapshot> {
        let world = WorldBuilder::new(input.max_bytes, input.max_entries);
        let allowed = self.allowed(GuestKind::Setup, limits);
        let common = Common::new(allowed, input.parameters);
        let mut host = SetupHost::new(common, world, input.seed, input.clock);
        host.data.clone_from(&self.inner.data);
        let hand_over = HandOver::Limit("memory_bytes");
        let run = self.run(host, allowed.limits.memory_bytes, hand_over, |store| {
            guest
                .pre
                .instantiate(&mut *store)?
                .call_setup(&mut *store)?;
            store.data_mut().finish()
        });
        run.and_then(|(), host| Ok(host.world.finish()))
    }

    /// Runs a solution with the given tools.
    pub fn solve(
        &self,
        guest: &Solution,
        tools: Box<dyn ToolHost>,
        parameters: String,
        limits: &Limits,
    ) -> Run<Solved> {
        let allowed = self.allowed(GuestKind::Solution, limits);
        let host = SolutionHost {
            common: Common::new(allowed, parameters),
            tools,
            stopped: None,
        };
        let hand_over = HandOver::Limit("memory_bytes");
        let run = self.run(host, allowed.limits.memory_bytes, hand_over, |store| {
            guest.pre.instantiate(&mut *store)?.call_solve(store)
        });
        let Raw {
            result,
            log,
            interfaces,
            fuel,
            host,
        } = run;
        let result = match (result, host.and_then(|host| host.stopped)) {
            (_, Some(reason)) => Ok(Solved::Stopped(reason)),
            (result, None) => result.and_then(|answer| within(answer, &allowed)),
        };
        Run {
            result,
            log,
            printed: None,
            interfaces,
            fuel,
        }
    }

    /// Lets a site answer one request, in an instance of its own. `host` implements its database, clock and random source.
    pub fn answer(
        &self,
        guest: &Site,
        request: Request,
        host: Box<dyn SiteHost>,
        limits: &Limits,
    ) -> Run<Response> {
        let allowed = self.allowed(GuestKind::Site, limits);
        let host = SiteGuestHost::new(Common::new(allowed, String::new()), host);
        let bytes = response_bytes(&allowed.limits);
        let run = self.run(host, bytes, HandOver::Limit("output_bytes"), |store| {
            store.data_mut().common.charge(request.size())?;
            let instance = guest.pre.instantiate(&mut *store)?;
            instance.call_answer(store, &request.into())
        });
        run.and_then(|response, _| {
            let response = Response::from(response);
            response.within(&allowed).map_err(RunError::Fault)?;
            Ok(response)
        })
    }

    pub(crate) fn allowed(&self, guest: GuestKind, limits: &Limits) -> Allowed {
        Allowed::new(guest, limits, &self.inner.ceiling).set_by(self.inner.ceiling_setting)
    }

    /// Runs one guest in a fresh store. `call_bytes` is the maximum size of the values that it passes in one call, and
    /// `hand_over` names its origin.
    fn run<H: HasCommon, R>(
        &self,
        host: H,
        call_bytes: u64,
        hand_over: HandOver,
        call: impl FnOnce(&mut Store<H>) -> wasmtime::Result<R>,
    ) -> Raw<R, H> {
        let Some(_slot) = self.inner.slot(self.cancel.as_ref()) else {
            return Raw {
                result: Err(RunError::Host(CANCELLED.into())),
                log: Log::default(),
                interfaces: InterfaceVersions::default(),
                fuel: 0,
                host: Some(host),
            };
        };
        let mut store = Store::new(&self.inner.engine, host);
        let limits = store.data_mut().common().allowed.limits;
        store.limiter(|host| host.common());
        store.set_hostcall_fuel(usize::try_from(call_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(MAX_HANDLES);
        match self.cancel.clone() {
            None => store.set_epoch_deadline(ticks(limits.time_ms)),
            Some(cancel) => watch(&mut store, cancel, ticks(limits.time_ms)),
        }
        let fuelled = store.set_fuel(limits.fuel);

        // A panic in a host function is a bug of the host, and must not end other grades.
        let called = catch_unwind(AssertUnwindSafe(|| {
            fuelled?;
            // Uses the caller's stack if enough is left, or else allocates one for this run.
            stacker::maybe_grow(STACK_BYTES, STACK_BYTES, || call(&mut store))
        }));
        let fuel = limits.fuel - store.get_fuel().unwrap_or(limits.fuel);
        let fuel = fuel.saturating_add(store.data_mut().common().charged);
        let result = match called {
            Ok(Ok(_)) if fuel > limits.fuel => {
                Err(RunError::Fault(store.data_mut().common().out_of_fuel()))
            }
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => {
                let bounds = Bounds {
                    hand_over,
                    stack: MAX_STACK_BYTES,
                };
                Err(classify(&error, &bounds, store.data_mut().common()))
            }
            Err(panic) => Err(RunError::Host(format!(
                "the host panicked: {}",
                payload(&*panic)
            ))),
        };
        let mut host = store.into_data();
        let log = std::mem::take(&mut host.common().log);
        let interfaces = std::mem::take(&mut host.common().interfaces);
        Raw {
            result,
            log,
            interfaces,
            fuel,
            host: Some(host),
        }
    }
}

fn within(answer: String, allowed: &Allowed) -> Result<Solved, RunError> {
    let (bytes, limit) = (answer.len() as u64, allowed.limits.output_bytes);
    if bytes <= limit {
        return Ok(Solved::Answer(answer));
    }
    Err(RunError::Fault(Fault::new(
        FaultKind::Output,
        format!(
            "the answer has {bytes} bytes, more than {limit} {}",
            allowed.limit_hint("output_bytes")
        ),
    )))
}

/// Outcome of a run before its result is checked.
struct Raw<R, H> {
    result: Result<R, RunError>,
    log: Log,
    interfaces: InterfaceVersions,
    fuel: u64,
    host: Option<H>,
}

impl<R, H> Raw<R, H> {
    fn and_then<T>(mut self, check: impl FnOnce(R, H) -> Result<T, RunError>) -> Run<T> {
        let result = match (self.result, self.host.take()) {
            (Ok(value), Some(host)) => check(value, host),
            (Err(error), _) => Err(error),
            (Ok(_), None) => Err(RunError::Host("the guest's state was lost".into())),
        };
        Run {
            result,
            log: self.log,
            printed: None,
            interfaces: self.interfaces,
            fuel: self.fuel,
        }
    }
}

impl<R> Raw<R, VerifierHost> {
    /// Takes the output of a verifier that imports WASI.
    fn take_written(&mut self) -> Option<Written> {
        let wasi = self.host.as_mut()?.wasi.as_mut()?;
        Some(std::mem::take(&mut wasi.written))
    }
}

/// Returns the verdict of a verifier that returned checks.
fn of_checks(checks: Vec<WitCheck>, allowed: &Allowed) -> Result<Verdict, RunError> {
    let checks = checks
        .into_iter()
        .map(
            |WitCheck {
                 name,
                 passed,
                 detail,
             }| Check {
                name,
                passed,
                detail,
            },
        )
        .collect();
    Verdict::new(checks, allowed).map_err(RunError::Fault)
}

/// Bounds other than the limits, for the message of a fault.
pub(crate) struct Bounds {
    pub(crate) hand_over: HandOver,
    /// Stack size of the guest, in bytes.
    pub(crate) stack: u64,
}

/// Bound on the bytes that a guest passes in one call.
pub(crate) enum HandOver {
    /// Limit of this name. The bound of the call follows from it and is not smaller.
    Limit(&'static str),
    /// Fixed number of bytes.
    Fixed(u64),
}

/// Returns the bound on the bytes that a verifier passes in one call. It is twice the limit of a verdict, because
/// records take more space in the host, so that the limits of the verdict are reached first.
fn verdict_bytes(limits: &Limits) -> u64 {
    limits
        .output_bytes
        .saturating_mul(2)
        .saturating_add(limits.checks.saturating_mul(128))
}

/// Returns the bound on the bytes that a site passes in one call: a response, or a statement with its parameters, whose
/// records take more space in the host.
fn response_bytes(limits: &Limits) -> u64 {
    limits
        .output_bytes
        .saturating_mul(2)
        .saturating_add(1 << 20)
}

pub(crate) fn ticks(time_ms: u64) -> u64 {
    // One tick more, because the first one may come immediately.
    time_ms.div_ceil(TICK.as_millis() as u64).saturating_add(1)
}

/// Ends a run at its time limit or when it is cancelled, whichever comes first.
pub(crate) fn watch<H: 'static>(store: &mut Store<H>, cancel: Cancel, ticks: u64) {
    let mut left = ticks;
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |_| {
        left = left.saturating_sub(1);
        if cancel.is_cancelled() {
            Err(Stop::host(CANCELLED))
        } else if left == 0 {
            Ok(UpdateDeadline::Interrupt)
        } else {
            Ok(UpdateDeadline::Continue(1))
        }
    });
}

pub(crate) fn classify(error: &wasmtime::Error, bounds: &Bounds, common: &Common) -> RunError {
    if let Some(Stop(stop)) = error.downcast_ref::<Stop>() {
        return match stop {
            RunError::Fault(fault) => RunError::Fault(fault.clone()),
            RunError::World(message) => RunError::World(message.clone()),
            RunError::Host(message) => RunError::Host(message.clone()),
        };
    }
    let limits = &common.allowed.limits;
    let raise = |name| common.allowed.limit_hint(name);
    let fault = match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => common.out_of_fuel(),
        Some(Trap::Interrupt) => Fault::new(
            FaultKind::Time,
            format!(
                "the guest ran longer than {} {}",
                format_duration(Duration::from_millis(limits.time_ms)),
                raise("time_ms")
            ),
        ),
        Some(Trap::StackOverflow) => Fault::new(
            FaultKind::Trap,
            format!(
                "call stack exhausted: the guest used up its {} bytes of stack (fixed, the same on every host: use less recursion, or move large values from the stack to memory)",
                bounds.stack
            ),
        ),
        Some(trap) => match common.panic_message() {
            Some(message) => Fault::new(FaultKind::Trap, format!("panicked: {message}")),
            None => Fault::new(FaultKind::Trap, bare(&trap.to_string())),
        },
        None if error.is::<PoolConcurrencyLimitError>() => {
            return RunError::Host(format!("cannot start another guest: {error}"));
        }
        // An error of the system, usually a lack of memory, says nothing about the guest.
        None if is_of_the_system(error) => {
            return RunError::Host(format!("system error: {}", one_line(error)));
        }
        None if error.is::<ResourceTableError>() => Fault::new(
            FaultKind::Memory,
            format!(
                "the guest has {MAX_OPEN} open files and streams, and the limit is {MAX_OPEN} (fixed)"
            ),
        ),
        None => {
            let message = one_line(error);
            if message.contains("fuel allocated for hostcalls") {
                let message = match bounds.hand_over {
                    HandOver::Limit(name) => {
                        format!(
                            "{} bytes at once {}",
                            common.allowed.value(name),
                            raise(name)
                        )
                    }
                    HandOver::Fixed(bytes) => format!("{bytes} bytes at once (fixed)"),
                };
                Fault::new(
                    FaultKind::Output,
                    format!("the guest passed more than {message}"),
                )
            } else if message.contains("store handle limit exceeded") {
                Fault::new(
                    FaultKind::Memory,
                    format!(
                        "the guest has {MAX_HANDLES} handles to resources, and the limit is {MAX_HANDLES} (fixed)"
                    ),
                )
            } else if message.contains("exceeds the limit of")
                || message.contains("resource limit exceeded")
            {
                Fault::new(FaultKind::Link, message)
            } else {
                Fault::new(FaultKind::Trap, message)
            }
        }
    };
    RunError::Fault(fault)
}

fn is_of_the_system(error: &wasmtime::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.is::<io::Error>() || cause.is::<Errno>() || cause.is::<OutOfMemory>())
}

fn bare(trap: &str) -> String {
    trap.strip_prefix("wasm trap: ").unwrap_or(trap).to_owned()
}

fn format_duration(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
