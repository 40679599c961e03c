//! Goes by the plan and the payees alone.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;
#[path = "../ledger.rs"]
mod ledger;

use ledger::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        overlooks_the_minutes: true,
        ..Default::default()
    };
    playing::merge(tools, oversights)
}
