//! Plays the task; a wrong solution makes one mistake.

#[path = "counting.rs"]
mod counting;
#[path = "../office.rs"]
mod office;

pub use counting::Mistake;
use mcpmark_guest::{Csv, Tools};

pub fn play(tools: &mut Tools, mistake: Option<Mistake>) -> String {
    tools.read_text("04 Accounts/about the accounts.md");
    tools.read_text("04 Accounts/2026-01 work in progress.csv");
    tools.read_text("04 Accounts/2026-01 by person.md");
    let month = counting::count(tools, mistake);
    tools.write(counting::PROGRESS, &progress(&month));
    tools.write(counting::PEOPLE, &month.document());
    format!("{} matters have time in February.", month.matters.len())
}

/// The work in progress as CSV.
fn progress(month: &counting::Month) -> String {
    std::iter::once(Csv::line(counting::HEADER))
        .chain(month.matters.iter().map(Csv::line))
        .collect()
}
