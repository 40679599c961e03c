//! Judges the list of members, the record of mergers and the queue by the rules for doubles.

use mcpmark_guest::{Condition, Verifier};

#[path = "../library.rs"]
mod library;
mod plan;

use library::{MEMBERS, QUEUE};
use plan::{HEADER, MERGED};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let merge = plan::merge(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());

    let merged = task.file(MERGED).csv().header(HEADER);
    for row in &merge.rows {
        let found = merged.row_where("old", &row[0]);
        task.check(
            format!("{} is merged", row[0]),
            found.cell("kept").is(row[1].as_str()),
        );
    }
    task.check("only doubles are merged", merged.equal(&merge.rows));
    task.check(
        "the mergers to the last byte",
        task.file(MERGED).equals(&files[MERGED]),
    );

    let members = task.file(MEMBERS).csv();
    let wanted = library::table(&merge.members, b',');
    for row in &merge.rows {
        let gone = members.satisfies(|table| {
            let left = table
                .rows()
                .iter()
                .any(|other| other.try_get("member") == Some(&row[0]));
            Condition::when(!left, format!("expected no line of {}", row[0]))
        });
        task.check(format!("{} is off the list", row[0]), gone);
        let kept = wanted
            .rows()
            .iter()
            .find(|other| other.get("member") == row[1]);
        let cells = kept.map(|row| row.cells().join("|")).unwrap_or_default();
        let found = members
            .row_where("member", &row[1])
            .map(|row| row.cells().join("|"));
        task.check(
            format!("{} has what {} knew", row[1], row[0]),
            found.is(cells),
        );
    }
    task.check(
        "the list to the last byte",
        task.file(MEMBERS).equals(&merge.members),
    );
    task.check(
        "the queue has the kept numbers",
        task.file(QUEUE).equals(&merge.queue),
    );
    task.unchanged_except([MERGED, MEMBERS, QUEUE]);
}
