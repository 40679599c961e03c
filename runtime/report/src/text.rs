//! Report as plain text for a terminal.

use std::fmt::Write;

use crate::data::Report;
use crate::numbers;
use crate::sanitise::line;
use crate::table::{Table, wrap};

/// Returns the summary line of a report.
pub(crate) fn lead(report: &Report) -> String {
    let graded: usize = report.models.iter().map(|m| m.overall.score.graded).sum();
    let spent = match (report.spent.usd, report.spent.some_unknown) {
        (0.0, false) => String::new(),
        (0.0, true) => ", cost unknown".to_owned(),
        (usd, unknown) => {
            let more = if unknown {
                " and more that is not known"
            } else {
                ""
            };
            format!(", {} USD{more}", mcpmark_journal::decimals(usd))
        }
    };
    let same = if report.experiments.len() > 1 && report.differences.is_empty() {
        "; tasks, attempts, limits, settings and engine do not differ"
    } else {
        ""
    };
    format!(
        "{} × {}, k = {}: {} of {} graded{spent}; begun {}{same}",
        participants(report),
        numbers::count(report.tasks.len(), "task"),
        report.k,
        graded,
        numbers::count(report.planned, "attempt"),
        report.begun
    )
}

/// Formats the numbers of models and of agents without a model.
fn participants(report: &Report) -> String {
    let models = report.models.iter();
    let models = models.filter(|model| model.model.is_some()).count();
    let agents = report.models.len() - models;
    match (models, agents) {
        (0, _) => numbers::count(agents, "agent"),
        (_, 0) => numbers::count(models, "model"),
        _ => format!(
            "({} and {} without one)",
            numbers::count(models, "model"),
            numbers::count(agents, "agent")
        ),
    }
}

pub(crate) fn text(report: &Report, tables: &[Table], width: Option<usize>) -> String {
    let mut out = wrap(&line(&report.experiment), width);
    out.push_str(&wrap(&lead(report), width));
    for table in tables {
        let _ = write!(out, "\n{}{}", wrap(&table.title, width), table.text(width));
        if !table.note.is_empty() {
            out.push_str(&wrap(&format!("({})", table.note), width));
        }
    }
    out
}
