//! What a report holds, whatever its format.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mcpmark_agent::failure::{Failure, FailureClass};
use mcpmark_experiment::ScoreRule;
use mcpmark_experiment::metrics::{Comparison, Resources, Score, TaskCount};
use serde::Serialize;

use crate::build::TaskFacts;

/// An experiment in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The experiment's name; of several, their names, separated by commas.
    pub experiment: String,
    /// Settings in which several experiments differ; empty where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<ExperimentFacts>,
    /// In what several experiments differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// When it was begun, in RFC 3339.
    pub begun: String,
    /// Attempts of each task by each model.
    pub k: u32,
    /// Attempts that were planned.
    pub planned: usize,
    /// What it cost, tries that were abandoned among it.
    pub spent: Spent,
    /// Its tasks in the order of the plan.
    pub tasks: Vec<TaskFacts>,
    /// Its models, the best first.
    pub models: Vec<ModelReport>,
    /// Each two of them compared, with p-values that hold together.
    pub comparisons: Vec<Pair>,
}

/// One of several experiments of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentFacts {
    /// Its name.
    pub name: String,
    /// When it was begun, in RFC 3339.
    pub begun: String,
    /// Attempts that were planned.
    pub planned: usize,
}

/// Something in which experiments, or two participants, differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The setting that differs, such as `limit turns` or `task filesystem/world/task`.
    pub what: String,
    /// The value in each, in their order; a dash where there is none.
    pub values: Vec<String>,
}

impl Difference {
    /// Whether it is the digest of a task.
    pub fn is_of_task(&self) -> bool {
        self.what.starts_with("task ")
    }
}

/// Money that was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Spent {
    /// US dollars, as far as they are known.
    pub usd: f64,
    /// Whether there are replies whose cost is not known.
    pub some_unknown: bool,
}

/// One model of an experiment, or an agent without one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelReport {
    /// Its name in tables: with its experiment where there are several.
    pub name: String,
    /// Its experiment.
    pub experiment: String,
    /// Its name within its experiment.
    #[serde(skip)]
    pub own_name: String,
    /// The agent.
    pub agent: String,
    /// The agent's settings.
    pub agent_settings: serde_json::Value,
    /// The model, where one acts.
    pub model: Option<String>,
    /// Its settings.
    pub settings: serde_json::Value,
    /// Its reasoning effort, where that was set.
    pub effort: Option<String>,
    /// All tasks.
    pub overall: Slice,
    /// By service.
    pub services: Vec<Group>,
    /// By tier, where that is known.
    pub tiers: Vec<Group>,
    /// By tag, where tags are known; a task counts for each of its tags.
    pub tags: Vec<Group>,
    /// By world.
    pub worlds: Vec<Group>,
    /// Attempts without a grade, by why.
    pub ungraded: BTreeMap<String, usize>,
    /// How the agent's part of attempts ended.
    pub ended: BTreeMap<String, usize>,
    /// Attempts that failed, by class.
    pub failures: BTreeMap<FailureClass, usize>,
    /// Attempts that failed since what the agent left stops the verifier, by the kind of fault.
    pub state_faults: BTreeMap<String, usize>,
    /// Tool calls whose arguments were no JSON object, and replies that cannot be read.
    pub malformed_calls: u64,
    /// The tools that it called, the most frequent first.
    pub tools: Vec<ToolUse>,
    /// How many turns attempts took.
    pub turns: Vec<TurnBar>,
    /// What it did on each task, in the order of the report's tasks.
    pub matrix: Vec<Cell>,
}

/// Some tasks of one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// What came of them.
    pub score: Score,
    /// The mean over tasks of the mean score of their graded attempts, 0 to 1; none where nothing was graded.
    pub mean_score: Option<f64>,
    /// Graded attempts by the rule of their score; those without a verdict have none.
    pub score_rules: BTreeMap<ScoreRule, usize>,
    /// What they took, over all attempts in which the agent acted.
    pub resources: Resources,
}

/// A named [`Slice`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The service, tier, tag or world.
    pub name: String,
    /// Its tasks.
    #[serde(flatten)]
    pub slice: Slice,
}

/// Calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Calls that came back as an error or not at all.
    pub errors: u64,
}

/// Attempts that took a number of turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TurnBar {
    /// The fewest turns of this bar.
    pub from: u32,
    /// The most turns of this bar.
    pub to: u32,
    /// Attempts that passed.
    pub passed: u32,
    /// Attempts that failed.
    pub failed: u32,
}

/// One task of one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// How many were graded, and how many of them passed.
    #[serde(flatten)]
    pub count: TaskCount,
    /// The attempts.
    pub attempts: Vec<AttemptRef>,
}

/// An attempt in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptRef {
    /// Its id; none where it has not begun.
    pub id: Option<String>,
    /// Which repetition, from 1.
    pub k: u32,
    /// `pass`, `fail`, or why there is no grade.
    pub result: Cow<'static, str>,
    /// Replies of the agent.
    pub turns: u32,
    /// Tool calls of the agent.
    pub tool_calls: u32,
    /// The class of the failure and what shows it.
    pub failure: Option<Failure>,
}

/// Two models on the tasks of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The first one's name.
    pub a: String,
    /// The second one's name.
    pub b: String,
    /// How they differ.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The p-value after Holm's correction for all pairs of the report.
    pub p_holm: f64,
}
