use std::collections::HashMap;
use std::str::FromStr;

use mcpmark_task::TaskId;
use serde::{Deserialize, Serialize};

use crate::Prepared;
use crate::journal::{AttemptKey, AttemptRow};

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentKind {
    /// Plays the task's solution.
    Oracle,
    /// Does nothing.
    Nop,
    /// Calls tools at random.
    Random,
}

impl AgentKind {
    /// The name used on the command line and in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Oracle => "oracle",
            Self::Nop => "nop",
            Self::Random => "random",
        }
    }
}

/// What an experiment runs; kept in the journal, so that it can go on later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The tasks, by id.
    pub tasks: Vec<String>,
    /// Who acts.
    pub agent: AgentKind,
    /// Attempts of each task.
    pub attempts: u32,
}

/// One attempt that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Its place in the plan.
    pub position: usize,
    /// Index of its task among the prepared ones.
    pub task: usize,
    /// Which attempt it is.
    pub key: AttemptKey,
}

impl Spec {
    /// The tasks' ids.
    ///
    /// # Errors
    ///
    /// When one is not an id.
    pub fn task_ids(&self) -> Result<Vec<TaskId>, mcpmark_task::Error> {
        self.tasks.iter().map(|id| TaskId::from_str(id)).collect()
    }

    /// All attempts: the first of each task, then the second of each, so that an
    /// experiment that is stopped early has seen every task.
    pub fn plan(&self) -> Vec<Planned> {
        let mut plan = Vec::new();
        for k in 1..=self.attempts {
            for (task, id) in self.tasks.iter().enumerate() {
                plan.push(Planned {
                    position: plan.len(),
                    task,
                    key: AttemptKey {
                        task: id.clone(),
                        agent: self.agent.as_str().to_owned(),
                        agent_settings: "{}".to_owned(),
                        model: None,
                        model_settings: "{}".to_owned(),
                        k,
                    },
                });
            }
        }
        plan
    }

    /// The attempts that are still to be made. One is done when it came to a grade, a
    /// verifier's fault or an invalid task, and its task has not changed since.
    pub fn remaining(&self, prepared: &[Prepared], rows: &[AttemptRow]) -> Vec<Planned> {
        let rows: HashMap<usize, &AttemptRow> =
            rows.iter().map(|row| (row.position, row)).collect();
        let mut plan = self.plan();
        plan.retain(|planned| {
            !rows
                .get(&planned.position)
                .is_some_and(|row| is_done(row) && is_of(row, &prepared[planned.task]))
        });
        plan
    }

    /// How many attempts were done, but of a task that has changed since.
    pub fn changed(&self, prepared: &[Prepared], rows: &[AttemptRow]) -> usize {
        let done = rows.iter().filter(|row| is_done(row));
        done.filter(|row| {
            let task = prepared.iter().find(|task| task.id.to_string() == row.task);
            !task.is_some_and(|task| is_of(row, task))
        })
        .count()
    }
}

fn is_of(row: &AttemptRow, task: &Prepared) -> bool {
    row.bundle.as_ref() == Some(&task.bundle.to_string())
}

fn is_done(row: &AttemptRow) -> bool {
    row.status == "finished"
        && matches!(
            row.outcome.as_deref(),
            Some("graded" | "verifier-fault" | "invalid-task")
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_seen_before_any_is_repeated() {
        let spec = Spec {
            tasks: vec!["s/w/a".into(), "s/w/b".into()],
            agent: AgentKind::Nop,
            attempts: 2,
        };
        let plan: Vec<_> = spec
            .plan()
            .into_iter()
            .map(|p| (p.position, p.key.task, p.key.k))
            .collect();
        assert_eq!(
            plan,
            [
                (0, "s/w/a".to_owned(), 1),
                (1, "s/w/b".to_owned(), 1),
                (2, "s/w/a".to_owned(), 2),
                (3, "s/w/b".to_owned(), 2),
            ]
        );
    }
}
