//! Goes by the plan and the payees alone.

use mcpmark_guest::Tools;

#[path = "../ledger.rs"]
mod ledger;
#[path = "../playing.rs"]
mod playing;

use ledger::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = Oversights {
        overlooks_the_minutes: true,
        ..Default::default()
    };
    playing::merge(tools, oversights)
}
