//! Reviews, scores and places of the last track, worked out from the starting tree.

use mcpmark_guest::{File, Verifier, content};

mod rules;
#[cfg(test)]
mod tests;

use rules::folder::TO_DO;
use rules::{DECISIONS, EXCLUDED, ITEM};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = task.start();
    let outcome = rules::outcome(&mut task.start(), "Heritage", None);
    task.check(
        "the decisions",
        task.file(DECISIONS)
            .content_is(extended(&start.file(DECISIONS), &outcome.decisions)),
    );
    task.check(
        "the reviews that do not count",
        task.file(EXCLUDED)
            .content_is(extended(&start.file(EXCLUDED), &outcome.excluded)),
    );
    let open = format!("- [ ] {ITEM}");
    let list = content::edited(&start.file(TO_DO).text().required());
    task.check(
        "the item is ticked",
        task.file(TO_DO)
            .content_is(list.replace(&open, open.replace("[ ]", "[x]"))),
    );
    task.unchanged_except([DECISIONS, EXCLUDED, TO_DO]);
}

/// A list with further lines; those that were there keep their bytes.
fn extended(list: &File, lines: &[String]) -> content::Edited {
    let start = content::edited(&list.text().required());
    lines.iter().fold(start, |list, line| list.append(line))
}
