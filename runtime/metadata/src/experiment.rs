//! Experiments with their attempts, and the list of experiments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grade::{Check, FaultReport, ScoreRule};

/// Output of `run`, `resume`, `runs EXPERIMENT` and `task try finish`: an experiment with its attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentReport {
    /// Name of the experiment.
    pub experiment: String,
    /// Resolved specification from the command line and the file of the experiment.
    pub spec: Value,
    /// Attempts, in the order of the plan unless another order is requested.
    pub attempts: Vec<AttemptReport>,
    /// Counts of attempts by result.
    pub summary: AttemptCounts,
    /// Known cost in US dollars, including repeated tries; null if no model acted or no cost is known.
    pub spent_usd: Option<f64>,
    /// Number of tries whose cost is partly or fully unknown. The unknown part is missing from `spent_usd`.
    pub spent_unknown: usize,
}

/// Attempt of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptReport {
    /// Id of the attempt.
    pub id: String,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Name of the agent.
    pub agent: String,
    /// Command line of an agent that is a program, with absolute paths shortened to file names. Absent for other
    /// agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Name of the model; null if no model acts.
    pub model: Option<String>,
    /// Settings of the model, by name; an empty object if nothing is set.
    pub model_settings: Value,
    /// Reasoning effort; null if it is not set.
    pub effort: Option<String>,
    /// Repetition of the attempt, from 1.
    pub k: u32,
    /// End of the agent's part, such as `completed` or `turn-limit`; null if the agent has not ended.
    pub ended: Option<String>,
    /// Outcome of the attempt: `graded`, `state-fault`, `verifier-fault`, `infra-error`, `invalid-task`, `held-back`
    /// or `cancelled`; null if the attempt is unfinished.
    pub outcome: Option<String>,
    /// True if all checks passed; false for a state fault; null without a grade.
    pub passed: Option<bool>,
    /// Score from 0 to 1; 0 for a state fault; null without a grade.
    pub score: Option<f64>,
    /// Rule by which the score was computed; null without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// Checks of the verdict; empty without a verdict.
    pub checks: Vec<Check>,
    /// Reason why there is no verdict; null if there is one.
    pub fault: Option<FaultReport>,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Digest of the final state; null if none was captured.
    pub state: Option<String>,
    /// Task digest.
    #[serde(rename = "bundle")]
    pub task_digest: Option<String>,
    /// Tokens of the model's requests; null if no model acted or they are unknown.
    pub usage: Option<Usage>,
    /// Cost of this try in US dollars; null if it is unknown.
    pub cost_usd: Option<f64>,
}

/// Counts of attempts by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptCounts {
    /// Number of planned attempts.
    pub attempts: usize,
    /// Number of graded attempts, including state faults, which count as failed.
    pub graded: usize,
    /// Number of attempts that passed.
    pub passed: usize,
}

/// Token usage of requests, as the provider counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Number of tokens of the whole request, including `cached`.
    pub input: u64,
    /// Number of tokens of the request that the provider read from its cache.
    pub cached: u64,
    /// Number of tokens of the reply, including `reasoning`.
    pub output: u64,
    /// Number of tokens of reasoning in the reply; 0 if the provider does not report it.
    pub reasoning: u64,
}

/// Experiment in the output of `runs`, an array with the newest experiment first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentSummary {
    /// Name of the experiment.
    pub experiment: String,
    /// Id of the experiment.
    pub id: String,
    /// Start of the experiment, in RFC 3339 (UTC, whole seconds).
    pub created: String,
    /// Models, and the agents without a model.
    pub actors: Vec<String>,
    /// Number of tasks; null if the plan cannot be read.
    pub tasks: Option<usize>,
    /// Number of planned attempts.
    pub attempts: usize,
    /// Number of graded attempts, including state faults, which count as failed.
    pub graded: u32,
    /// Number of attempts that passed.
    pub passed: u32,
    /// Progress of the experiment.
    pub state: ExperimentState,
    /// Cost of all tries in US dollars, as far as it is known; null if no cost is known.
    pub cost_usd: Option<f64>,
    /// True if the cost of a try is missing from `cost_usd`.
    pub some_cost_unknown: bool,
    /// Wall time of the agents in all tries, in seconds.
    pub agent_seconds: f64,
}

/// Progress of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentState {
    /// A process runs the experiment.
    Running,
    /// All planned attempts are finished.
    Finished,
    /// Attempts are missing, and no process runs the experiment.
    Stopped,
}

impl ExperimentState {
    /// Returns `running`, `finished` or `stopped`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
        }
    }
}

/// Output of `run --dry-run`: planned attempts and an estimate of their cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanReport {
    /// Number of attempts that would be made.
    pub attempts: usize,
    /// Estimate of their cost.
    pub estimate: CostEstimate,
    /// Resolved specification from the command line and the file of the experiment.
    pub spec: Value,
}

/// Cost estimate of planned attempts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostEstimate {
    /// Assumed usage of one attempt, bounded by its limits.
    pub an_attempt: AttemptEstimate,
    /// Estimates by model.
    pub models: Vec<ModelEstimate>,
    /// Estimated cost of all attempts in US dollars, bounded by the limits of the experiment; null if no model acts or
    /// the price of a model is unknown.
    pub cost_usd: Option<f64>,
}

/// Assumed usage of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptEstimate {
    /// Number of replies of the model.
    pub turns: u32,
    /// Number of input tokens of all requests.
    pub input_tokens: u64,
    /// Number of output tokens of all replies.
    pub output_tokens: u64,
}

/// Cost estimate of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelEstimate {
    /// Name of the model.
    pub model: String,
    /// Settings of the model, by name; an empty object if nothing is set.
    pub model_settings: Value,
    /// Estimated cost of all its attempts in US dollars; null if its price is unknown.
    pub cost_usd: Option<f64>,
}
