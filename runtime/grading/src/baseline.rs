//! Baselines: the results of verifiers on starting states.
//!
//! A baseline decides two questions. If a verifier faults on the starting state as well, the verifier is broken. If it
//! returns a verdict there, a fault on the final state was caused by the agent and the attempt failed; otherwise an
//! agent could void every attempt that it would fail. And a check that already passes on the starting state earns
//! nothing ([`ScoreRule::Earned`](mcpmark_journal::ScoreRule)).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcpmark_journal::{Outcome, Scoring};
use mcpmark_sandbox::{Fault, FaultKind, Limits, Sandbox, Verdict, VerifyInput};
use mcpmark_snapshot::Digest;

use crate::{Judge, Terms};

/// Names of limits that no verdict depends on: a timeout never decides a grade, and excess log lines are dropped.
const OF_THE_HOST: [&str; 2] = ["time_ms", "log_bytes"];

/// Cache of baselines. Each verifier grades a starting state once for all attempts that share the verifier, the terms
/// and the starting state.
#[derive(Debug, Default)]
pub struct Baselines(Mutex<HashMap<Key, Arc<Mutex<Option<Baseline>>>>>);

/// Digests of the terms of a grade and of the starting state.
type Key = (Digest, Digest);

/// Result of a verifier on a starting state.
#[derive(Debug, Clone)]
enum Baseline {
    /// Verdict, as the names of the checks and whether each passed.
    Verdict(Arc<[(String, bool)]>),
    /// Fault of the verifier.
    Fault,
}

impl Baseline {
    fn of(verdict: &Verdict) -> Self {
        let checks = verdict.checks().iter();
        Self::Verdict(checks.map(|it| (it.name.clone(), it.passed)).collect())
    }
}

impl Baselines {
    /// Attributes a fault to the final state or to the verifier, by the result of the same verifier on the starting
    /// state. `grade` grades the starting state, with an empty answer if the verifier gets an answer. Other outcomes
    /// are returned unchanged.
    pub(crate) fn attribute_fault(
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
            // A damaged repository: damaged in the world itself, or by the agent.
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

    /// Returns a verdict with its scoring: by earned checks if the verdict on the starting state is known, otherwise by
    /// the share of passed checks.
    pub(crate) fn score(
        &self,
        verdict: Verdict,
        judge: &Judge,
        baseline: VerifyInput,
        limits: &Limits,
        grade: impl FnOnce(VerifyInput) -> Outcome,
    ) -> Outcome {
        let start = match verdict.checks() {
            // The score of a single check does not depend on the baseline, and a script may take long.
            [_] => Ok(Baseline::Verdict(Arc::default())),
            _ => self.at_start(judge, baseline, limits, grade),
        };
        let scoring = match start {
            Ok(Baseline::Verdict(start)) => Scoring::earned(verdict.checks(), &start),
            Ok(Baseline::Fault) | Err(_) => Scoring::default(),
        };
        Outcome::Graded { verdict, scoring }
    }

    /// Returns a verdict on the starting state itself with its scoring.
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

    /// Returns the result of the verifier on the starting state, from the cache if possible. An error is an outcome
    /// that may differ the next time, so it is not cached.
    fn at_start(
        &self,
        judge: &Judge,
        baseline: VerifyInput,
        limits: &Limits,
        grade: impl FnOnce(VerifyInput) -> Outcome,
    ) -> Result<Baseline, Box<Outcome>> {
        let cell = self.cell(judge, &baseline, limits);
        // Other attempts of the task wait here, and then use the cached result.
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

/// Reports whether the ceiling of this host is below the limits of the verifier, so that the host may have caused a
/// fault.
fn is_lowered(limits: &Limits, sandbox: &Sandbox) -> bool {
    let above = limits.above(&sandbox.ceiling());
    above.iter().any(|(name, _)| !OF_THE_HOST.contains(name))
}

fn key(judge: &Judge, baseline: &VerifyInput, limits: &Limits) -> Key {
    let parameters = serde_json::from_str(&baseline.parameters).unwrap_or_default();
    let clock = match judge {
        Judge::Script(judge) => judge.clock,
        Judge::Component(verifier) => verifier.clock().unwrap_or_default(),
        Judge::HeldBack(_) => 0,
    };
    let answer = baseline.answer.is_some();
    let terms = Terms::of(judge, parameters, answer, *limits, clock).document();
    // The terms of a script contain them, and those of a component do not: a task passes none.
    let terms = serde_json::json!([terms, baseline.arguments, baseline.environment]);
    let terms = Digest::of(mcpmark_json::canonical(&terms).as_bytes());
    (terms, baseline.start.digest())
}
