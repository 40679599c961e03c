//! Ladder of agents: how much of a task's score agents of rising ability earn.

use std::collections::BTreeMap;

use mcpmark_agent::Agent;
use mcpmark_experiment::Oracle;

use crate::certification_run::{CertificationRun, NOP, RANDOM};
use crate::play::Played;
use crate::points::{LADDER_IS_MONOTONE, UNABLE_EARN_NOTHING};

/// Parts of the oracle's calls that the rungs make, in percent.
const RUNGS: [u32; 3] = [25, 50, 75];

impl CertificationRun<'_> {
    /// Plays the oracle up to a part of its calls, and checks that longer parts earn at least the score of shorter
    /// ones. `start` contains the checks on the starting state. Without them there are no scores, so both conditions
    /// fail.
    pub(crate) async fn ladder(&mut self, solved: &Played, start: Option<&[(String, bool)]>) {
        let (is_nothing, detail) = unable(&self.scores);
        self.check(UNABLE_EARN_NOTHING, is_nothing, detail);
        let Some(start) = start else {
            let detail = format!("no score is known, because {NOP} was not judged");
            return self.check(LADDER_IS_MONOTONE, false, detail);
        };

        let Some(solution) = &self.prepared.solution else {
            return;
        };
        let parameters = self.prepared.parameters.clone();
        let oracle = Oracle::new(self.sandbox.clone(), solution.clone(), parameters);
        let rungs_of = rungs_of(solved.tool_calls);
        let cut = rungs_of.iter();
        let cut: Vec<Oracle> = cut
            .map(|(_, calls)| oracle.clone().with_most_calls(*calls))
            .collect();
        let agents: Vec<&dyn Agent> = cut.iter().map(|rung| rung as &dyn Agent).collect();
        let played = self.play_all(&agents).await;
        let mut rungs = Vec::new();
        for ((percent, _), played) in rungs_of.into_iter().zip(played) {
            let played = match played {
                Ok(played) => played,
                Err(reason) => {
                    let detail = format!("{percent} % of the calls: {reason}");
                    return self.check(LADDER_IS_MONOTONE, false, detail);
                }
            };
            let judged = self.judge(&played.tree, played.answer.as_deref());
            let score = match &judged {
                Ok(verdict) => self.score(verdict, start),
                Err(error) => {
                    let detail = format!("{percent} % of the calls: not judged: {error}");
                    return self.check(LADDER_IS_MONOTONE, false, detail);
                }
            };
            rungs.push((percent, score));
        }
        let is_monotone = rungs.is_sorted_by(|one, other| one.1 <= other.1);
        let shown: Vec<String> = rungs
            .iter()
            .map(|(percent, score)| format!("{percent} % of the calls {score:.2}"))
            .collect();
        self.check(LADDER_IS_MONOTONE, is_monotone, shown.join(", "));
        let rungs: BTreeMap<_, _> = rungs
            .into_iter()
            .map(|(percent, score)| (format!("oracle-{percent}"), score))
            .collect();
        self.scores.extend(rungs);
    }
}

/// Reports whether the agents that cannot solve a task have the score 0, with the detail of the condition. A score that is
/// missing is a failure.
fn unable(scores: &BTreeMap<String, f64>) -> (bool, String) {
    let mut problems = Vec::new();
    for agent in [NOP, RANDOM] {
        match scores.get(agent) {
            None => problems.push(format!("{agent} has no score, because it was not judged")),
            Some(score) if *score > 0.0 => problems.push(format!(
                "{agent} {score:.2}; expected 0: give weight only to checks that need a part of the solution"
            )),
            Some(_) => {}
        }
    }
    let detail = if problems.is_empty() {
        format!("{NOP} 0, {RANDOM} 0")
    } else {
        problems.join("; ")
    };
    (problems.is_empty(), detail)
}

/// Returns the rungs for an oracle with this number of calls: percentage and number of calls.
fn rungs_of(calls: u32) -> Vec<(u32, u32)> {
    RUNGS
        .into_iter()
        .map(|percent| {
            (
                percent,
                (u64::from(calls) * u64::from(percent) / 100) as u32,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_without_a_score_fail() {
        let scores = |scores: &[(&str, f64)]| -> BTreeMap<String, f64> {
            let scores = scores.iter();
            scores
                .map(|(agent, score)| ((*agent).to_owned(), *score))
                .collect()
        };
        assert_eq!(
            unable(&scores(&[(NOP, 0.0), (RANDOM, 0.0)])),
            (true, "nop 0, random 0".to_owned())
        );
        assert_eq!(
            unable(&scores(&[(NOP, 0.0)])),
            (
                false,
                "random has no score, because it was not judged".to_owned()
            )
        );
        let (is_nothing, detail) = unable(&scores(&[(RANDOM, 0.25)]));
        assert!(!is_nothing);
        assert!(
            detail.starts_with(
                "nop has no score, because it was not judged; random 0.25; expected 0"
            )
        );
    }

    #[test]
    fn rungs_are_parts_of_the_calls() {
        assert_eq!(rungs_of(31), [(25, 7), (50, 15), (75, 23)]);
        assert_eq!(rungs_of(1), [(25, 0), (50, 0), (75, 0)]);
        assert_eq!(rungs_of(u32::MAX)[2].1, 3_221_225_471);
    }
}
