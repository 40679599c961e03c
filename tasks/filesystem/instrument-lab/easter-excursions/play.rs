//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::rules::{self, DOCUMENT, Slips, TABLE};

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    tools.read_text("README.md");
    tools.read_text("docs/cold stores.md");
    tools.read_text("docs/calibration.md");
    let report = rules::report(tools, slips);
    tools.write(TABLE, &report.table());
    tools.write(DOCUMENT, &report.document());
    format!("{} excursions count.", report.rows.len())
}
