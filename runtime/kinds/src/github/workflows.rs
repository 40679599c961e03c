//! Sandboxed guest that runs the workflows of a github world.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcpmark_github::ci::{Event, InputFault, Ran, Reported, Runner, RunnerError};
use mcpmark_sandbox::{
    FaultKind, Limits, LoadError, RunError, Sandbox, Verdict, Verifier, VerifyInput,
};

use crate::kind::verifier_without_wasi;

/// Fuel that all workflows triggered by one script may use together: the same amount as the script itself.
const FUEL_OF_A_SCRIPT: u64 = Limits::SCRIPT.fuel;

/// Runner of workflows. The guest has the interface and the limits of a verifier.
#[derive(Clone)]
pub(crate) struct WorkflowGuest {
    sandbox: Sandbox,
    guest: Verifier,
    component: Arc<[u8]>,
    /// The same guest in a second sandbox with its own slots, created when a script first triggers a workflow.
    second: Arc<OnceLock<Result<(Sandbox, Verifier), String>>>,
}

impl fmt::Debug for WorkflowGuest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkflowGuest")
            .field(&self.guest.digest())
            .finish()
    }
}

impl WorkflowGuest {
    /// Loads the guest of a world.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is not a verifier.
    pub(crate) fn load(sandbox: &Sandbox, component: &[u8]) -> Result<Self, LoadError> {
        Ok(Self {
            guest: verifier_without_wasi(sandbox, component)?,
            sandbox: sandbox.clone(),
            component: component.into(),
            second: Arc::default(),
        })
    }

    /// Returns a runner for the workflows that one script triggers. The script occupies a slot of the sandbox while it
    /// waits for them, so they run in a second sandbox.
    pub(crate) fn of_script(&self) -> ScriptWorkflows {
        ScriptWorkflows {
            guest: self.clone(),
            fuel: Mutex::new(FUEL_OF_A_SCRIPT),
        }
    }

    fn with_own_slots(&self) -> Result<&(Sandbox, Verifier), RunnerError> {
        let made = self.second.get_or_init(|| {
            let sandbox = self
                .sandbox
                .with_own_slots()
                .map_err(|error| error.to_string())?;
            let guest = sandbox.verifier(&self.component);
            let guest = guest.map_err(|error| error.to_string())?;
            Ok((sandbox, guest))
        });
        made.as_ref()
            .map_err(|problem| RunnerError::Host(problem.clone()))
    }
}

impl Runner for WorkflowGuest {
    fn run(&self, event: Event, fuel: u64) -> Ran {
        run(
            &self.sandbox,
            &self.guest,
            event,
            fuel,
            RunnerError::fuel_of_call,
        )
    }
}

/// Runner of the workflows that one script triggers.
pub(crate) struct ScriptWorkflows {
    guest: WorkflowGuest,
    /// Fuel that remains for all of these workflows.
    fuel: Mutex<u64>,
}

impl Runner for ScriptWorkflows {
    fn run(&self, event: Event, fuel: u64) -> Ran {
        let (sandbox, guest) = match self.guest.with_own_slots() {
            Ok(second) => second,
            Err(error) => {
                return Ran {
                    result: Err(error),
                    fuel: 0,
                };
            }
        };
        let spent = || {
            RunnerError::Spent(format!(
                "the workflows that the script sets off use more than {FUEL_OF_A_SCRIPT} units of fuel together (fixed)"
            ))
        };
        let mut left = self.fuel.lock().unwrap_or_else(PoisonError::into_inner);
        let ran = run(sandbox, guest, event, fuel.min(*left), spent);
        *left = left.saturating_sub(ran.fuel);
        ran
    }
}

/// Runs the guest under the limits of a verifier, and with at most `fuel`. Returns the error of `spent` if the guest
/// exhausts a `fuel` below the limit of a verifier, because it might have finished with the full limit.
fn run(
    sandbox: &Sandbox,
    guest: &Verifier,
    event: Event,
    fuel: u64,
    spent: impl FnOnce() -> RunnerError,
) -> Ran {
    let own = Limits::VERIFIER;
    let limits = Limits {
        fuel: own.fuel.min(fuel),
        ..own
    };
    let mut input = VerifyInput::new(event.before, event.after);
    input.parameters = event.parameters;
    let run = sandbox.verify(guest, input, &limits);
    let fuel = run.fuel;
    let result = match run.result {
        Err(RunError::Fault(fault)) if fault.kind == FaultKind::Fuel && limits.fuel < own.fuel => {
            Err(spent())
        }
        result => reported(result),
    };
    Ran { result, fuel }
}

fn reported(result: Result<Verdict, RunError>) -> Result<Vec<Reported>, RunnerError> {
    match result {
        Ok(verdict) => Ok(verdict
            .checks()
            .iter()
            .map(|check| Reported {
                name: check.name.clone(),
                passed: check.passed,
                output: check.detail.clone(),
            })
            .collect()),
        Err(RunError::Fault(fault)) => {
            let message = fault.to_string();
            Err(match input_fault(fault.kind) {
                Some(fault) => RunnerError::Input { fault, message },
                None => RunnerError::Guest(message),
            })
        }
        // The guest cannot read the trees that it got.
        Err(RunError::World(message)) => Err(RunnerError::Input {
            fault: InputFault::Unreadable,
            message,
        }),
        Err(RunError::Host(message)) => Err(RunnerError::Host(message)),
    }
}

/// Kind of a fault that the input of the guest determines. `None` if it says something about the guest or the machine.
fn input_fault(kind: FaultKind) -> Option<InputFault> {
    match kind {
        FaultKind::Trap => Some(InputFault::Trap),
        FaultKind::Fuel => Some(InputFault::Fuel),
        FaultKind::Memory => Some(InputFault::Memory),
        FaultKind::Wait => Some(InputFault::Wait),
        FaultKind::Copy => Some(InputFault::Copy),
        FaultKind::Output => Some(InputFault::Output),
        FaultKind::Unreadable => Some(InputFault::Unreadable),
        // A repository has no database, so no statement of a workflow reaches its limit.
        FaultKind::Statement => None,
        FaultKind::Time | FaultKind::Link | FaultKind::Disagreement => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use mcpmark_sandbox::SandboxConfig;
    use mcpmark_snapshot::{MemoryBlobs, Snapshot, Tree};

    use super::*;

    #[test]
    fn faults_that_follow_from_the_input_have_a_kind_for_logs() {
        for kind in [
            FaultKind::Trap,
            FaultKind::Fuel,
            FaultKind::Memory,
            FaultKind::Time,
            FaultKind::Wait,
            FaultKind::Copy,
            FaultKind::Output,
            FaultKind::Link,
            FaultKind::Disagreement,
            FaultKind::Unreadable,
        ] {
            let found = input_fault(kind).is_some();
            assert_eq!(found, kind.follows_from_input(), "{kind}");
        }
    }

    #[test]
    fn the_workflows_of_one_script_have_their_fuel_together() {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/end_to_end/guests/lints.wat");
        let component = wat::parse_file(file).unwrap();
        let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
        let ci = WorkflowGuest::load(&sandbox, &component).unwrap();
        let empty = Snapshot::new(Tree::empty(), Arc::new(MemoryBlobs::new()));
        let event = || Event {
            before: empty.clone(),
            after: empty.clone(),
            parameters: "{}".to_owned(),
        };
        let script = ci.of_script();
        let run = |script: &ScriptWorkflows| script.run(event(), u64::MAX).result;
        run(&script).unwrap();
        let used = FUEL_OF_A_SCRIPT - *script.fuel.lock().unwrap();
        assert!(used > 0);
        // Enough for one more run, but not for two.
        *script.fuel.lock().unwrap() = used + used / 2;
        run(&script).unwrap();
        let spent = run(&script).unwrap_err();
        assert!(matches!(&spent, RunnerError::Spent(_)), "{spent}");
        run(&ci.of_script()).unwrap();
        // The budget of a call is limited in the same way.
        assert_eq!(ci.run(event(), u64::MAX).fuel, used);
        let ran = ci.run(event(), used / 2);
        assert!(matches!(&ran.result, Err(RunnerError::Spent(_))), "{ran:?}");
        assert!(ran.fuel > 0);
    }
}
