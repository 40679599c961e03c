//! Follows every rule of the filing plan.

mod filing;
#[path = "../office.rs"]
mod office;
mod paper;

use filing::{INDEX, PLACE, Rules};
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let moves = filing::plan(tools, Rules::ALL);
    for moved in &moves {
        tools.rename(&format!("{PLACE}/{}", moved.old), &moved.new);
    }
    tools.write(INDEX, &filing::index(&moves));
    format!("Moved {} files.", moves.len())
}
