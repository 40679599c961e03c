//! Conversion of rows to the documents of `--json`, whose types are in [`mcpmark_metadata`].

use mcpmark_metadata::{
    self as metadata, AttemptCounts, AttemptReport, ExperimentReport, FaultReport,
};
use mcpmark_model::{Cost, Usage};
use mcpmark_verdict::{Check, Fault};
use serde_json::Value;

use crate::{AttemptRow, ModelSpending, OutcomeKind, ScoreRule};

/// Returns the report of an experiment whose spec plans `planned` attempts. `spending` contains the cost of its models.
pub fn experiment_report(
    experiment: &str,
    spec: Value,
    planned: usize,
    rows: Vec<AttemptRow>,
    spending: &[ModelSpending],
) -> ExperimentReport {
    let attempts: Vec<_> = rows.into_iter().map(attempt_report).collect();
    let summary = AttemptCounts {
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
    ExperimentReport {
        experiment: experiment.to_owned(),
        spec,
        attempts,
        summary,
        spent_usd: is_known.then(|| Cost::from_nano_usd(known).usd()),
        spent_unknown,
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

/// Returns the report of an attempt.
pub fn attempt_report(row: AttemptRow) -> AttemptReport {
    let model_settings: Value = serde_json::from_str(&row.model_settings).unwrap_or_default();
    let (passed, score, score_rule) = (row.passed(), row.score(), row.score_rule());
    let checks = row.checks().iter().cloned().map(check).collect();
    let fault = match (&row.grade, row.error) {
        (Some(grade), _) => grade.result.fault().map(fault_report),
        (None, Some(message)) => {
            let kind = match row.outcome {
                Some(OutcomeKind::InvalidTask) => "invalid",
                Some(OutcomeKind::HeldBack) => "held-back",
                _ => "infra",
            };
            Some(FaultReport {
                kind: kind.to_owned(),
                message,
            })
        }
        (None, None) => None,
    };
    AttemptReport {
        id: row.id,
        task: row.task,
        program: program(&row.agent_settings),
        agent: row.agent,
        model: row.model,
        effort: effort_of(&model_settings),
        model_settings,
        k: row.k,
        ended: row.end.map(|end| end.kind.to_string()),
        outcome: row.outcome.map(|outcome| outcome.to_string()),
        passed,
        score,
        score_rule: score_rule.map(metadata::ScoreRule::from),
        checks,
        fault,
        turns: row.turns,
        tool_calls: row.tool_calls,
        state: row.state.map(|digest| digest.to_string()),
        task_digest: row.task_digest.map(|digest| digest.to_string()),
        usage: row.usage.map(usage),
        cost_usd: row.cost.map(Cost::usd),
    }
}

fn fault_report(fault: &Fault) -> FaultReport {
    FaultReport {
        kind: fault.kind.to_string(),
        message: fault.message.clone(),
    }
}

/// Converts a check of a verdict.
pub fn check(check: Check) -> metadata::Check {
    let Check {
        name,
        passed,
        detail,
    } = check;
    metadata::Check {
        name,
        passed,
        detail,
    }
}

/// Converts the token usage of requests.
pub fn usage(usage: Usage) -> metadata::Usage {
    let Usage {
        input,
        cached,
        output,
        reasoning,
    } = usage;
    metadata::Usage {
        input,
        cached,
        output,
        reasoning,
    }
}

impl From<ScoreRule> for metadata::ScoreRule {
    fn from(rule: ScoreRule) -> Self {
        match rule {
            ScoreRule::Share => Self::Share,
            ScoreRule::Earned => Self::Earned,
        }
    }
}
