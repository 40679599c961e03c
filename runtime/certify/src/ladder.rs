//! Ladder of agents: how much of a task's score agents of rising ability earn.

use std::collections::BTreeMap;

use mcpmark_agent::Oracle;

use crate::certification_run::{CertificationRun, NOP, RANDOM};
use crate::play::Played;
use crate::points::{LADDER_IS_MONOTONE, UNABLE_EARN_NOTHING};

/// Parts of the oracle's calls that the rungs make, in percent.
const RUNGS: [u32; 3] = [25, 50, 75];

impl CertificationRun<'_> {
    /// Plays the oracle up to a part of its calls, and checks that longer parts earn at least the score of shorter
    /// ones. `start` contains the checks on the starting state.
    pub(crate) async fn ladder(&mut self, solved: &Played, start: &[(String, bool)]) {
        let earned: Vec<String> = [NOP, RANDOM]
            .into_iter()
            .filter_map(|agent| {
                let score = self.scores.get(agent).filter(|score| **score > 0.0)?;
                Some(format!("{agent} {score:.2}"))
            })
            .collect();
        let detail = match &earned[..] {
            [] => "nop 0, random 0".to_owned(),
            earned => format!(
                "{}; expected 0: give weight only to checks that need a part of the solution",
                earned.join(", ")
            ),
        };
        self.check(UNABLE_EARN_NOTHING, earned.is_empty(), detail);

        let Some(solution) = &self.prepared.solution else {
            return;
        };
        let parameters = self.prepared.parameters.clone();
        let oracle = Oracle::new(self.sandbox.clone(), solution.clone(), parameters);
        let mut rungs = Vec::new();
        for (percent, calls) in rungs_of(solved.tool_calls) {
            let rung = oracle.clone().with_most_calls(calls);
            let played = match self.play(&rung, self.scratch).await {
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
    fn rungs_are_parts_of_the_calls() {
        assert_eq!(rungs_of(31), [(25, 7), (50, 15), (75, 23)]);
        assert_eq!(rungs_of(1), [(25, 0), (50, 0), (75, 0)]);
        assert_eq!(rungs_of(u32::MAX)[2].1, 3_221_225_471);
    }
}
