//! Result of an experiment: the exit code and the summary.

use mcpmark_experiment::journal::{AttemptRow, OutcomeKind};
use mcpmark_experiment::{STATE_FAULT, decimals};
use mcpmark_metadata::{AttemptReport, ExitCode, ExperimentReport};

use crate::output::{self, sanitise};

/// Returns true if attempts are missing or were cancelled.
pub(crate) fn unfinished(rows: &[AttemptRow], planned: usize) -> bool {
    let cancelled = |row: &AttemptRow| row.outcome == Some(OutcomeKind::Cancelled);
    rows.len() < planned || rows.iter().any(cancelled)
}

/// Returns the exit code of a command that ran attempts.
pub(crate) fn exit_code(
    rows: &[AttemptRow],
    planned: usize,
    cancelled: bool,
    reached: bool,
) -> ExitCode {
    let has = |outcome| rows.iter().any(|row| row.outcome == Some(outcome));
    let failed = |row: &AttemptRow| row.passed() == Some(false);
    let unfinished = unfinished(rows, planned);
    if cancelled && unfinished {
        ExitCode::Interrupted
    } else if reached && unfinished && !has(OutcomeKind::InfraError) {
        ExitCode::Limit
    } else if has(OutcomeKind::InfraError) || unfinished {
        ExitCode::Infrastructure
    } else if has(OutcomeKind::InvalidTask) {
        ExitCode::Invalid
    } else if has(OutcomeKind::VerifierFault) || has(OutcomeKind::HeldBack) {
        ExitCode::NotGraded
    } else if rows.iter().any(failed) {
        ExitCode::Failed
    } else {
        ExitCode::Passed
    }
}

/// Formats the counts of an experiment and what it cost.
pub(crate) fn summary(report: &ExperimentReport) -> String {
    let counts = report.summary;
    let mut parts = vec![
        output::count(counts.attempts, "attempt"),
        output::paint(output::GOOD, format!("{} passed", counts.passed)),
    ];
    let failed = counts.graded - counts.passed;
    if failed > 0 {
        parts.push(output::paint(output::BAD, format!("{failed} failed")));
    }
    let state_fault = |it: &&AttemptReport| it.outcome.as_deref() == Some(STATE_FAULT);
    let stopped = report.attempts.iter().filter(state_fault).count();
    if stopped > 0 {
        let text = format!("{stopped} of them because the state stops the verifier");
        parts.push(output::paint(output::BAD, text));
    }
    if counts.graded < counts.attempts {
        let number = counts.attempts - counts.graded;
        parts.push(output::paint(output::WARN, format!("{number} not graded")));
    }
    parts.extend(spent(report));
    let mut text = parts.join(", ") + "\n";
    let name = sanitise::line(&report.experiment);
    text.push_str(&output::paint(
        output::DIM,
        format!("`mcpmark runs {name}` lists the attempts, `mcpmark show ATTEMPT` shows one"),
    ));
    text.push('\n');
    text
}

/// Formats the cost of all tries, if models were used.
fn spent(report: &ExperimentReport) -> Option<String> {
    match (report.spent_usd, report.spent_unknown) {
        (None, 0) => None,
        (None, _) => Some("cost unknown".to_owned()),
        (Some(known), 0) => Some(format!("{} USD", decimals(known))),
        (Some(known), unknown) => Some(format!(
            "{} USD and the unknown cost of {}",
            decimals(known),
            output::count(unknown, "attempt")
        )),
    }
}
