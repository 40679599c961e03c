//! Where each upload belongs, the contents and what is missing, worked out again from the starting tree.

use mcpmark_guest::{Condition, Csv, Verifier};

mod rules;

use rules::{PROCEEDINGS, UPLOADS};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let volumes = rules::volumes(&mut task.start(), &rules::Oversights::default());
    let places: Vec<(String, String)> = volumes
        .moves
        .iter()
        .map(|(name, place)| {
            (
                format!("{UPLOADS}/{name}"),
                format!("{PROCEEDINGS}/{place}"),
            )
        })
        .collect();
    for (old, new) in &places {
        let upload = task.start().file(old);
        task.check(
            format!("in its place: {new}"),
            task.file(new).has_bytes_of(&upload),
        );
    }
    let left = places.iter().map(|(old, _)| task.file(old).is_absent());
    task.check("no upload is left behind", Condition::all(left));

    let contents = format!("{PROCEEDINGS}/contents.csv");
    let file = task.file(&contents);
    let table = file.csv().header(rules::HEADER);
    task.check(
        "papers in the contents",
        table
            .column("paper")
            .equal_in_any_order(volumes.contents.iter().map(|line| line[2].as_str())),
    );
    task.check(
        "pages on which they begin",
        table.column("first_page").equal(
            volumes
                .contents
                .iter()
                .map(|line| line[4].as_str())
                .collect::<Vec<_>>(),
        ),
    );
    task.check("the contents in order", table.equal(&volumes.contents));
    let text: String = std::iter::once(Csv::line(rules::HEADER))
        .chain(volumes.contents.iter().map(Csv::line))
        .collect();
    task.check("the contents to the last byte", file.equals(&text));

    let missing = format!("{PROCEEDINGS}/missing.md");
    let list = task.file(&missing);
    let bullets = volumes
        .missing
        .iter()
        .map(|line| line.trim_start_matches("- "));
    task.check(
        "papers that are missing",
        list.markdown().items().equal_in_any_order(bullets),
    );
    task.check(
        "the missing to the last byte",
        list.equals(&volumes.missing_text()),
    );

    let moved = places
        .iter()
        .flat_map(|(old, new)| [old.as_str(), new.as_str()]);
    task.unchanged_except(
        moved
            .chain([contents.as_str(), missing.as_str()])
            .collect::<Vec<_>>(),
    );
}
