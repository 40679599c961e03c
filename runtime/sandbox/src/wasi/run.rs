//! One script in one fresh store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wasmtime::Store;

use super::bindings::interpreter::Ending;
use super::host::WasiHost;
use super::interpreter::Interpreter;
use super::services::ScriptServices;
use super::streams::Written;
use super::verdict::verdict;
use crate::cross::agree;
use crate::host::{HasCommon, cut};
use crate::order::payload;
use crate::run::{Bounds, CANCELLED, HandOver, classify, ticks, watch};
use crate::{Fault, FaultKind, GuestKind, Limits, Mount, RunError, Sandbox, Verdict};

/// Bytes that a script's interpreter hands over in one call.
const CALL_BYTES: u64 = 16 << 20;
const MIB: u64 = 1 << 20;

impl Limits {
    /// The limits of a verifier that is a script, where its task sets none: an interpreter
    /// takes more of everything.
    ///
    /// The fuel lasts for 8 to 16 s of a native interpreter's processor time, and 30 s of this
    /// one's; the clock leaves a machine more than ten times as long.
    pub const SCRIPT: Self = Self {
        fuel: 200_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 480_000,
        copy_bytes: 4096 * MIB,
        output_bytes: MIB,
        ..Self::VERIFIER
    };

    /// What [`SCRIPT`](Self::SCRIPT) was in programs before: grades of theirs have them in their
    /// terms.
    const SCRIPT_BEFORE: Self = Self {
        fuel: 50_000_000_000,
        time_ms: 120_000,
        ..Self::SCRIPT
    };

    /// Whether these are the limits that a task gave a script in a program before this one, which
    /// gives it `now`: they differ only where the task sets no limit and the defaults were others.
    pub fn are_former(&self, now: &Self) -> bool {
        let mut limits = [*self, *now, Self::SCRIPT_BEFORE, Self::SCRIPT];
        let [own, now, before, default] = limits.each_mut().map(Self::fields);
        let fields = own.iter().zip(&now).zip(before.iter().zip(&default));
        fields.into_iter().all(|((own, now), (before, default))| {
            own.1 == now.1 || own.1 == before.1 && now.1 == default.1
        })
    }
}

/// What a script is given.
#[derive(Debug, Clone)]
pub struct ScriptInput {
    /// Where the script lies, as it sees it: `/task/verify.py` with a mount `task`.
    pub script: String,
    /// What follows the script's path in its list of arguments.
    pub arguments: Vec<String>,
    /// All of its environment.
    pub environment: Vec<(String, String)>,
    /// All that it can open: directories below `/`, of distinct names.
    pub mounts: Vec<Mount>,
    /// The instant at which it starts, in seconds since 1970-01-01T00:00:00Z, and the time of
    /// files that have none of their own.
    pub clock: i64,
    /// Everything random in it follows from this.
    pub seed: u64,
    /// What answers when a script asks a service; without it, such a script is stopped.
    pub services: Option<Arc<dyn ScriptServices>>,
}

/// What came of one run of a script.
#[derive(Debug)]
pub struct ScriptRun {
    /// The verdict, or why there is none.
    pub result: Result<Verdict, RunError>,
    /// What it printed; also kept when there is no verdict.
    pub written: Written,
    /// The code with which it ended, where it came to its end.
    pub exit_code: Option<u8>,
    /// Fuel it used. Differs between engine profiles; for people, never for a receipt.
    pub fuel: u64,
}

impl Sandbox {
    /// Has a script judge. The same input gives the same verdict and the same output.
    ///
    /// Exit code 0 is a pass, every other a fail; a trap, a limit, a script that does not
    /// compile or imports what is not there is a fault.
    ///
    /// With [`cross_check`](crate::SandboxConfig::cross_check) the other engine runs it too, and
    /// a verdict or an output that the two do not share is a fault.
    pub fn verify_script(
        &self,
        interpreter: &Interpreter,
        input: &ScriptInput,
        limits: &Limits,
    ) -> ScriptRun {
        let Some(peer) = self.peer() else {
            return self.verify_script_once(interpreter, input, limits);
        };
        let Some(twin) = &interpreter.twin else {
            return failed("the interpreter was loaded by a sandbox that does not cross-check");
        };
        let mut first = self.verify_script_once(interpreter, input, limits);
        let second = peer.verify_script_once(twin, input, limits);
        let printed_same = first.written == second.written;
        let kinds = (self.inner.kind, peer.inner.kind);
        first.result = match agree(kinds, first.result, second.result) {
            Ok(_) if !printed_same => Err(RunError::Fault(Fault::new(
                FaultKind::Disagreement,
                format!(
                    "the engines disagree: the script prints on {} what it does not print on {}",
                    kinds.0, kinds.1
                ),
            ))),
            agreed => agreed,
        };
        first
    }

    fn verify_script_once(
        &self,
        interpreter: &Interpreter,
        input: &ScriptInput,
        limits: &Limits,
    ) -> ScriptRun {
        let Some(_slot) = self.inner.slot(self.cancel.as_ref()) else {
            return failed(CANCELLED);
        };
        // The guest's stack is the thread's.
        let (sandbox, input, limits) = (self.clone(), input.clone(), *limits);
        let own = interpreter.clone();
        let run = move || sandbox.run_script(&own, &input, &limits);
        let ran = interpreter.started.threads.run(run);
        match ran {
            Ok(Ok(run)) => run,
            Ok(Err(panic)) => failed(&format!("the host panicked: {}", payload(&*panic))),
            Err(error) => failed(&format!("cannot start a thread: {error}")),
        }
    }

    fn run_script(
        &self,
        interpreter: &Interpreter,
        input: &ScriptInput,
        limits: &Limits,
    ) -> ScriptRun {
        let allowed = self.allowed(GuestKind::Verifier, limits);
        let limits = allowed.limits;
        let mut store = Store::new(&interpreter.started.engine, WasiHost::new(allowed, input));
        store.limiter(|host| host.common());
        store.set_hostcall_fuel(CALL_BYTES as usize);
        match self.cancel.clone() {
            None => store.set_epoch_deadline(ticks(limits.time_ms)),
            Some(cancel) => watch(&mut store, cancel, ticks(limits.time_ms)),
        }
        let fuelled = store.set_fuel(limits.fuel);
        let called = catch_unwind(AssertUnwindSafe(|| {
            fuelled?;
            let guest = interpreter.pre.instantiate(&mut store)?;
            guest.call_run(
                &mut store,
                &input.script,
                &input.arguments,
                &input.environment,
            )
        }));
        let fuel = limits.fuel - store.get_fuel().unwrap_or(limits.fuel);
        let host = store.into_data();
        let (exit_code, result) = match called {
            Ok(Ok(Ending::Exited(code))) => {
                let stdout = String::from_utf8_lossy(&host.written.stdout);
                let verdict = verdict(&stdout, code, &allowed);
                (Some(code), verdict.map_err(RunError::Fault))
            }
            Ok(Ok(Ending::Broken(message))) => {
                let fault = Fault::new(kind_of(&message), cut(message, 4096));
                (None, Err(RunError::Fault(fault)))
            }
            Ok(Err(error)) => {
                let bounds = Bounds {
                    hand_over: HandOver::Fixed(CALL_BYTES),
                    stack: super::engine::STACK_BYTES as u64,
                };
                (None, Err(classify(&error, &bounds, &host.common)))
            }
            Err(panic) => {
                let message = format!("the host panicked: {}", payload(&*panic));
                (None, Err(RunError::Host(message)))
            }
        };
        ScriptRun {
            result,
            written: host.written,
            exit_code,
            fuel,
        }
    }
}

/// How the interpreter says that a script met the end of its memory, of its open files, or of what
/// 32 bits can count (`told` in `guest-sdk/python/mcpmark_script/gaps.py`).
const EXHAUSTED: [&str; 2] = [
    "the script needs more memory or open files than there are",
    "the script makes something too large for 32 bits",
];

/// The kind of fault of a script that the interpreter itself ended.
fn kind_of(message: &str) -> FaultKind {
    if EXHAUSTED.iter().any(|it| message.starts_with(it)) {
        FaultKind::Memory
    } else {
        FaultKind::Link
    }
}

fn failed(message: &str) -> ScriptRun {
    ScriptRun {
        result: Err(RunError::Host(message.to_owned())),
        written: Written::default(),
        exit_code: None,
        fuel: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_program_before_are_known_where_only_defaults_changed() {
        let now = Limits::SCRIPT;
        assert!(Limits::SCRIPT_BEFORE.are_former(&now));
        assert!(now.are_former(&now));
        let own = |limits: Limits| limits.with("checks=7").unwrap();
        assert!(own(Limits::SCRIPT_BEFORE).are_former(&own(now)));
        assert!(!own(Limits::SCRIPT_BEFORE).are_former(&now));
        // A task that sets its fuel has the same in both.
        let set = now.with("fuel=7").unwrap();
        assert!(!Limits::SCRIPT_BEFORE.are_former(&set));
        assert!(!Limits::VERIFIER.are_former(&now));
    }

    #[test]
    fn a_lack_of_memory_is_told_from_a_lack_of_the_sandbox() {
        let told = |message: &str| kind_of(message);
        let memory = "the script needs more memory or open files than there are (MemoryError: )";
        assert_eq!(told(memory), FaultKind::Memory);
        let large = "the script makes something too large for 32 bits (OverflowError: x)";
        assert_eq!(told(large), FaultKind::Memory);
        assert_eq!(
            told("the script starts a thread, and there are none here"),
            FaultKind::Link
        );
    }
}
