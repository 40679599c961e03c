use std::collections::BTreeMap;

use mcpmark_snapshot::Digest;
use serde::Serialize;

use crate::Certificate;

/// A task as it is: what a certificate is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The task.
    pub task: String,
    /// Its sources, without the certificate.
    pub sources: Digest,
    /// What its guests are compiled of beyond that, in one digest.
    pub code: Digest,
    /// The starting state.
    pub world: Digest,
    /// The verifier as it was built here.
    pub verifier: Digest,
}

/// What the examination of one task showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Which task, as it was.
    #[serde(flatten)]
    pub identity: Identity,
    /// Whether this was looked at now; else a certificate that holds says so.
    pub examined: bool,
    /// What was looked at, in order.
    pub checks: Vec<Check>,
    /// What an author may want to know, though nothing is wrong.
    pub remarks: Vec<String>,
    /// Sources of both the verifier and the solution: what is misread there, both misread.
    pub shared: Vec<String>,
    /// What became of the worlds that were almost solved.
    pub mutants: Mutants,
    /// The checks of the verifier that hold before anything is done; none where that is not known.
    pub held_at_start: Option<Vec<String>>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What should hold.
    pub name: String,
    /// Whether it does.
    pub passed: bool,
    /// What was found.
    pub detail: String,
}

/// Mutation testing in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Mutants {
    /// Mutants that should be rejected.
    pub made: usize,
    /// Those that were.
    pub rejected: usize,
    /// Mutants of declared freedoms, which should be accepted.
    pub free: usize,
    /// Those that were.
    pub accepted: usize,
    /// For each mutation: how many were made, and how many of these were rejected.
    pub mutations: BTreeMap<String, (usize, usize)>,
    /// Those for which the verifier came to another verdict than it should.
    pub survivors: Vec<Survivor>,
}

/// A mutant that was accepted and should not be, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// What was done.
    pub mutation: &'static str,
    /// To which file.
    pub path: String,
    /// In words.
    pub what: String,
    /// `accepted`, `rejected` or the verifier's fault.
    pub verdict: String,
    /// The text that the oracle left against that of the mutant, where it is text.
    pub diff: String,
}

impl Report {
    /// What a certificate says of a task for which it holds.
    pub fn certified(identity: Identity, certificate: &Certificate) -> Self {
        let check = |name: &String| Check {
            name: name.clone(),
            passed: true,
            detail: "as the certificate says".to_owned(),
        };
        let (made, rejected) = certificate.mutants;
        Self {
            identity,
            examined: false,
            checks: certificate.checks.iter().map(check).collect(),
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
        }
    }

    /// Whether the task may be shipped.
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// What stands against that.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.passed)
    }
}

impl Mutants {
    /// The share of mutants that were rejected, from 0 to 1; none where none was made.
    pub fn score(&self) -> Option<f64> {
        (self.made > 0).then(|| self.rejected as f64 / self.made as f64)
    }
}
