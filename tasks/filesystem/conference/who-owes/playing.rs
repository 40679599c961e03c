//! Plays the task; a wrong solution overlooks one thing.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
mod rules;

pub use rules::Oversights;

pub fn play(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("00 Rules/conventions.md");
    tools.read_text("00 Rules/registration.md");
    let accounts = rules::accounts(tools, &oversights);
    let lines = accounts
        .persons
        .iter()
        .map(|person| Csv::line(person.line()));
    let list: String = std::iter::once(Csv::line(rules::HEADER))
        .chain(lines)
        .collect();
    tools.write(rules::ATTENDEES, &list);
    tools.write(rules::NOTE, &rules::note(&accounts).text());
    format!("{} persons are on the list.", accounts.persons.len())
}
