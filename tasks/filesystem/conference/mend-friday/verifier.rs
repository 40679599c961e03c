//! Draft 4 of Friday, worked out again from the starting tree.

use mcpmark_guest::{Csv, Reader, Verifier};

mod rules;

use rules::folder::{TO_DO, ticked};
use rules::{FRIDAY, ITEM, Oversights, PAGE};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let mut start = task.start();
    let mended = rules::mend(&mut start, &Oversights::default());
    let (draft_path, changes_path) = (
        format!("{FRIDAY}/draft 4.csv"),
        format!("{FRIDAY}/changes.json"),
    );

    let file = task.file(&draft_path);
    let draft = file.csv().header(["start", "room", "talk"]);
    task.check(
        "talks that have a place",
        draft
            .column("talk")
            .equal_in_any_order(mended.draft.iter().map(|line| line[2].as_str())),
    );
    task.check(
        "the places of draft 4",
        draft.equal_in_any_order(&mended.draft),
    );
    task.check("and in their order", draft.equal(&mended.draft));
    let text: String = std::iter::once(Csv::line(["start", "room", "talk"]))
        .chain(mended.draft.iter().map(Csv::line))
        .collect();
    task.check("draft 4 to the last byte", file.equals(&text));

    let file = task.file(&changes_path);
    let changes = file.json();
    task.check(
        "the keys of the changes",
        changes.keys_are(["cancelled", "moved", "unplaced"]),
    );
    for (name, key) in [
        ("talks that are cancelled", "cancelled"),
        ("talks that moved, and why", "moved"),
        ("talks without a place", "unplaced"),
    ] {
        task.check(
            name,
            changes.at(&format!("/{key}")).equals(&mended.changes[key]),
        );
    }
    task.check(
        "the changes to the last byte",
        file.equals(&mended.changes_text()),
    );

    let before = start.text(PAGE);
    let page = task.file(PAGE);
    task.check("the rows of the page", page.text().contains(&mended.rows));
    task.check(
        "the page to the last byte",
        page.equals(&mended.page(&before)),
    );
    task.check(
        "Friday is ticked",
        task.file(TO_DO).equals(&ticked(&start.text(TO_DO), ITEM)),
    );
    task.unchanged_except([draft_path.as_str(), &changes_path, PAGE, TO_DO]);
}
