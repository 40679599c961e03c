//! Reports of experiments and comparisons of models.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attempt::{Failure, FailureClass};
use crate::grade::ScoreRule;
use crate::task::PointStatus;

/// Output of `report --format json`: the results of one or several experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Name of the experiment, or the names of several, separated by commas.
    pub experiment: String,
    /// Experiments of the report. Absent if there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub experiments: Vec<ReportedExperiment>,
    /// Differences between the experiments. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<SettingDifference>,
    /// Start of the earliest experiment, in RFC 3339 (UTC, whole seconds).
    pub begun: String,
    /// Highest number of attempts of each task by each model.
    pub k: u32,
    /// Number of planned attempts.
    pub planned: usize,
    /// Total cost, including abandoned tries.
    pub spent: Spending,
    /// Tasks, in the order of the plan.
    pub tasks: Vec<ReportedTask>,
    /// Models, ordered by pass@1 from best to worst.
    pub models: Vec<ReportedModel>,
    /// Comparisons of all pairs of models. Empty if there are too many models.
    pub comparisons: Vec<ModelPair>,
    /// Published results of other models. Absent without `--published`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<PublishedResults>,
}

/// Experiment in a report of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedExperiment {
    /// Name of the experiment.
    pub name: String,
    /// Start of the experiment, in RFC 3339 (UTC, whole seconds).
    pub begun: String,
    /// Number of planned attempts.
    pub planned: usize,
}

/// Setting that differs between experiments or participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDifference {
    /// Setting, such as `limit turns` or `task filesystem/world/task`.
    pub what: String,
    /// Value of each experiment or participant, in their order. A dash means that there is none.
    pub values: Vec<String>,
}

/// Amount of money spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spending {
    /// Known cost in US dollars.
    pub usd: f64,
    /// True if the cost of some replies is unknown.
    pub some_unknown: bool,
}

/// Task of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedTask {
    /// Id of the task: `<service>/<world>/<task>`.
    pub id: String,
    /// Difficulty; null if it is unknown.
    pub tier: Option<String>,
    /// Tags; empty if they are unknown.
    pub tags: Vec<String>,
    /// Certificate of the present task, which may be newer than the attempts; null if it was not looked for.
    pub certificate: Option<CertificateStatus>,
}

/// Certificate of a task at the time of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum CertificateStatus {
    /// The certificate was written for the present sources of the task.
    Valid {
        /// Points of the certificate, in a fixed order.
        points: Vec<PointSummary>,
    },
    /// There is no valid certificate.
    Invalid {
        /// Reason.
        reason: String,
    },
}

/// Status of one point of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointSummary {
    /// Name of the point, such as `near-misses`.
    pub point: String,
    /// Status of the point.
    pub status: PointStatus,
}

/// Results of a model, or of an agent without a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedModel {
    /// Name in tables. Includes the experiment if there are several.
    pub name: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the agent.
    pub agent: String,
    /// Settings of the agent.
    pub agent_settings: Value,
    /// Name of the model; null if the agent uses none.
    pub model: Option<String>,
    /// Settings of the model.
    pub settings: Value,
    /// Reasoning effort; null if it was not set.
    pub effort: Option<String>,
    /// Results over all tasks.
    pub overall: Results,
    /// Results by service.
    pub services: Vec<GroupResults>,
    /// Results by tier, for tasks whose tier is known.
    pub tiers: Vec<GroupResults>,
    /// Results by tag, for tasks whose tags are known. A task counts for each of its tags.
    pub tags: Vec<GroupResults>,
    /// Results by world.
    pub worlds: Vec<GroupResults>,
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
    /// Results of each task, in the order of the tasks of the report.
    pub matrix: Vec<TaskAttempts>,
}

/// Results for a set of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// Rates, estimates and intervals.
    pub score: Rates,
    /// Mean over tasks of the mean score of their graded attempts, from 0 to 1; null if nothing was graded.
    pub mean_score: Option<f64>,
    /// Numbers of graded attempts by the rule of their score. Attempts without a verdict are not counted.
    pub score_rules: BTreeMap<ScoreRule, usize>,
    /// Resources, over all attempts in which the agent acted.
    pub resources: ResourceUse,
}

/// Results for a named set of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupResults {
    /// Name of the service, tier, tag or world.
    pub name: String,
    /// Results for the tasks of the group.
    #[serde(flatten)]
    pub results: Results,
}

/// Rates of a model over some tasks, with their estimates and intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Number of tasks.
    pub tasks: usize,
    /// Number of attempts.
    pub attempts: usize,
    /// Number of graded attempts. Rates count only these.
    pub graded: usize,
    /// Number of passed attempts.
    pub passed: usize,
    /// pass@1 over runs.
    pub runs: RunRates,
    /// pass@k for k from 1 to the largest number of graded attempts of a task.
    pub pass_at: Vec<PassEstimate>,
    /// pass^k for the same k.
    pub pass_hat: Vec<PassEstimate>,
    /// Pass rate of the graded attempts, with a standard error clustered by world.
    pub clustered: ClusteredMean,
    /// Bounds of the pass rate if the ungraded attempts were graded.
    pub bounds: RateBounds,
}

/// Rates of pass@1 per run. Run r consists of the r-th attempt of each task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRates {
    /// Pass rate of each run among its graded attempts. Runs without graded attempts are left out.
    pub rates: Vec<f64>,
    /// Mean of the rates; null without rates.
    pub mean: Option<f64>,
    /// Population standard deviation of the rates, with the divisor n; null without rates.
    pub population_sd: Option<f64>,
    /// Sample standard deviation of the rates, with the divisor n − 1; null with fewer than two rates.
    pub sample_sd: Option<f64>,
}

/// Mean of pass@k or pass^k over tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassEstimate {
    /// Number of attempts k.
    pub k: u32,
    /// Mean over the tasks with at least k graded attempts; null if there are none.
    pub value: Option<f64>,
    /// Number of tasks with at least k graded attempts.
    pub tasks: usize,
    /// Number of tasks with fewer; the mean does not include them.
    pub left_out: usize,
    /// 95 % confidence interval; null if there is none.
    pub interval: Option<Interval>,
}

/// 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Method of the computation.
    pub method: IntervalMethod,
}

/// Method of a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// Wilson's score interval of a proportion.
    Wilson,
    /// Percentiles of a bootstrap by task.
    Bootstrap,
    /// Normal approximation of the bootstrap by task, for many tasks.
    Normal,
    /// Student's t with a standard error clustered by world.
    Clustered,
}

/// Mean with a clustered standard error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusteredMean {
    /// Mean; null without values.
    pub mean: Option<f64>,
    /// Standard error of the mean; null with fewer than two clusters.
    pub error: Option<f64>,
    /// Number of clusters.
    pub clusters: usize,
    /// 95 % confidence interval; null if there is none.
    pub interval: Option<Interval>,
}

/// Pass rate over all attempts if the ungraded ones all fail, and if they all pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateBounds {
    /// Rate if they all fail; null without attempts.
    pub worst: Option<f64>,
    /// Rate if they all pass; null without attempts.
    pub best: Option<f64>,
}

/// Mean use of resources by an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceUse {
    /// Number of replies of the agent.
    pub turns: KnownMean,
    /// Number of tool calls.
    pub tool_calls: KnownMean,
    /// Input tokens of all requests.
    pub input_tokens: KnownMean,
    /// Output tokens of all replies.
    pub output_tokens: KnownMean,
    /// Cost in US dollars.
    pub cost_usd: KnownMean,
    /// Wall time of the agent's part in seconds.
    pub seconds: KnownMean,
}

/// Mean over the attempts whose value is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownMean {
    /// Mean; null if no value is known.
    pub mean: Option<f64>,
    /// Number of attempts whose value is known.
    pub known: usize,
    /// Number of attempts whose value is unknown.
    pub unknown: usize,
}

/// Use of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUse {
    /// Name of the tool.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// Number of calls that returned an error or no result.
    pub errors: u64,
}

/// Bar of the distribution of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnBar {
    /// Lowest number of turns of the bar.
    pub from: u32,
    /// Highest number of turns of the bar.
    pub to: u32,
    /// Number of attempts that passed.
    pub passed: u32,
    /// Number of attempts that failed.
    pub failed: u32,
}

/// Numbers of attempts of one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradedCounts {
    /// Number of graded attempts.
    pub graded: u32,
    /// Number of passed attempts.
    pub passed: u32,
}

/// Attempts of one model on one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskAttempts {
    /// Numbers of attempts.
    #[serde(flatten)]
    pub counts: GradedCounts,
    /// Planned attempts.
    pub attempts: Vec<ReportedAttempt>,
}

/// Attempt of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedAttempt {
    /// Id of the attempt; null if it has not begun.
    pub id: Option<String>,
    /// Repetition, from 1.
    pub k: u32,
    /// `pass`, `fail`, or the reason why there is no grade.
    pub result: String,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Failure class with its evidence; null unless the attempt failed.
    pub failure: Option<Failure>,
}

/// Comparison of two models of a report on their common tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelPair {
    /// Name of the first model.
    pub a: String,
    /// Name of the second model.
    pub b: String,
    /// Differences and test statistics.
    #[serde(flatten)]
    pub comparison: PairedComparison,
    /// p-value after Holm's correction for all pairs.
    pub p_holm: f64,
}

/// Comparison of two models on the same tasks, paired by task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairedComparison {
    /// Number of tasks with a graded attempt of both. Only these are counted.
    pub tasks: usize,
    /// Number of tasks for which only one of them has a graded attempt.
    pub left_out: usize,
    /// Mean pass rate of the first model.
    pub rate_a: f64,
    /// Mean pass rate of the second model.
    pub rate_b: f64,
    /// Mean pass rate of the second model minus that of the first.
    pub difference: f64,
    /// Bootstrap confidence interval of the difference, by task; null if there is none.
    pub interval: Option<Interval>,
    /// Difference with a standard error clustered by world.
    pub clustered: ClusteredMean,
    /// Two-sided p-value of the null hypothesis that there is no difference.
    pub p: f64,
    /// Test that gave the p-value.
    pub method: SignificanceTest,
    /// Tasks on which the models differ, the largest differences first.
    pub flips: Vec<Flip>,
}

/// Significance test of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SignificanceTest {
    /// McNemar's exact test, if both models have one graded attempt of each task.
    Mcnemar,
    /// Exact paired permutation test by task, which counts every sign pattern.
    Permutation,
    /// Sampled paired permutation test by task, with sign patterns from a fixed seed.
    SampledPermutation,
}

/// Task on which two models differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flip {
    /// Id of the task.
    pub task: String,
    /// Attempts of the first model.
    pub a: GradedCounts,
    /// Attempts of the second model.
    pub b: GradedCounts,
}

/// Published results of other models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedResults {
    /// Publication.
    pub source: String,
    /// Number of tasks of the published benchmark.
    pub tasks: u32,
    /// Models, ordered by pass@1 from best to worst.
    pub models: Vec<PublishedModel>,
}

/// Published results of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedModel {
    /// Name of the model, with the reasoning effort if it was set.
    pub name: String,
    /// Number of runs of each task.
    pub runs: u32,
    /// pass@1, from 0 to 1.
    pub pass_at_1: f64,
    /// Standard deviation of pass@1 over runs, with the divisor n.
    pub pass_at_1_sd: f64,
    /// pass@4, from 0 to 1; null for a model with one run.
    pub pass_at_4: Option<f64>,
    /// pass^4, from 0 to 1; null for a model with one run.
    pub pass_hat_4: Option<f64>,
    /// Mean number of input tokens for each attempt; null if it was not published.
    pub input_tokens: Option<f64>,
    /// Mean number of output tokens for each attempt; null if it was not published.
    pub output_tokens: Option<f64>,
    /// Mean cost of an attempt in US dollars; null if it was not published.
    pub cost_usd: Option<f64>,
    /// Mean number of turns for each attempt; null if it was not published.
    pub turns: Option<f64>,
    /// Mean number of tool calls for each attempt; null if it was not published.
    pub tool_calls: Option<f64>,
    /// Results by service, in the order of the publication.
    pub services: Vec<PublishedService>,
}

/// Published results of a model for one service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedService {
    /// Name of the service.
    pub service: String,
    /// Number of tasks.
    pub tasks: u32,
    /// pass@1, from 0 to 1.
    pub pass_at_1: f64,
    /// Standard deviation of pass@1 over runs, with the divisor n; null if it was not published.
    pub pass_at_1_sd: Option<f64>,
    /// pass@4, from 0 to 1; null for a model with one run.
    pub pass_at_4: Option<f64>,
    /// pass^4, from 0 to 1; null for a model with one run.
    pub pass_hat_4: Option<f64>,
    /// Mean number of input tokens for each attempt; null if it was not published.
    pub input_tokens: Option<f64>,
    /// Mean number of output tokens for each attempt; null if it was not published.
    pub output_tokens: Option<f64>,
    /// Mean cost of an attempt in US dollars, 0 for less than a cent; null if it was not published.
    pub cost_usd: Option<f64>,
    /// Mean number of turns for each attempt; null if it was not published.
    pub turns: Option<f64>,
    /// Mean number of tool calls for each attempt; null if it was not published.
    pub tool_calls: Option<f64>,
}

/// Output of `compare`: comparisons of pairs of models from one or two experiments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelComparisons {
    /// Compared pairs.
    pub pairs: Vec<ComparedPair>,
}

/// Two models and their differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedPair {
    /// First model.
    pub a: ComparedModel,
    /// Second model.
    pub b: ComparedModel,
    /// Differences other than the model: agents and settings, and for two experiments also limits, engines and digests
    /// of tasks.
    pub differences: Vec<SettingDifference>,
    /// Comparison on the common tasks.
    #[serde(flatten)]
    pub comparison: PairedComparison,
    /// p-value after Holm's correction for all pairs.
    pub p_holm: f64,
}

/// Model of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedModel {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the model in that experiment.
    pub model: String,
    /// Resources that its attempts used.
    pub resources: ResourceUse,
}
