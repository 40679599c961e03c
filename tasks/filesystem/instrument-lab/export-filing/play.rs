//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::rules::{self, INDEX, LOG, Slips};

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    tools.read_text("README.md");
    tools.read_text("docs/filing exports.md");
    let filing = rules::file(tools, slips);
    for entry in &filing.moves {
        tools.rename(&entry.old, &entry.new);
    }
    tools.write(INDEX, &filing.index);
    tools.write(LOG, &filing.log);
    format!(
        "{} files were moved, {} stay.",
        filing.moves.len(),
        filing.staying.len()
    )
}
