//! Data structures of `--json`. Other programs read them.

use mcpmark_model::{Cost, Usage};
use mcpmark_sandbox::Check;
use serde::Serialize;
use serde_json::Value;

use crate::{AttemptRow, FaultReport, GradeRow, ModelSpending, ScoreRule};

/// Experiment with its attempts.
#[derive(Debug, Serialize)]
pub struct ExperimentReport {
    /// Name of the experiment.
    pub experiment: String,
    /// Resolved specification from the command line and the file of the experiment.
    pub spec: Value,
    /// Attempts, in the order of the plan unless another order is requested.
    pub attempts: Vec<AttemptReport>,
    /// Counts of attempts by result.
    pub summary: Summary,
    /// Known cost in US dollars, including repeated tries; null if no model acted or no cost is known.
    pub spent_usd: Option<f64>,
    /// Number of tries whose cost is partly or fully unknown. The unknown part is missing from `spent_usd`.
    pub spent_unknown: usize,
}

/// Attempt of an experiment.
#[derive(Debug, Serialize)]
pub struct AttemptReport {
    /// Id of the attempt.
    pub id: String,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Name of the agent.
    pub agent: String,
    /// Command line of an agent that is a program, with paths shortened to file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Name of the model; null if no model acts.
    pub model: Option<String>,
    /// Settings of the model, by name.
    pub model_settings: Value,
    /// Reasoning effort, if it is set.
    pub effort: Option<String>,
    /// Repetition of the attempt, from 1.
    pub k: u32,
    /// End of the agent's part, such as `completed` or `turn-limit`.
    pub ended: Option<String>,
    /// Outcome of the attempt.
    pub outcome: Option<String>,
    /// True if all checks passed; false for a state fault; null without a grade.
    pub passed: Option<bool>,
    /// Score from 0 to 1; 0 for a state fault; null without a grade.
    pub score: Option<f64>,
    /// Rule by which the score was computed; null without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// Checks of the verdict.
    pub checks: Vec<Check>,
    /// Reason why there is no verdict.
    pub fault: Option<FaultReport>,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Digest of the final state.
    pub state: Option<String>,
    /// Task digest.
    pub bundle: Option<String>,
    /// Tokens of the model's requests; null if no model acted or they are unknown.
    pub usage: Option<Usage>,
    /// Cost in US dollars; null if it is unknown.
    pub cost_usd: Option<f64>,
}

/// Counts of attempts by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Number of planned attempts.
    pub attempts: usize,
    /// Number of graded attempts, including state faults, which count as failed.
    pub graded: usize,
    /// Number of attempts that passed.
    pub passed: usize,
}

impl ExperimentReport {
    /// Returns the report of an experiment whose spec plans `planned` attempts. `spending` contains the cost of its
    /// models.
    pub fn new(
        experiment: &str,
        spec: Value,
        planned: usize,
        rows: Vec<AttemptRow>,
        spending: &[ModelSpending],
    ) -> Self {
        let attempts: Vec<_> = rows.into_iter().map(AttemptReport::from).collect();
        let summary = Summary {
            attempts: planned,
            graded: attempts
                .iter()
                .filter(|attempt| attempt.passed.is_some())
                .count(),
            passed: attempts
                .iter()
                .filter(|attempt| attempt.passed == Some(true))
                .count(),
        };
        let known = spending
            .iter()
            .map(|model| model.known.nano_usd())
            .fold(0, u64::saturating_add);
        let spent_unknown = spending.iter().map(|model| model.unknown).sum();
        let is_known = !spending.is_empty() && (known > 0 || spent_unknown == 0);
        Self {
            experiment: experiment.to_owned(),
            spec,
            attempts,
            summary,
            spent_usd: is_known.then(|| Cost::from_nano_usd(known).usd()),
            spent_unknown,
        }
    }
}

/// Returns the command line of an agent that is a program, with paths shortened to file names.
pub fn program(agent_settings: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(agent_settings).ok()?;
    let words = settings["command"]["command"].as_array()?.iter();
    let words = words.filter_map(Value::as_str).map(|word| {
        if word.starts_with('/') {
            word.rsplit('/').next().unwrap_or(word)
        } else {
            word
        }
    });
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Returns the reasoning effort from the model settings of an attempt, if it is set.
pub fn reasoning_effort(settings: &str) -> Option<String> {
    effort_of(&serde_json::from_str(settings).ok()?)
}

fn effort_of(settings: &Value) -> Option<String> {
    let effort = settings
        .get("reasoning_effort")
        .or_else(|| settings.get("reasoning-effort"))?;
    effort.as_str().map(str::to_owned)
}

impl From<AttemptRow> for AttemptReport {
    fn from(row: AttemptRow) -> Self {
        let model_settings: Value = serde_json::from_str(&row.model_settings).unwrap_or_default();
        let mut fault = None;
        let (mut passed, mut score, mut checks) = (None, None, Vec::new());
        let score_rule = row.grade.as_ref().and_then(GradeRow::score_rule);
        match (row.grade, row.error) {
            (Some(grade), _) => {
                (passed, score, checks) = (grade.passed, grade.score, grade.checks);
                fault = grade
                    .fault_kind
                    .zip(grade.fault_message)
                    .map(|(kind, message)| FaultReport { kind, message });
            }
            (None, Some(message)) => {
                let kind = match row.outcome.as_deref() {
                    Some("invalid-task") => "invalid",
                    Some("held-back") => "held-back",
                    _ => "infra",
                };
                fault = Some(FaultReport {
                    kind: kind.to_owned(),
                    message,
                });
            }
            (None, None) => {}
        }
        Self {
            id: row.id,
            task: row.task,
            program: program(&row.agent_settings),
            agent: row.agent,
            model: row.model,
            effort: effort_of(&model_settings),
            model_settings,
            k: row.k,
            ended: row.ended,
            outcome: row.outcome,
            passed,
            score,
            score_rule,
            checks,
            fault,
            turns: row.turns,
            tool_calls: row.tool_calls,
            state: row.state,
            bundle: row.bundle,
            usage: row.usage,
            cost_usd: row.cost.map(Cost::usd),
        }
    }
}
