//! What `--json` prints; others build on these forms.

use mcpmark_agent::{Cost, Usage};
use mcpmark_sandbox::Check;
use serde::Serialize;
use serde_json::Value;

use crate::ScoreRule;
use crate::journal::{AttemptRow, GradeRow, ModelSpending};
use crate::outcome::FaultReport;

/// An experiment with its attempts.
#[derive(Debug, Serialize)]
pub struct ExperimentReport {
    /// The experiment's name.
    pub experiment: String,
    /// What it runs: the resolved form of its command line and its file.
    pub spec: Value,
    /// Its attempts, in the order of the plan unless another one is asked for.
    pub attempts: Vec<AttemptReport>,
    /// Their numbers.
    pub summary: Summary,
    /// What they cost in US dollars, tries that were made again among them, as far as that is
    /// known; null where no model acted or nothing of it is known.
    pub spent_usd: Option<f64>,
    /// Tries of which some of the cost is not known, which is not in it.
    pub spent_unknown: usize,
}

/// One attempt.
#[derive(Debug, Serialize)]
pub struct AttemptReport {
    /// Its id.
    pub id: String,
    /// `<service>/<world>/<task>`.
    pub task: String,
    /// The agent's name.
    pub agent: String,
    /// The command line of an agent that is a program, with paths shortened to file names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The model, where one acts.
    pub model: Option<String>,
    /// The settings that the model has, by name.
    pub model_settings: Value,
    /// How much the model thinks, where that is set.
    pub effort: Option<String>,
    /// Which repetition, from 1.
    pub k: u32,
    /// How the agent's part ended.
    pub ended: Option<String>,
    /// What came of the attempt.
    pub outcome: Option<String>,
    /// Whether all checks passed; false where the state stops the verifier; null without a grade.
    pub passed: Option<bool>,
    /// How much of the task is done, from 0 to 1; 0 where the state stops the verifier; null without a grade.
    pub score: Option<f64>,
    /// The rule by which the score was computed; null without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// The verifier's checks.
    pub checks: Vec<Check>,
    /// Why there is no verdict.
    pub fault: Option<FaultReport>,
    /// Replies of the agent.
    pub turns: u32,
    /// Tool calls of the agent.
    pub tool_calls: u32,
    /// The final state's digest.
    pub state: Option<String>,
    /// The task's digest.
    pub bundle: Option<String>,
    /// Tokens of the model's requests; null where no model acted or they are not known.
    pub usage: Option<Usage>,
    /// What they cost in US dollars; null where that is not known.
    pub cost_usd: Option<f64>,
}

/// How many attempts came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Attempts that were planned.
    pub attempts: usize,
    /// Attempts that were graded, or whose state stops the verifier, which is a failure too.
    pub graded: usize,
    /// Attempts that passed.
    pub passed: usize,
}

impl ExperimentReport {
    /// Reports the attempts of an experiment that planned `planned` of them by its spec.
    /// `spending` says what its models cost.
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

/// The command line of an agent that is a program, with paths shortened to file names.
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

/// The reasoning effort in an attempt's model settings, where one is set.
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
