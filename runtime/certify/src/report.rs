//! Report of a certification.

use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use serde::Serialize;

use crate::points::points;
use crate::{Certificate, PointResult, Skeleton};

/// Digests of the current state of a task, which a certificate is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Id of the task.
    pub task: String,
    /// Digest of the task's directory without the certificate.
    pub sources: Digest,
    /// Digest of the other code that verifier, solution and the guests of the world are compiled from.
    pub code: Digest,
    /// Digest of the starting state.
    pub world: Digest,
    /// Digest of the verifier as it was built on this machine.
    pub verifier: Digest,
}

/// Result of the certification of a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Digests of the task at the time of the certification.
    #[serde(flatten)]
    pub identity: Identity,
    /// Set if the certification ran now. Otherwise the report is derived from a valid certificate.
    pub examined: bool,
    /// Conditions that were checked, in order.
    pub checks: Vec<Check>,
    /// Remarks for the author that are not failures.
    pub remarks: Vec<String>,
    /// Source files that both the verifier and the solution use. An error in them can affect both in the same way and
    /// remain unnoticed.
    pub shared: Vec<String>,
    /// Results of the mutants.
    pub mutants: Mutants,
    /// Checks of the verifier that pass on the starting state. `None` if they are unknown.
    pub held_at_start: Option<Vec<String>>,
    /// Scores of agents, from 0 to 1, as far as they are known: `nop`, `random`, `greedy` for the best cheat, and
    /// `oracle-25` to `oracle-75` for the oracle after a part of its calls.
    pub scores: BTreeMap<String, f64>,
    /// Number of additional tool calls in each harmless variant of the oracle that the verifier accepted.
    pub variants: BTreeMap<String, u32>,
    /// Skeleton of the task. `None` if its solution did not pass, or if it is not in the certificate.
    pub skeleton: Option<Skeleton>,
    /// Warnings about the style of the instruction and the tier, which are not failures.
    pub style: Vec<String>,
}

/// One condition of a certification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Condition that should hold.
    pub name: String,
    /// Set if the condition holds.
    pub passed: bool,
    /// Details of the result.
    pub detail: String,
}

/// Results of mutation testing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Mutants {
    /// Number of mutants that should be rejected.
    pub made: usize,
    /// Number of them that were rejected.
    pub rejected: usize,
    /// Number of mutants of declared freedoms, which should be accepted.
    pub free: usize,
    /// Number of them that were accepted.
    pub accepted: usize,
    /// Numbers of mutants made and rejected, for each mutation.
    pub mutations: BTreeMap<String, (usize, usize)>,
    /// Mutants with the wrong verdict, up to a limit.
    pub survivors: Vec<Survivor>,
}

/// Mutant with the wrong verdict: accepted although it should be rejected, or the reverse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// Name of the mutation.
    pub mutation: &'static str,
    /// Mutated path.
    pub path: String,
    /// Description of the change.
    pub what: String,
    /// `accepted`, `rejected` or the error of the verifier.
    pub verdict: String,
    /// Unified diff from the text of the oracle to that of the mutant. Empty if no text was mutated.
    pub diff: String,
}

impl Report {
    /// Creates the report of a task from a certificate that is valid for it.
    pub fn certified(identity: Identity, certificate: &Certificate) -> Self {
        let check = |name: &str| Check {
            name: name.to_owned(),
            passed: true,
            detail: "from the certificate".to_owned(),
        };
        let (made, rejected) = certificate.mutants;
        Self {
            identity,
            examined: false,
            checks: certificate.conditions().map(check).collect(),
            remarks: Vec::new(),
            shared: Vec::new(),
            mutants: Mutants {
                made,
                rejected,
                free: certificate.free,
                accepted: certificate.free,
                mutations: certificate.mutations.clone(),
                survivors: Vec::new(),
            },
            held_at_start: certificate.held_at_start.clone(),
            scores: certificate.scores.clone(),
            variants: certificate.variants.clone(),
            skeleton: certificate.skeleton,
            style: Vec::new(),
        }
    }

    /// Returns the status of each point of the certification.
    pub fn points(&self) -> Vec<PointResult> {
        let conditions = self.checks.iter();
        let conditions = conditions.map(|check| (check.name.as_str(), check.passed));
        points(conditions, self.mutants.free)
    }

    /// Reports whether the task passed all checks.
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// Returns the failed checks.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passed)
    }
}

impl Mutants {
    /// Returns the share of mutants that were rejected, from 0 to 1, or `None` if there are no mutants.
    pub fn score(&self) -> Option<f64> {
        (self.made > 0).then(|| self.rejected as f64 / self.made as f64)
    }
}
