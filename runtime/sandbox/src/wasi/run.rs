//! Runs of scripts, each in a fresh store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wasmtime::Store;

use super::bindings::interpreter::Ending;
use super::host::{Program, ScriptHost};
use super::interpreter::Interpreter;
use super::services::ScriptServices;
use super::streams::Written;
use super::verdict::verdict;
use crate::cross::{agree, printed_differently};
use crate::host::{HasCommon, cut};
use crate::order::payload;
use crate::run::{Bounds, CANCELLED, HandOver, classify, ticks, watch};
use crate::{
    Fault, FaultKind, GuestKind, InterfaceVersions, Limits, Mount, RunError, Sandbox, Verdict,
};

/// Maximum size of the values that an interpreter passes in one call, in bytes.
const CALL_BYTES: u64 = 16 << 20;
const MIB: u64 = 1 << 20;

impl Limits {
    /// Default limits of a verifier that is a script. They are higher than those of components, because an interpreter
    /// uses more of everything.
    ///
    /// The fuel is enough for work that takes a native Python interpreter 8 to 16 s of processor time, and this
    /// interpreter 30 s. The time limit is more than ten times as long.
    pub const SCRIPT: Self = Self {
        fuel: 200_000_000_000,
        memory_bytes: 256 * MIB,
        time_ms: 480_000,
        copy_bytes: 4096 * MIB,
        output_bytes: MIB,
        ..Self::VERIFIER
    };

    /// Value of [`SCRIPT`](Self::SCRIPT) in earlier versions, whose grades have these limits in their terms.
    const SCRIPT_BEFORE: Self = Self {
        fuel: 50_000_000_000,
        time_ms: 120_000,
        ..Self::SCRIPT
    };

    /// Reports whether an earlier version of this program gave these limits to a script that now gets `now`: they may
    /// differ only in fields that the task does not set and whose default has changed.
    pub fn are_earlier_defaults(&self, now: &Self) -> bool {
        let mut limits = [*self, *now, Self::SCRIPT_BEFORE, Self::SCRIPT];
        let [own, now, before, default] = limits.each_mut().map(Self::fields);
        let fields = own.iter().zip(&now).zip(before.iter().zip(&default));
        fields.into_iter().all(|((own, now), (before, default))| {
            own.1 == now.1 || own.1 == before.1 && now.1 == default.1
        })
    }
}

/// Input of a script.
#[derive(Debug, Clone)]
pub struct ScriptInput {
    /// Path of the script as the script sees it: `/task/verify.py` with a mount `task`.
    pub script: String,
    /// Arguments of the script, without its path.
    pub arguments: Vec<String>,
    /// Complete environment of the script.
    pub environment: Vec<(String, String)>,
    /// Directories below `/` that the script can open, with distinct names.
    pub mounts: Vec<Mount>,
    /// Start time of the script, in seconds since 1970-01-01T00:00:00Z. It is also the time stamp of files that have
    /// none.
    pub clock: i64,
    /// Seed of everything random in the script.
    pub seed: u64,
    /// Backend of services. Without it, a script that calls a service is stopped.
    pub services: Option<Arc<dyn ScriptServices>>,
}

/// Outcome of one run of a script.
#[derive(Debug)]
pub struct ScriptRun {
    /// Verdict, or the reason why there is none.
    pub result: Result<Verdict, RunError>,
    /// Output of the script, also kept if there is no verdict.
    pub written: Written,
    /// Exit code of the script, if it ended normally.
    pub exit_code: Option<u8>,
    /// Servers that answered the script.
    pub interfaces: InterfaceVersions,
    /// Fuel that the script used. It differs between engine profiles, so it is for display and never part of a receipt.
    pub fuel: u64,
}

impl Sandbox {
    /// Grades a final state with a script. The same input gives the same verdict and the same output.
    ///
    /// Exit code 0 is a pass, every other one a failure. A trap, a limit, and a script that does not compile or that
    /// imports a missing module are faults.
    ///
    /// With [`cross_check`](crate::SandboxConfig::cross_check) the other engine also runs it. If verdict or output
    /// differ, the result is a fault.
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
            return failed("the interpreter was loaded by a sandbox without cross-check");
        };
        let mut first = self.verify_script_once(interpreter, input, limits);
        let second = peer.verify_script_once(twin, input, limits);
        let printed_same = first.written == second.written;
        let kinds = (self.inner.kind, peer.inner.kind);
        first.result = match agree(kinds, first.result, second.result) {
            Ok(_) if !printed_same => Err(printed_differently(kinds)),
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
        // The script runs on a thread of the pool, because the guest uses the stack of its thread.
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
        let mut store = Store::new(&interpreter.started.engine, ScriptHost::new(allowed, input));
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
        let fuel = fuel.saturating_add(host.common.charged);
        let (exit_code, result) = match called {
            Ok(Ok(_)) if fuel > limits.fuel => {
                (None, Err(RunError::Fault(host.common.out_of_fuel())))
            }
            Ok(Ok(Ending::Exited(code))) => {
                let stdout = String::from_utf8_lossy(&host.wasi.written.stdout);
                let verdict = verdict(&stdout, code, &allowed, Program::Script);
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
            interfaces: host.interfaces(),
            written: host.wasi.written,
            exit_code,
            fuel,
        }
    }
}

/// Prefixes of the messages with which the interpreter reports that a script ran out of memory or open files, or
/// exceeded 32 bits (`told` in `guest-sdk/python/mcpmark_script/gaps.py`).
const EXHAUSTED: [&str; 2] = [
    "the script needs more memory or open files than there are",
    "the script makes something too large for 32 bits",
];

/// Returns the kind of fault of a script that the interpreter itself ended.
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
        interfaces: InterfaceVersions::default(),
        fuel: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_program_before_are_known_where_only_defaults_changed() {
        let now = Limits::SCRIPT;
        assert!(Limits::SCRIPT_BEFORE.are_earlier_defaults(&now));
        assert!(now.are_earlier_defaults(&now));
        let own = |limits: Limits| limits.with("checks=7").unwrap();
        assert!(own(Limits::SCRIPT_BEFORE).are_earlier_defaults(&own(now)));
        assert!(!own(Limits::SCRIPT_BEFORE).are_earlier_defaults(&now));
        // A limit that the task sets is the same in both versions.
        let set = now.with("fuel=7").unwrap();
        assert!(!Limits::SCRIPT_BEFORE.are_earlier_defaults(&set));
        assert!(!Limits::VERIFIER.are_earlier_defaults(&now));
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
