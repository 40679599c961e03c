//! Data of a report, independent of its format.

use std::collections::BTreeMap;

use mcpmark_agent::failure::{Failure, FailureClass};
use mcpmark_journal::ScoreRule;
use mcpmark_metrics::{Comparison, Resources, Score, TaskCount};
use serde::Serialize;

use crate::build::TaskFacts;

/// Report of one or several experiments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Name of the experiment, or the names of several, separated by commas.
    pub experiment: String,
    /// Experiments of the report. Empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<ExperimentFacts>,
    /// Differences between several experiments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Start of the earliest experiment, in RFC 3339.
    pub begun: String,
    /// Highest number of attempts of each task by each model.
    pub k: u32,
    /// Number of planned attempts.
    pub planned: usize,
    /// Total cost, including abandoned tries.
    pub spent: Spent,
    /// Tasks, in the order of the plan.
    pub tasks: Vec<TaskFacts>,
    /// Models, ordered by pass@1 from best to worst.
    pub models: Vec<ModelReport>,
    /// Comparisons of all pairs of models, with p-values that are corrected for their number. Empty if there are too
    /// many models.
    pub comparisons: Vec<Pair>,
}

/// Experiment in a report of several.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentFacts {
    /// Name of the experiment.
    pub name: String,
    /// Start of the experiment, in RFC 3339.
    pub begun: String,
    /// Number of planned attempts.
    pub planned: usize,
}

/// Difference between experiments or between two participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Setting that differs, such as `limit turns` or `task filesystem/world/task`.
    pub what: String,
    /// Value of each experiment or participant, in their order. A dash means that there is none.
    pub values: Vec<String>,
}

impl Difference {
    /// Reports whether the difference is the digest of a task.
    pub fn is_of_task(&self) -> bool {
        self.what.starts_with("task ")
    }
}

/// Amount of money spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Known cost, in US dollars.
    pub usd: f64,
    /// Set if the cost of some replies is unknown.
    pub some_unknown: bool,
}

/// Results of a model, or of an agent without a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelReport {
    /// Name in tables. Includes the experiment if there are several.
    pub name: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Name within the experiment.
    #[serde(skip)]
    pub own_name: String,
    /// Name of the agent.
    pub agent: String,
    /// Settings of the agent.
    pub agent_settings: serde_json::Value,
    /// Name of the model, if the agent uses one.
    pub model: Option<String>,
    /// Settings of the model.
    pub settings: serde_json::Value,
    /// Reasoning effort, if it was set.
    pub effort: Option<String>,
    /// Results over all tasks.
    pub overall: Slice,
    /// Results by service.
    pub services: Vec<Group>,
    /// Results by tier, for tasks whose tier is known.
    pub tiers: Vec<Group>,
    /// Results by tag, for tasks whose tags are known. A task counts for each of its tags.
    pub tags: Vec<Group>,
    /// Results by world.
    pub worlds: Vec<Group>,
    /// Numbers of attempts without a grade, by reason.
    pub ungraded: BTreeMap<String, usize>,
    /// Numbers of attempts by the end of the agent's part.
    pub ended: BTreeMap<String, usize>,
    /// Numbers of failed attempts, by failure class.
    pub failures: BTreeMap<FailureClass, usize>,
    /// Numbers of attempts that failed because the final state stops the verifier, by the kind of the fault.
    pub state_faults: BTreeMap<String, usize>,
    /// Number of tool calls whose arguments are not a JSON object, plus replies that cannot be parsed.
    pub malformed_calls: u64,
    /// Tools that were called, ordered by the number of calls.
    pub tools: Vec<ToolUse>,
    /// Distribution of the number of turns.
    pub turns: Vec<TurnBar>,
    /// Results of each task, in the order of the report's tasks.
    pub matrix: Vec<Cell>,
}

/// Results of a model for a set of tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// Rates, estimates and intervals.
    pub score: Score,
    /// Mean over tasks of the mean score of their graded attempts, from 0 to 1. `None` if nothing was graded.
    pub mean_score: Option<f64>,
    /// Numbers of graded attempts by the rule of their score. Attempts without a verdict are not counted.
    pub score_rules: BTreeMap<ScoreRule, usize>,
    /// Resources used, over all attempts in which the agent acted.
    pub resources: Resources,
}

/// [`Slice`] with a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Name of the service, tier, tag or world.
    pub name: String,
    /// Results for the tasks of the group.
    #[serde(flatten)]
    pub slice: Slice,
}

/// Use of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// Name of the tool.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls that returned an error or no result.
    pub errors: u64,
}

/// Bar of the distribution of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TurnBar {
    /// Lowest number of turns of this bar.
    pub from: u32,
    /// Highest number of turns of this bar.
    pub to: u32,
    /// Number of attempts that passed.
    pub passed: u32,
    /// Number of attempts that failed.
    pub failed: u32,
}

/// Attempts of one model on one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// Numbers of graded and passed attempts.
    #[serde(flatten)]
    pub count: TaskCount,
    /// Planned attempts.
    pub attempts: Vec<AttemptRef>,
}

/// Summary of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptRef {
    /// Id of the attempt. `None` if it has not begun.
    pub id: Option<String>,
    /// Repetition, from 1.
    pub k: u32,
    /// `pass`, `fail`, or the reason why there is no grade.
    pub result: &'static str,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Failure class with its evidence, if the attempt failed.
    pub failure: Option<Failure>,
}

/// Comparison of two models on their common tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Name of the first model.
    pub a: String,
    /// Name of the second model.
    pub b: String,
    /// Differences and test statistics.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// p-value after Holm's correction for all pairs of the report.
    pub p_holm: f64,
}
