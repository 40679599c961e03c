//! Plays the task.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("tracker/README.md");
    tools.read_text("tracker/privacy.md");
    let people = tools.read_text("tracker/people.csv");
    let paths = tools.files("tracker");
    let export = rules::newest_export(&paths);
    let copy = rules::copy(&tools.read_text(export), &people, oversights);
    tools.write(&rules::copy_path(export), &copy.text);
    let mut table = Csv::line(["what", "count"]);
    for (what, count) in rules::COUNTED.into_iter().zip(copy.counts) {
        table += &Csv::line([what, &count.to_string()]);
    }
    tools.write("tracker/public/removed.csv", &table);
    "The copy for the public is in tracker/public.".to_owned()
}
