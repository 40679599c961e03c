//! A report for a terminal.

use std::fmt::Write;

use crate::data::Report;
use crate::numbers;
use crate::sanitise::line;
use crate::table::{Table, wrap};

/// A heading line, and what it is about.
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
            format!(", {} USD{more}", mcpmark_experiment::decimals(usd))
        }
    };
    format!(
        "{} × {}, k = {}: {} of {} graded{spent}; begun {}",
        numbers::count(report.models.len(), "model"),
        numbers::count(report.tasks.len(), "task"),
        report.k,
        graded,
        numbers::count(report.planned, "attempt"),
        report.begun
    )
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
