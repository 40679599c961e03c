//! Whether a verifier or the state that an agent left is to blame for a fault.
//!
//! A verifier that faults on the starting state as well is broken. One that comes to a verdict there
//! was stopped by what the agent left, and the attempt failed: otherwise an agent could void each
//! attempt that it would fail.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mcpmark_sandbox::{Fault, FaultKind, Limits, Sandbox, VerifyInput};
use mcpmark_snapshot::Digest;

use crate::{Judge, Outcome, Terms};

/// Limits that no verdict depends on: the clock never decides, and log lines are dropped.
const OF_THE_HOST: [&str; 2] = ["time_ms", "log_bytes"];

/// What verifiers come to on starting states, for those whose attempts met a fault. Each is graded
/// once for all attempts that share the verifier, its terms and the starting state.
#[derive(Debug, Default)]
pub struct Baselines(Mutex<HashMap<Key, bool>>);

/// The terms of a grade and the starting state.
type Key = (Digest, Digest);

impl Baselines {
    /// The outcome of a grade once it is known who is to blame for a fault: `grade` grades the starting state by the
    /// same verifier, with an empty answer where it is given one. Other outcomes stay.
    pub(crate) fn blame(
        &self,
        outcome: Outcome,
        sandbox: &Sandbox,
        judge: &Judge,
        baseline: VerifyInput,
        limits: &Limits,
        grade: impl FnOnce(VerifyInput) -> Outcome,
    ) -> Outcome {
        let fault = match &outcome {
            Outcome::VerifierFault(fault) if fault.kind.follows_from_input() => fault.clone(),
            // A damaged repository: the world's own, or what an agent made of it.
            Outcome::InvalidTask(message) => Fault {
                kind: FaultKind::Unreadable,
                message: message.clone(),
            },
            _ => return outcome,
        };
        if is_lowered(limits, sandbox) {
            return outcome;
        }
        let key = key(judge, &baseline, limits);
        let known = self.lock().get(&key).copied();
        let gradable = match known {
            Some(gradable) => gradable,
            None => {
                let gradable = match grade(baseline) {
                    Outcome::Graded(_) => true,
                    Outcome::VerifierFault(fault) if fault.kind.follows_from_input() => false,
                    Outcome::InvalidTask(_) => false,
                    // Unknown, and perhaps not so the next time.
                    Outcome::VerifierFault(_) => return outcome,
                    other => return other,
                };
                self.lock().insert(key, gradable);
                gradable
            }
        };
        match gradable {
            true => Outcome::StateFault(fault),
            false => outcome,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether this host grants less than the verifier may use, so that a fault may be the host's.
fn is_lowered(limits: &Limits, sandbox: &Sandbox) -> bool {
    let above = limits.above(&sandbox.ceiling());
    above.iter().any(|(name, _)| !OF_THE_HOST.contains(name))
}

fn key(judge: &Judge, baseline: &VerifyInput, limits: &Limits) -> Key {
    let parameters = serde_json::from_str(&baseline.parameters).unwrap_or_default();
    let clock = match judge {
        Judge::Script(judge) => judge.clock,
        Judge::Component(_) | Judge::HeldBack(_) => 0,
    };
    let answer = baseline.answer.is_some();
    let terms = Terms::of(judge, parameters, answer, *limits, clock).document();
    let terms = Digest::of(mcpmark_json::canonical(&terms).as_bytes());
    (terms, baseline.start.digest())
}
