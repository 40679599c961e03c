use mcpmark_sandbox::{Limits, Log, RunError, Sandbox, Verifier, VerifyInput};
use mcpmark_snapshot::{Digest, Snapshot, Store};

use crate::Outcome;

/// Everything that a grade follows from, by digest.
#[derive(Debug, Clone)]
pub struct GradeInput {
    /// The starting state, in the store.
    pub start: Digest,
    /// The final state, in the store.
    pub state: Digest,
    /// The agent's last message, if the task is judged on it.
    pub answer: Option<String>,
    /// The task's parameters as a JSON object.
    pub parameters: String,
}

/// Grades a stored state. The first grade and every later one come through here.
pub fn grade(
    sandbox: &Sandbox,
    store: &Store,
    verifier: &Verifier,
    input: GradeInput,
    limits: &Limits,
) -> (Outcome, Log) {
    let load = |what: &str, digest: &Digest| -> Result<Snapshot, Outcome> {
        store.snapshot(digest).map_err(|error| {
            Outcome::InfraError(format!("the {what} state {digest} cannot be read: {error}"))
        })
    };
    let states = load("starting", &input.start)
        .and_then(|start| load("final", &input.state).map(|end| (start, end)));
    let (start, end) = match states {
        Ok(states) => states,
        Err(outcome) => return (outcome, Log::default()),
    };
    let input = VerifyInput {
        answer: input.answer,
        parameters: input.parameters,
        ..VerifyInput::new(start, end)
    };
    grade_loaded(sandbox, verifier, input, limits)
}

/// Grades a stored state that was read already, for those who grade it many times.
pub fn grade_loaded(
    sandbox: &Sandbox,
    verifier: &Verifier,
    input: VerifyInput,
    limits: &Limits,
) -> (Outcome, Log) {
    let run = sandbox.verify(verifier, input, limits);
    let outcome = match run.result {
        Ok(verdict) => Outcome::Graded(verdict),
        Err(RunError::Fault(fault)) => Outcome::VerifierFault(fault),
        Err(RunError::Host(message)) => Outcome::InfraError(message),
    };
    (outcome, run.log)
}
