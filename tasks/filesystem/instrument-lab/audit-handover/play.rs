//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::rules::{self, Slips};

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    tools.read_text("README.md");
    tools.read_text("docs/handing over data.md");
    let handover = rules::handover(tools, slips);
    for (path, text) in handover.files() {
        tools.write(&path, &text);
    }
    format!("{} batches are ready.", handover.parts.len())
}
