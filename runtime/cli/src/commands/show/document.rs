//! JSON document of an attempt.

use mcpmark_certify::{DifferenceKind, Explained};
use mcpmark_experiment::failure::{Failure, FailureClass};
use mcpmark_experiment::journal::{AttemptRow, ModelCallRow, Trajectory};
use mcpmark_experiment::report;
use mcpmark_metadata::{self as metadata, AttemptDetail, FailureEvidence, Message, ToolCall};
use mcpmark_snapshot::Change;

use super::usage::ByTurn;
use crate::commands::runs;
use crate::commands::world::state_changes;

/// Facts about an attempt that are not in its row.
pub(super) struct Details<'a> {
    pub(super) trajectory: &'a Trajectory,
    pub(super) requests: &'a [ModelCallRow],
    /// Changes to the world, if both states are known.
    pub(super) changes: Option<&'a [Change]>,
    pub(super) failure: Option<Failure>,
    pub(super) explained: Option<Vec<Explained>>,
}

/// Returns the document of an attempt.
pub(super) fn document(attempt: AttemptRow, details: Details<'_>) -> AttemptDetail {
    let Details {
        trajectory,
        requests,
        changes,
        failure,
        explained,
    } = details;
    let milliseconds = attempt.ended_ms.map(|ended| ended - attempt.started_ms);
    AttemptDetail {
        experiment: attempt.experiment.clone(),
        agent_settings: serde_json::from_str(&attempt.agent_settings).unwrap_or_default(),
        start: attempt.world.map(|digest| digest.to_string()),
        ended_detail: attempt.end.as_ref().and_then(|end| end.detail.clone()),
        answer: attempt.answer.clone(),
        started: runs::instant(attempt.started_ms),
        seconds: milliseconds.map(|milliseconds| milliseconds as f64 / 1000.0),
        messages: messages(trajectory),
        calls: calls(trajectory),
        changes: changes.map(state_changes),
        requests: requests.iter().map(request).collect(),
        by_turn: ByTurn::of(trajectory, requests).document(),
        failure: failure.map(failure_document),
        explained: explained.map(|checks| checks.into_iter().map(explanation).collect()),
        attempt: report::attempt_report(attempt),
    }
}

fn messages(trajectory: &Trajectory) -> Vec<Message> {
    let messages = trajectory.messages.iter();
    messages
        .map(|message| Message {
            turn: message.turn,
            role: message.role.to_string(),
            content: message.content.clone(),
        })
        .collect()
}

fn calls(trajectory: &Trajectory) -> Vec<ToolCall> {
    let calls = trajectory.calls.iter();
    calls
        .map(|call| ToolCall {
            turn: call.turn,
            id: call.call_id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            result: call.result.clone(),
            is_error: call.is_error,
            error: call.error.clone(),
            elapsed_us: call.elapsed_us,
        })
        .collect()
}

fn request(request: &ModelCallRow) -> metadata::ModelRequest {
    metadata::ModelRequest {
        turn: request.turn,
        purpose: request.purpose.as_str().to_owned(),
        try_number: request.try_number,
        started: runs::instant(request.started_ms),
        elapsed_us: request.elapsed_us,
        status: request.status.as_str().to_owned(),
        error_kind: request.error_kind.clone(),
        error: request.error.clone(),
        request_digest: request.request_digest.map(|digest| digest.hex()),
        usage: request.usage.map(report::usage),
        cost_usd: request.cost.map(|cost| cost.usd()),
    }
}

fn failure_document(failure: Failure) -> metadata::Failure {
    metadata::Failure {
        class: match failure.class {
            FailureClass::Implicit => metadata::FailureClass::Implicit,
            FailureClass::ContextOverflow => metadata::FailureClass::ContextOverflow,
            FailureClass::TurnLimit => metadata::FailureClass::TurnLimit,
            FailureClass::TimeLimit => metadata::FailureClass::TimeLimit,
            FailureClass::BudgetLimit => metadata::FailureClass::BudgetLimit,
            FailureClass::Abandoned => metadata::FailureClass::Abandoned,
            FailureClass::PrematureStop => metadata::FailureClass::PrematureStop,
            FailureClass::MalformedCalls => metadata::FailureClass::MalformedCalls,
        },
        evidence: FailureEvidence {
            turn: failure.evidence.turn,
            rule: failure.evidence.rule.to_owned(),
            quote: failure.evidence.quote,
        },
    }
}

fn explanation(explained: Explained) -> metadata::CheckExplanation {
    let difference = |it: mcpmark_certify::Difference| metadata::StateDifference {
        place: it.place,
        kind: match it.kind {
            DifferenceKind::Missing => metadata::DifferenceKind::Missing,
            DifferenceKind::Stray => metadata::DifferenceKind::Stray,
            DifferenceKind::Other => metadata::DifferenceKind::Other,
        },
        found: it.found,
        wanted: it.wanted,
        line: it.line,
    };
    metadata::CheckExplanation {
        check: explained.check,
        detail: explained.detail,
        differences: explained
            .differences
            .map(|differences| differences.into_iter().map(difference).collect()),
    }
}
