//! Growth of plans: the positions of attempts if an experiment gets more tasks, participants or attempts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Participant, Spec};

/// Maximum number of attempts that the steps of a plan may list in total. Attempts in several steps count in each.
const NAMED: u64 = 16_000_000;

/// Step of a plan: a number of attempts of each listed task by each listed participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// Indices of the tasks.
    pub tasks: Vec<usize>,
    /// Indices of the participants.
    pub participants: Vec<usize>,
    /// Number of attempts of each task by each participant.
    pub attempts: u32,
}

/// Result of adding attempts to a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Added {
    /// Tasks that the plan did not have before.
    pub tasks: Vec<String>,
    /// Participants that the plan did not have before.
    pub participants: Vec<Participant>,
    /// Number of requested attempts.
    pub asked: usize,
    /// Number of attempts that the plan had before, whether they were requested or not.
    pub before: usize,
    /// Number of new attempts.
    pub attempts: usize,
}

/// Errors of extending a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A step contains an index that is out of range or listed twice.
    #[error(
        "step {step} of the plan lists {what} {index}, which does not exist or is listed twice"
    )]
    Index {
        /// Number of the step, from 1.
        step: usize,
        /// `task` or `participant`.
        what: &'static str,
        /// Invalid index.
        index: usize,
    },
    /// The steps list too many attempts.
    #[error("the steps of the plan list {named} attempts, but the limit is {NAMED}")]
    Size {
        /// Number of attempts that they list.
        named: u64,
    },
}

/// Attempt in a plan: indices of its task and participant, and the repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) task: u32,
    pub(crate) participant: u32,
    pub(crate) k: u32,
}

impl Spec {
    /// Returns the number of planned attempts.
    pub fn planned(&self) -> usize {
        if self.steps.is_empty() {
            return self.tasks.len() * self.participants.len() * self.attempts as usize;
        }
        let most = self.most();
        most.values().map(|attempts| *attempts as usize).sum()
    }

    /// Returns the number of attempts by task and participant, if the plan has steps.
    fn most(&self) -> HashMap<(usize, usize), u32> {
        let mut most = HashMap::new();
        for step in &self.steps {
            for pair in step.pairs() {
                let attempts: &mut u32 = most.entry(pair).or_default();
                *attempts = step.attempts.max(*attempts);
            }
        }
        most
    }

    /// Returns all attempts in the order of their positions.
    pub(crate) fn places(&self) -> Vec<Place> {
        let steps = self.steps();
        let mut places = Vec::new();
        let mut before: HashMap<(usize, usize), u32> = HashMap::new();
        for step in steps.iter() {
            for k in 1..=step.attempts {
                for (task, participant) in step.pairs() {
                    let planned = before.get(&(task, participant));
                    if planned.is_none_or(|planned| k > *planned) {
                        places.push(Place {
                            task: task as u32,
                            participant: participant as u32,
                            k,
                        });
                    }
                }
            }
            if steps.len() > 1 {
                for pair in step.pairs() {
                    let planned = before.entry(pair).or_default();
                    *planned = step.attempts.max(*planned);
                }
            }
        }
        places
    }

    /// Returns the steps of the plan. A plan that was never extended has one step, with all tasks and participants.
    pub fn steps(&self) -> Cow<'_, [PlanStep]> {
        if !self.steps.is_empty() {
            return Cow::Borrowed(&self.steps);
        }
        Cow::Owned(vec![PlanStep {
            tasks: (0..self.tasks.len()).collect(),
            participants: (0..self.participants.len()).collect(),
            attempts: self.attempts,
        }])
    }

    /// Adds attempts of `tasks` by `participants` to the plan. Attempts that are planned already keep their positions.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan would be too large, or if a task or a participant is passed twice. The plan is
    /// unchanged then.
    pub fn add(
        &mut self,
        tasks: &[String],
        participants: &[Participant],
        attempts: u32,
    ) -> Result<Added, PlanError> {
        let mut grown = self.clone();
        let mut added = Added {
            asked: tasks.len() * participants.len() * attempts as usize,
            before: self.planned(),
            ..Added::default()
        };
        grown.steps = self.steps().into_owned();
        let mut known: HashMap<String, usize> = grown.tasks.iter().cloned().zip(0..).collect();
        let mut step = PlanStep {
            tasks: Vec::new(),
            participants: Vec::new(),
            attempts,
        };
        for task in tasks {
            step.tasks.push(match known.get(task) {
                Some(index) => *index,
                None => {
                    known.insert(task.clone(), grown.tasks.len());
                    grown.tasks.push(task.clone());
                    added.tasks.push(task.clone());
                    grown.tasks.len() - 1
                }
            });
        }
        for participant in participants {
            let mut there = grown.participants.iter();
            let known = there.position(|one| one.identity() == participant.identity());
            step.participants.push(known.unwrap_or_else(|| {
                grown.participants.push(participant.clone());
                added.participants.push(participant.clone());
                grown.participants.len() - 1
            }));
        }
        grown.steps.push(step);
        grown.attempts = grown.attempts.max(attempts);
        grown.check_steps()?;
        added.attempts = grown.planned() - added.before;
        if added.attempts > 0 {
            *self = grown;
        }
        Ok(added)
    }

    /// Raises the number of attempts of every planned pair of task and participant to at least `attempts`.
    ///
    /// # Errors
    ///
    /// Returns an error if the plan would be too large. The plan is unchanged then.
    pub fn raise(&mut self, attempts: u32) -> Result<Added, PlanError> {
        let mut grown = self.clone();
        grown.steps = self.steps().into_owned();
        let pairs: HashSet<(usize, usize)> = grown.steps.iter().flat_map(PlanStep::pairs).collect();
        let lower: Vec<PlanStep> = grown
            .steps
            .iter()
            .filter(|step| step.attempts < attempts)
            .map(|step| PlanStep {
                attempts,
                ..step.clone()
            })
            .collect();
        grown.steps.extend(lower);
        grown.attempts = grown.attempts.max(attempts);
        grown.check_steps()?;
        let before = self.planned();
        let added = Added {
            asked: pairs.len() * attempts as usize,
            before,
            attempts: grown.planned() - before,
            ..Added::default()
        };
        if added.attempts > 0 {
            *self = grown;
        }
        Ok(added)
    }

    /// Returns an error if a step has invalid indices, or if the steps list too many attempts.
    pub(super) fn check_steps(&self) -> Result<(), PlanError> {
        let mut named: u64 = 0;
        for (number, step) in self.steps.iter().enumerate() {
            for (what, indices, most) in [
                ("task", &step.tasks, self.tasks.len()),
                ("participant", &step.participants, self.participants.len()),
            ] {
                let mut seen = HashSet::new();
                let wrong = indices
                    .iter()
                    .find(|index| **index >= most || !seen.insert(**index));
                if let Some(index) = wrong {
                    return Err(PlanError::Index {
                        step: number + 1,
                        what,
                        index: *index,
                    });
                }
            }
            let pairs = (step.tasks.len() as u64).saturating_mul(step.participants.len() as u64);
            named = named.saturating_add(pairs.saturating_mul(step.attempts.max(1).into()));
        }
        if named > NAMED {
            Err(PlanError::Size { named })
        } else {
            Ok(())
        }
    }
}

impl PlanStep {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let participants = move || self.participants.iter().copied();
        let tasks = self.tasks.iter();
        tasks.flat_map(move |task| participants().map(move |participant| (*task, participant)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentKind;

    fn spec(tasks: &[&str], agents: &[AgentKind], attempts: u32) -> Spec {
        Spec {
            attempts,
            ..Spec::new(texts(tasks), participants(agents))
        }
    }

    fn texts(tasks: &[&str]) -> Vec<String> {
        tasks.iter().map(|task| (*task).to_owned()).collect()
    }

    fn participants(agents: &[AgentKind]) -> Vec<Participant> {
        agents.iter().copied().map(Participant::plain).collect()
    }

    fn plan(spec: &Spec) -> Vec<(String, String, u32)> {
        let plan = spec.plan();
        assert_eq!(plan.len(), spec.planned());
        let positions: Vec<usize> = plan.iter().map(|planned| planned.position).collect();
        assert_eq!(positions, (0..plan.len()).collect::<Vec<_>>());
        let own = |key: &crate::AttemptKey| (key.task.to_string(), key.agent.to_string(), key.k);
        plan.iter().map(|planned| own(&planned.key)).collect()
    }

    #[test]
    fn a_plan_grows_at_its_end_and_repeats_nothing() {
        use AgentKind::{Nop, Oracle, Random};
        let mut spec = spec(&["a", "b"], &[Nop], 2);
        let steps = [
            (vec!["a", "b"], vec![Nop], 3, 2),
            (vec!["b", "c"], vec![Nop], 2, 2),
            (vec!["a"], vec![Random, Oracle], 1, 2),
            (vec!["a", "b", "c"], vec![Nop, Random], 3, 9),
            (vec!["c", "a"], vec![Random], 2, 0),
        ];
        for (tasks, agents, attempts, new) in steps {
            let before = plan(&spec);
            let added = spec
                .add(&texts(&tasks), &participants(&agents), attempts)
                .unwrap();
            let after = plan(&spec);
            assert_eq!((added.before, added.attempts), (before.len(), new));
            assert_eq!(after[..before.len()], before);
            assert_eq!(after.len(), before.len() + new);
            let mut distinct = after.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), after.len());
            let text = serde_json::to_string(&spec).unwrap();
            assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
        }
        assert_eq!(spec.steps.len(), 5);
    }

    #[test]
    fn a_higher_number_of_attempts_is_for_whoever_attempts_a_task() {
        use AgentKind::{Nop, Random};
        let mut spec = spec(&["a"], &[Nop], 2);
        spec.add(&texts(&["b"]), &participants(&[Random]), 1)
            .unwrap();
        assert_eq!(spec.raise(1).unwrap().attempts, 0);
        let before = plan(&spec);
        let added = spec.raise(3).unwrap();
        assert_eq!((added.asked, added.before, added.attempts), (6, 3, 3));
        let after = plan(&spec);
        assert_eq!(after[..3], before);
        let own = |task: &str, agent: &str, k| (task.to_owned(), agent.to_owned(), k);
        let expected = [
            own("a", "nop", 3),
            own("b", "random", 2),
            own("b", "random", 3),
        ];
        assert_eq!(after[3..], expected);
    }

    #[test]
    fn a_task_or_participant_that_is_added_twice_is_refused() {
        use AgentKind::{Nop, Random};
        let mut spec = spec(&["a"], &[Nop], 1);
        let before = spec.clone();
        for (tasks, agents, what) in [
            (&["c", "c"][..], &[Nop][..], "task"),
            (&["a", "a"], &[Nop], "task"),
            (&["c"], &[Random, Random], "participant"),
        ] {
            let added = spec.add(&texts(tasks), &participants(agents), 1);
            let error = added.unwrap_err();
            let is_repeated =
                matches!(error, PlanError::Index { what: found, .. } if found == what);
            assert!(is_repeated, "{tasks:?}: {error}");
            assert_eq!(spec, before);
        }
    }

    #[test]
    fn steps_that_name_what_is_not_there_are_refused() {
        let spec = spec(&["a"], &[AgentKind::Nop], 1);
        let step = |tasks: &[usize], participants: &[usize], attempts| PlanStep {
            tasks: tasks.to_vec(),
            participants: participants.to_vec(),
            attempts,
        };
        for (bad, told) in [
            (step(&[1], &[0], 1), "step 1 of the plan lists task 1"),
            (step(&[0, 0], &[0], 1), "lists task 0, which"),
            (step(&[0], &[7], 1), "lists participant 7"),
            (step(&[0], &[0], u32::MAX), "list 4294967295 attempts"),
        ] {
            let spec = Spec {
                steps: vec![bad],
                ..spec.clone()
            };
            let text = serde_json::to_string(&spec).unwrap();
            let error = serde_json::from_str::<Spec>(&text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
