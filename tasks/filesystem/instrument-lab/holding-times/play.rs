//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::rules::{self, CHANGES, REGISTER, SUMMARY, Slips, TABLE};

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    tools.read_text("README.md");
    tools.read_text("receiving/README.txt");
    let result = rules::work_out(tools, slips);
    tools.write(REGISTER, &result.register);
    tools.write(CHANGES, &result.changes_text());
    tools.write(TABLE, &result.table());
    tools.write(SUMMARY, &result.summary_text());
    format!(
        "{} cells of the register were changed.",
        result.changes.len()
    )
}
