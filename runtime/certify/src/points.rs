//! The eleven points of a certificate, and the conditions that each of them requires.

use serde::Serialize;

/// Condition on the agent that answers with the instruction.
pub(crate) const ECHO_FAILS: &str = "repeating the instruction fails";
/// Condition on the agent that gives the answer of the oracle without a tool call.
pub(crate) const ANSWER_ONLY_FAILS: &str = "answering without acting fails";
/// Condition on the agent whose tool calls are all invalid.
pub(crate) const ERROR_ONLY_FAILS: &str = "calling tools with invalid arguments fails";
/// Condition on an oracle that reads more than it needs.
pub(crate) const EXTRA_READS_PASS: &str = "extra reads are accepted";
/// Condition on an oracle that repeats its calls.
pub(crate) const REPEATED_CALLS_PASS: &str = "repeated calls are accepted";
/// Condition on the checks at which near misses fail.
pub(crate) const INTENDED_CHECK: &str = "near misses fail at the intended check";
/// Condition on the citations of declared checks.
pub(crate) const CHECKS_CITE: &str = "each check cites its sentence";
/// Condition on the sentences of the instruction.
pub(crate) const DEMANDS_HAVE_CHECKS: &str = "each demand has a check";
/// Condition on the variants that make other calls than the solution.
pub(crate) const OTHER_ORDER_PASSES: &str = "a second oracle in another order passes";
/// Condition on the variants that use other tools or other arguments than the solution.
pub(crate) const OTHER_ROUTE_PASSES: &str = "another legitimate route is accepted";
/// Condition on the variants and cheats that follow another reading of the instruction.
pub(crate) const READINGS_DECIDED: &str = "other readings are accepted or excluded";
/// Condition on the scores of the agents `nop` and `random`.
pub(crate) const UNABLE_EARN_NOTHING: &str =
    "doing nothing and calling tools by chance earn no score";
/// Condition on the scores of the oracle after a part of its calls.
pub(crate) const LADDER_IS_MONOTONE: &str = "the ladder of agents is monotone";
/// Condition on the expected values of the verifier that the solution wrote.
pub(crate) const NO_EXPECTED_VALUE: &str = "no expected value of the verifier lies in the world";
/// Condition on the skeletons of the other tasks, as far as they are known.
pub(crate) const NO_TWIN: &str = "no other task has the same skeleton";
/// Condition on the number of tasks whose skeletons are known.
pub(crate) const ALL_COMPARED: &str = "all other tasks were compared";
/// Condition on the worlds of the tasks in other splits.
pub(crate) const WORLDS_SPLIT: &str = "no world is in two splits";
/// Condition on the skeletons of the tasks in other splits, as far as they are known.
pub(crate) const SKELETONS_SPLIT: &str = "no skeleton is in two splits";
/// Condition on the number of tasks in other splits whose skeletons are known.
pub(crate) const SPLIT_COMPARED: &str = "all tasks of other splits were compared";
/// Conditions that require more since format 5 than in earlier certificates, where they do not count.
pub(crate) const TIGHTENED: [&str; 4] = [
    OTHER_ROUTE_PASSES,
    DEMANDS_HAVE_CHECKS,
    UNABLE_EARN_NOTHING,
    LADDER_IS_MONOTONE,
];
/// Condition on the mutants of declared freedoms.
const FREEDOMS_PASS: &str = "what is free is accepted";
/// Requirement that stands for one condition for each cheat.
const CHEATS_FAIL: &str = "every cheat fails";

/// Point of a certificate: one way in which a task can be unsound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Point {
    /// Worlds and verdicts are the same each time.
    Determinism,
    /// The task can be solved within its limits, and not in one order of calls only.
    Oracle,
    /// Agents that do not solve the task fail.
    NegativeAgents,
    /// Solutions with one mistake fail, each at the check that is about the mistake.
    NearMisses,
    /// Solutions that differ in something that does not matter pass.
    HarmlessVariants,
    /// Other legitimate readings of the instruction are accepted, or excluded by the world.
    Readings,
    /// The world and the instruction do not contain the answer.
    Leaks,
    /// Each check cites its sentence, and each demand has a check.
    Citations,
    /// No other task has the same skeleton of calls and of rules.
    Distinctness,
    /// The scores of a ladder of agents rise with their abilities.
    Difficulty,
    /// Training and held-out tasks share neither worlds nor skeletons.
    Split,
}

/// Status of a point in a report or a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointStatus {
    /// All requirements were examined, and hold.
    Passed,
    /// The requirements that were examined hold, but others were not examined.
    InPart,
    /// A requirement does not hold.
    Failed,
    /// No requirement was examined.
    NotExamined,
}

/// Status of one point, with the requirements that keep it from being passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PointResult {
    /// Point of the certificate.
    pub point: Point,
    /// Status of the point.
    pub status: PointStatus,
    /// Requirements that do not hold.
    pub failed: Vec<&'static str>,
    /// Requirements that were not examined.
    pub not_examined: Vec<&'static str>,
}

impl Point {
    /// All points, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Determinism,
        Self::Oracle,
        Self::NegativeAgents,
        Self::NearMisses,
        Self::HarmlessVariants,
        Self::Readings,
        Self::Leaks,
        Self::Citations,
        Self::Distinctness,
        Self::Difficulty,
        Self::Split,
    ];

    /// Returns the name, such as `near-misses`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Determinism => "determinism",
            Self::Oracle => "oracle",
            Self::NegativeAgents => "negative-agents",
            Self::NearMisses => "near-misses",
            Self::HarmlessVariants => "harmless-variants",
            Self::Readings => "readings",
            Self::Leaks => "leaks",
            Self::Citations => "citations",
            Self::Distinctness => "distinctness",
            Self::Difficulty => "difficulty",
            Self::Split => "split",
        }
    }

    /// Returns the requirements: names of conditions of a certification. Some of them no certification examines yet.
    fn requirements(self) -> &'static [&'static str] {
        match self {
            Self::Determinism => &[
                "setting up twice gives the same world",
                "another directory changes nothing",
                "grading again gives the same verdict",
                "both engines give the same verdicts",
            ],
            Self::Oracle => &["the oracle passes", OTHER_ORDER_PASSES],
            Self::NegativeAgents => &[
                "doing nothing fails",
                "calling tools by chance fails",
                ECHO_FAILS,
                ANSWER_ONLY_FAILS,
                ERROR_ONLY_FAILS,
                CHEATS_FAIL,
            ],
            Self::NearMisses => &[
                "near misses are rejected",
                "each kind of near miss is noticed",
                "the verifier judges every near miss",
                INTENDED_CHECK,
            ],
            Self::HarmlessVariants => &[
                FREEDOMS_PASS,
                EXTRA_READS_PASS,
                REPEATED_CALLS_PASS,
                OTHER_ROUTE_PASSES,
            ],
            Self::Readings => &[READINGS_DECIDED],
            Self::Leaks => &[
                "no answer lies in the world or the instruction",
                NO_EXPECTED_VALUE,
            ],
            Self::Citations => &[CHECKS_CITE, DEMANDS_HAVE_CHECKS],
            Self::Distinctness => &[NO_TWIN, ALL_COMPARED],
            Self::Difficulty => &[UNABLE_EARN_NOTHING, LADDER_IS_MONOTONE],
            Self::Split => &[WORLDS_SPLIT, SKELETONS_SPLIT, SPLIT_COMPARED],
        }
    }

    /// Returns the status of the point, given the names of conditions and whether they hold.
    fn result(self, conditions: &[(&str, bool)], free: usize) -> PointResult {
        let (mut holds, mut failed, mut not_examined) = (0_usize, Vec::new(), Vec::new());
        for requirement in self.requirements() {
            // Without declared freedoms the condition holds, but it shows nothing.
            if *requirement == FREEDOMS_PASS && free == 0 {
                let has_failed = conditions.contains(&(FREEDOMS_PASS, false));
                failed.extend(has_failed.then_some(*requirement));
                continue;
            }
            let mut of_requirement = conditions
                .iter()
                .filter(|(name, _)| stands_for(requirement, name))
                .peekable();
            if of_requirement.peek().is_none() {
                not_examined.push(*requirement);
            } else if of_requirement.all(|(_, passed)| *passed) {
                holds += 1;
            } else {
                failed.push(*requirement);
            }
        }
        let status = if !failed.is_empty() {
            PointStatus::Failed
        } else if holds == 0 {
            PointStatus::NotExamined
        } else if not_examined.is_empty() {
            PointStatus::Passed
        } else {
            PointStatus::InPart
        };
        PointResult {
            point: self,
            status,
            failed,
            not_examined,
        }
    }
}

impl PointStatus {
    /// Returns the status in words, as in `not examined`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::InPart => "passed in part",
            Self::Failed => "failed",
            Self::NotExamined => "not examined",
        }
    }
}

/// Returns the status of all points.
///
/// `conditions` are the names of conditions that were examined, and whether they hold. A point is derived from them,
/// and not stored, so that an older certificate claims only what was examined when it was written. `free` is the number
/// of mutants of declared freedoms.
pub(crate) fn points<'a>(
    conditions: impl Iterator<Item = (&'a str, bool)>,
    free: usize,
) -> Vec<PointResult> {
    let conditions: Vec<_> = conditions.collect();
    Point::ALL
        .iter()
        .map(|point| point.result(&conditions, free))
        .collect()
}

/// Reports whether a requirement depends on the condition with this name.
fn stands_for(requirement: &str, condition: &str) -> bool {
    if requirement == CHEATS_FAIL {
        return condition.starts_with("cheat ") && condition.ends_with(" fails");
    }
    requirement == condition
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conditions of a certificate of format 3.
    const OLD: [&str; 15] = [
        "setting up twice gives the same world",
        "the documents are complete",
        "the instruction is as long as it should be",
        "the oracle passes",
        "another directory changes nothing",
        "grading again gives the same verdict",
        "doing nothing fails",
        "calling tools by chance fails",
        "cheat overlooks-the-licence fails",
        "no answer lies in the world or the instruction",
        "near misses are rejected",
        "each kind of near miss is noticed",
        "the verifier judges every near miss",
        FREEDOMS_PASS,
        "both engines give the same verdicts",
    ];

    fn statuses(conditions: &[(&str, bool)], free: usize) -> Vec<PointStatus> {
        let results = points(conditions.iter().copied(), free);
        results.iter().map(|result| result.status).collect()
    }

    #[test]
    fn an_old_certificate_certifies_only_what_it_names() {
        use PointStatus::{InPart, NotExamined, Passed};
        let old = OLD.map(|name| (name, true));
        assert_eq!(
            statuses(&old, 0),
            [
                Passed,
                InPart,
                InPart,
                InPart,
                // No freedom is declared, so no variant was accepted.
                NotExamined,
                NotExamined,
                InPart,
                NotExamined,
                NotExamined,
                NotExamined,
                NotExamined,
            ]
        );
        assert_eq!(statuses(&old, 3)[4], InPart);
        let results = points(old.into_iter(), 0);
        assert_eq!(
            results[2].not_examined,
            [ECHO_FAILS, ANSWER_ONLY_FAILS, ERROR_ONLY_FAILS]
        );
    }

    #[test]
    fn a_point_is_passed_if_all_requirements_hold() {
        let mut conditions: Vec<(&str, bool)> = OLD.map(|name| (name, true)).to_vec();
        for name in [ECHO_FAILS, ANSWER_ONLY_FAILS, ERROR_ONLY_FAILS] {
            conditions.push((name, true));
        }
        assert_eq!(statuses(&conditions, 0)[2], PointStatus::Passed);
        // One cheat that passes is enough.
        conditions.push(("cheat copies fails", false));
        let results = points(conditions.iter().copied(), 0);
        assert_eq!(results[2].status, PointStatus::Failed);
        assert_eq!(results[2].failed, [CHEATS_FAIL]);
    }

    #[test]
    fn no_condition_means_that_nothing_was_examined() {
        assert_eq!(statuses(&[], 0), [PointStatus::NotExamined; 11]);
    }

    #[test]
    fn requirements_belong_to_one_point() {
        let all = Point::ALL.iter().flat_map(|point| point.requirements());
        let all: Vec<_> = all.collect();
        for (index, requirement) in all.iter().enumerate() {
            assert!(!all[..index].contains(requirement), "{requirement}");
        }
        for point in Point::ALL {
            let name = serde_json::to_value(point).unwrap();
            assert_eq!(name, point.as_str());
        }
    }
}
