//! Report in GitHub Flavored Markdown.

use std::fmt::Write;

use crate::data::Report;
use crate::sanitise::line;
use crate::table::{Table, markdown_text};
use crate::text::lead;

pub(crate) fn markdown(report: &Report, tables: &[Table]) -> String {
    let mut out = format!("# {}\n\n", markdown_text(&line(&report.experiment)));
    let _ = writeln!(out, "{}", markdown_text(&lead(report)));
    for table in tables {
        let _ = write!(
            out,
            "\n## {}\n\n{}",
            markdown_text(&table.title),
            table.markdown()
        );
        if !table.note.is_empty() {
            let _ = writeln!(out, "\n{}", markdown_text(&table.note));
        }
    }
    out
}
