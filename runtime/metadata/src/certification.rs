//! Certification of tasks (`task check`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task::CertificatePoint;

/// Output of `task check`: the certification of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certification {
    /// True if all conditions hold for all tasks.
    pub passed: bool,
    /// Tasks, in the order of the library.
    pub tasks: Vec<CertifiedTask>,
}

/// Task of a certification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CertifiedTask {
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Digest of the directory of the task without the certificate.
    pub sources: String,
    /// Digest of the other code that verifier, solution and the guests of the world are compiled from.
    pub code: String,
    /// Digest of the starting state.
    pub world: String,
    /// Digest of the verifier, as it was built on this machine.
    pub verifier: String,
    /// True if the task was examined now. Otherwise the results are those of a valid certificate.
    pub examined: bool,
    /// Conditions, in the order of their examination.
    pub checks: Vec<Condition>,
    /// Remarks for the author that are not failures.
    pub remarks: Vec<String>,
    /// Source files that both the verifier and the solution use, so that an error in them affects both.
    pub shared: Vec<String>,
    /// Results of the mutants.
    pub mutants: MutantResults,
    /// Checks of the verifier that pass on the starting state; null if they are unknown.
    pub held_at_start: Option<Vec<String>>,
    /// Scores of agents, from 0 to 1, as far as they are known.
    pub scores: BTreeMap<String, f64>,
    /// Number of additional tool calls in each accepted variant of the solution.
    pub variants: BTreeMap<String, u32>,
    /// Skeleton of the task, which no other task must share; null if it is unknown.
    pub skeleton: Option<Skeleton>,
    /// Warnings about the style of the instruction, which are not failures.
    pub style: Vec<String>,
    /// True if all conditions hold.
    pub passed: bool,
    /// Points of the certificate, in a fixed order.
    pub points: Vec<CertificatePoint>,
}

/// Skeleton of a task. Two tasks with equal skeletons are solved and judged in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skeleton {
    /// Digest of the calls of the solution: tools, keys of the arguments, extensions of the files that they name, and
    /// values of enumerations. Repetitions count once.
    pub calls: String,
    /// Digest of the sources of the verifier without comments and literals.
    pub rules: String,
}

/// Condition of a certification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// Name of the condition.
    pub name: String,
    /// True if the condition holds.
    pub passed: bool,
    /// Details of the result.
    pub detail: String,
}

/// Results of mutation testing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MutantResults {
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
    /// Share of mutants that were rejected, from 0 to 1; null without mutants.
    pub score: Option<f64>,
}

/// Mutant with the wrong verdict: accepted although it should be rejected, or the reverse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Survivor {
    /// Name of the mutation.
    pub mutation: String,
    /// Mutated place.
    pub path: String,
    /// Description of the change.
    pub what: String,
    /// `accepted`, `rejected` or the error of the verifier.
    pub verdict: String,
    /// Unified diff from the text of the solution to that of the mutant. Empty if no text was mutated.
    pub diff: String,
}

/// Output of `task check --tasks CORPUS`: the examination of published tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedCertification {
    /// True if all conditions hold for all tasks.
    pub passed: bool,
    /// Tasks, in the order of the corpus.
    pub tasks: Vec<ExaminedPublishedTask>,
}

/// Examined task of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExaminedPublishedTask {
    /// Id of the task: its path in the corpus.
    pub task: String,
    /// Digest of the script.
    pub verifier: String,
    /// Digest of the starting state.
    pub world: String,
    /// Conditions, in the order of their examination.
    pub checks: Vec<Condition>,
    /// Remarks for the author that are not failures.
    pub remarks: Vec<String>,
    /// Number of mutants that were graded; 0 if no passing state is known.
    pub mutants: usize,
    /// Number of mutants that the verifier rejected.
    pub rejected: usize,
    /// Number of states that native Python graded as well.
    pub compared: usize,
    /// True if all conditions hold.
    pub passed: bool,
}
