//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;

use crate::report::{self, EXCEEDANCES, RESULTS, SUMMARY};
use crate::rules::{self, Slips};

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    tools.read_text("README.md");
    tools.read_text("docs/results.md");
    let project = rules::project(tools, "P-2411", slips);
    let rows = report::rows(&project);
    tools.write(RESULTS, &report::table(&rows));
    tools.write(SUMMARY, &report::indented(&report::summary(&project)));
    tools.write(EXCEEDANCES, &report::exceedances(&project));
    format!("{} results are written down.", rows.len())
}
