//! Deadlines and diary, worked out again from the starting tree.

mod calendar;
mod cases;
mod deadlines;
mod diary;
#[path = "../office.rs"]
mod office;

use deadlines::Rules;
use diary::{DEADLINES, DIARY, HEADER};
use mcpmark_guest::Verifier;

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let cases = deadlines::reckon(&mut task.start(), Rules::ALL);
    let expected = diary::repair(&mut task.start(), &cases);

    let file = task.file(DEADLINES);
    let found = file.json();
    let items = expected.deadlines.as_array().cloned().unwrap_or_default();
    task.check("number of deadlines", found.count_is(items.len()));
    for (index, item) in items.iter().enumerate() {
        let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        task.check(
            format!("{}: {}", text("matter"), text("step")),
            found.at(&format!("/{index}")).equals(item),
        );
    }
    task.check(
        "the deadlines to the last byte",
        file.equals(&expected.json()),
    );

    let file = task.file(DIARY);
    let table = file.csv().header(HEADER);
    task.check("columns of the diary", file.csv().header_is(HEADER));
    task.check(
        "lines of the diary, in any order",
        table.equal_in_any_order(&expected.rows),
    );
    for (index, what) in [(0, "dates, sorted"), (4, "handlers"), (5, "states")] {
        let column: Vec<String> = expected.rows.iter().map(|row| row[index].clone()).collect();
        task.check(
            format!("the diary: {what}"),
            table.column(HEADER[index]).equal(column),
        );
    }
    task.check("the diary to the last byte", file.equals(&expected.csv()));
    task.unchanged_except([DEADLINES, DIARY]);
}
