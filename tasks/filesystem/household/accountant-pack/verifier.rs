//! Judges each copy by its original and the rules, and the table of contents.

use mcpmark_guest::Verifier;

#[allow(dead_code, reason = "the solution uses the rest")]
mod redacting;

use redacting::{COLUMNS, CONTENTS, FOLDER, LIST, Oversights};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = task.start();
    let list = start.file(LIST).text().required();
    let mut changed = vec![LIST.to_owned(), CONTENTS.to_owned()];
    let mut rows = Vec::new();
    for (place, original) in (1..).zip(redacting::ticked(&list)) {
        let text = start.file(original.as_str()).text().required();
        let copy = redacting::redact(&text, &Oversights::default());
        let name = redacting::copy_name(place, &original);
        let path = format!("{FOLDER}/{name}");
        task.check(
            format!("redacted: {name}"),
            task.file(path.as_str()).equals(&copy.text),
        );
        rows.push(redacting::row(place, &original, &copy));
        changed.push(path);
    }

    let contents = task.file(CONTENTS);
    let table = contents.csv().header(COLUMNS);
    task.check("columns of the contents", contents.csv().header_is(COLUMNS));
    task.check("one line for each copy", table.count_is(rows.len()));
    for (index, column) in COLUMNS.iter().enumerate() {
        let cells: Vec<&str> = rows.iter().map(|row| row[index].as_str()).collect();
        task.check(
            format!("the column {column}"),
            table.column(column).equal(cells),
        );
    }
    task.check(
        "the contents to the last byte",
        contents.equals(&redacting::contents(&rows)),
    );
    task.check(
        "the list says that the pack is sent",
        task.file(LIST).equals(&list.replacen('\n', " (sent)\n", 1)),
    );
    task.unchanged_except(changed);
}
