//! Looks for duplicates in the handover alone, not in the folders of the cases.

#[path = "../filing.rs"]
mod filing;
#[path = "../../office.rs"]
mod office;
#[path = "../paper.rs"]
mod paper;

use filing::{INDEX, PLACE, Rules};
use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        look_into_case_folders: false,
        ..Rules::ALL
    };
    let moves = filing::plan(tools, rules);
    for moved in &moves {
        tools.rename(&format!("{PLACE}/{}", moved.old), &moved.new);
    }
    tools.write(INDEX, &filing::index(&moves));
    format!("Moved {} files.", moves.len())
}
