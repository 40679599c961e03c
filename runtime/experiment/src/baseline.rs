//! What verifiers say of starting states.
//!
//! Two things follow from that. A verifier that faults on the starting state as well is broken; one that comes to a
//! verdict there was stopped by what the agent left, and the attempt failed: otherwise an agent could void each attempt
//! that it would fail. And a check that holds there earns nothing ([`ScoreRule::Earned`](crate::ScoreRule)).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcpmark_sandbox::{Fault, FaultKind, Limits, Sandbox, Verdict, VerifyInput};
use mcpmark_snapshot::Digest;

use crate::{Judge, Outcome, Scoring, Terms};

/// Limits that no verdict depends on: the clock never decides, and log lines are dropped.
const OF_THE_HOST: [&str; 2] = ["time_ms", "log_bytes"];

/// What verifiers say of starting states. Each is asked once for all attempts that share the verifier, its terms and
/// the starting state.
#[derive(Debug, Default)]
pub struct Baselines(Mutex<HashMap<Key, Arc<Mutex<Option<Baseline>>>>>);

/// The terms of a grade and the starting state.
type Key = (Digest, Digest);

/// What a verifier says of a starting state.
#[derive(Debug, Clone)]
enum Baseline {
    /// It comes to a verdict: the names of its checks, and whether they hold.
    Verdict(Arc<[(String, bool)]>),
    /// It faults.
    Fault,
}

impl Baseline {
    fn of(verdict: &Verdict) -> Self {
        let checks = verdict.checks().iter();
        Self::Verdict(checks.map(|it| (it.name.clone(), it.passed)).collect())
    }
}

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
        match self.at_start(judge, baseline, limits, grade) {
            Ok(Baseline::Verdict(_)) => Outcome::StateFault(fault),
            Ok(Baseline::Fault) => outcome,
            Err(other) => match *other {
                Outcome::VerifierFault(_) => outcome,
                other => other,
            },
        }
    }

    /// A verdict with its scoring: by what the agent earned, where the verifier's verdict on the starting state is
    /// known.
    pub(crate) fn score(
        &self,
        verdict: Verdict,
        judge: &Judge,
        baseline: VerifyInput,
        limits: &Limits,
        grade: impl FnOnce(VerifyInput) -> Outcome,
    ) -> Outcome {
        let start = match verdict.checks() {
            // Its score is 0 or 1 whatever held at the start, and a script may take long.
            [_] => Ok(Baseline::Verdict(Arc::default())),
            _ => self.at_start(judge, baseline, limits, grade),
        };
        let scoring = match start {
            Ok(Baseline::Verdict(start)) => Scoring::earned(verdict.checks(), &start),
            Ok(Baseline::Fault) | Err(_) => Scoring::default(),
        };
        Outcome::Graded { verdict, scoring }
    }

    /// A verdict on the starting state itself with its scoring.
    pub(crate) fn untouched(
        &self,
        verdict: Verdict,
        judge: &Judge,
        baseline: &VerifyInput,
        limits: &Limits,
    ) -> Outcome {
        let start = Baseline::of(&verdict);
        let cell = self.cell(judge, baseline, limits);
        let mut known = cell.lock().unwrap_or_else(PoisonError::into_inner);
        let start = known.get_or_insert(start).clone();
        drop(known);
        let scoring = match start {
            Baseline::Verdict(start) => Scoring::earned(verdict.checks(), &start),
            Baseline::Fault => Scoring::default(),
        };
        Outcome::Graded { verdict, scoring }
    }

    /// What the verifier says of the starting state, asked for unless it is known. An error is an outcome that may be
    /// another one the next time.
    fn at_start(
        &self,
        judge: &Judge,
        baseline: VerifyInput,
        limits: &Limits,
        grade: impl FnOnce(VerifyInput) -> Outcome,
    ) -> Result<Baseline, Box<Outcome>> {
        let cell = self.cell(judge, &baseline, limits);
        // Other attempts of the task wait here, and need not ask again.
        let mut known = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(known.clone());
        }
        let found = match grade(baseline) {
            Outcome::Graded { verdict, .. } => Baseline::of(&verdict),
            Outcome::VerifierFault(fault) if fault.kind.follows_from_input() => Baseline::Fault,
            Outcome::InvalidTask(_) => Baseline::Fault,
            other => return Err(Box::new(other)),
        };
        Ok(known.insert(found).clone())
    }

    fn cell(
        &self,
        judge: &Judge,
        baseline: &VerifyInput,
        limits: &Limits,
    ) -> Arc<Mutex<Option<Baseline>>> {
        let key = key(judge, baseline, limits);
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(cells.entry(key).or_default())
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
