//! The excursions of the weekend, found again in the starting tree.

#[path = "../lab.rs"]
mod lab;
mod rules;

use mcpmark_guest::Verifier;
use rules::{COLUMNS, DOCUMENT, HEADER, Slips, TABLE, TITLE};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let expected = rules::report(&mut task.start(), &Slips::default());

    let table = task.file(TABLE).csv();
    task.check("the table has its columns", table.header_is(HEADER));
    let rows = table.header(HEADER);
    task.check(
        "one line per excursion that counts",
        rows.count_is(expected.rows.len()),
    );
    for (number, name) in HEADER.iter().enumerate() {
        let column: Vec<&str> = expected
            .rows
            .iter()
            .map(|row| row[number].as_str())
            .collect();
        task.check(
            format!("{name} of each excursion"),
            rows.column(name).equal(column),
        );
    }
    task.check(
        "the excursions are right, in any order",
        rows.equal_in_any_order(&expected.rows),
    );
    task.check(
        "the bytes of the table",
        task.file(TABLE).equals(&expected.table()),
    );

    let file = task.file(DOCUMENT);
    let document = file.markdown();
    task.check(
        "the two headings",
        document.headings_are(&[(1, TITLE), (2, "Longest")]),
    );
    let mut stores = vec![COLUMNS.map(str::to_owned).to_vec()];
    stores.extend(expected.stores.iter().map(|row| row.to_vec()));
    task.check("the table of stores", document.table().equal(stores));
    task.check(
        "the longest excursion",
        document.paragraphs().equal([expected.longest.as_str()]),
    );
    task.check(
        "the bytes of the document",
        file.equals(&expected.document()),
    );
    task.unchanged_except([TABLE, DOCUMENT]);
}
