//! Reviews, scores and places of the last track, worked out from the starting tree.

use mcpmark_guest::{Csv, File, Found, Verifier, content};

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
        with_plain_rows(&task.file(DECISIONS), &start.file(DECISIONS))
            .content_is(extended(&start.file(DECISIONS), &outcome.decisions)),
    );
    task.check(
        "the reviews that do not count",
        with_plain_rows(&task.file(EXCLUDED), &start.file(EXCLUDED))
            .content_is(extended(&start.file(EXCLUDED), &outcome.excluded)),
    );
    let open = format!("- [ ] {ITEM}");
    let ticked = open.replace("[ ]", "[x]");
    let list = content::edited(&start.file(TO_DO).text().required());
    // Markdown knows a capital as well.
    let capital = open.replace("[ ]", "[X]");
    let found = task.file(TO_DO).text();
    task.check(
        "the item is ticked",
        found
            .map(|text| text.replace(&capital, &ticked))
            .content_is(list.replace(&open, &ticked)),
    );
    task.unchanged_except([DECISIONS, EXCLUDED, TO_DO]);
}

/// A list with further lines; those that were there keep their bytes.
fn extended(list: &File, lines: &[String]) -> content::Edited {
    let start = content::edited(&list.text().required());
    lines.iter().fold(start, |list, line| list.append(line))
}

/// The text of a list, in which the rows below those of the start have no needless quotes.
fn with_plain_rows(list: &File, start: &File) -> Found<String> {
    let count = start.text().required().lines().count();
    list.text().map(|text| plain_rows(text, count))
}

/// Returns the text with quotes only around cells that need them, in the rows from a line on.
fn plain_rows(text: &str, first: usize) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    lines
        .map(|(at, line)| {
            let row = line.trim_end_matches(['\r', '\n', ' ', '\t']);
            let plain = (at >= first).then(|| plain_row(row)).flatten();
            plain.map_or_else(|| line.to_owned(), |plain| plain + &line[row.len()..])
        })
        .collect()
}

/// Returns a row without needless quotes, or `None` if it is no row of CSV.
fn plain_row(row: &str) -> Option<String> {
    let table = Csv::strict().without_header().read(row).ok()?;
    let [row] = table.rows() else {
        return None;
    };
    Some(Csv::line(row.cells()).trim_end().to_owned())
}
