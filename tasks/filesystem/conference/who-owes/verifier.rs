//! Persons, fees and payments, worked out again from the starting tree.

use mcpmark_guest::{Csv, Verifier};

mod rules;

use rules::{ATTENDEES, HEADER, NOTE, Oversights};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let accounts = rules::accounts(&mut task.start(), &Oversights::default());
    let lines: Vec<[String; 9]> = accounts
        .persons
        .iter()
        .map(|person| person.line())
        .collect();

    let file = task.file(ATTENDEES);
    let list = file.csv().header(HEADER);
    task.check("one line a person", list.count_is(lines.len()));
    for (index, name) in HEADER.iter().enumerate() {
        let expected: Vec<&str> = lines.iter().map(|line| line[index].as_str()).collect();
        task.check(
            format!("the column {name}"),
            list.column(name).equal(expected),
        );
    }
    let text: String = std::iter::once(Csv::line(HEADER))
        .chain(lines.iter().map(Csv::line))
        .collect();
    task.check("the list to the last byte", file.equals(&text));

    let expected = rules::note(&accounts);
    let note = task.file(NOTE);
    let document = note.markdown();
    let header = ["Number", "Name", "Owes"].map(str::to_owned);
    let table: Vec<Vec<String>> = std::iter::once(&header)
        .chain(&expected.owing)
        .map(|row| row.to_vec())
        .collect();
    task.check("who owes", document.table().equal(table));
    task.check(
        "the total",
        note.text()
            .contains_line(&format!("Total: {}", expected.total)),
    );
    for (heading, entries) in [
        ("Paid too much", &expected.too_much),
        ("Unclaimed", &expected.unclaimed),
    ] {
        let found = document.section(heading).items();
        let none = vec!["none".to_owned()];
        let entries = if entries.is_empty() { &none } else { entries };
        task.check(heading.to_lowercase(), found.equal(entries));
    }
    task.check("the note to the last byte", note.equals(&expected.text()));
    task.unchanged_except([ATTENDEES, NOTE]);
}
