//! The time of February, counted again from the starting tree.

mod counting;
#[path = "../office.rs"]
mod office;
#[cfg(test)]
mod tests;

use counting::{HEADER, PEOPLE, PROGRESS};
use mcpmark_guest::{Verifier, content};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let month = counting::count(&mut task.start(), None);
    let progress = content::csv(HEADER, &month.matters)
        .trimmed()
        .amounts(["net", "vat", "gross"]);
    task.check(
        "the work in progress",
        task.file(PROGRESS).content_is(progress),
    );
    let people = content::markdown(month.document()).amounts(["Hours", "Value"]);
    task.check(
        "the summary by person",
        task.file(PEOPLE).content_is(people),
    );
    task.unchanged_except([PROGRESS, PEOPLE]);
}
