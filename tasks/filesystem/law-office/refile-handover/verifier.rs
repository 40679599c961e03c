//! Where each paper of the handover went, planned again from the starting tree.

mod filing;
#[path = "../office.rs"]
mod office;
mod paper;

use filing::{HEADER, INDEX, PLACE, Rules};
use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let moves = filing::plan(&mut task.start(), Rules::ALL);
    let old_path = |old: &str| format!("{PLACE}/{old}");

    for moved in &moves {
        let paper = task.start().file(old_path(&moved.old));
        task.check(
            format!("filed: {}", moved.old),
            task.file(&moved.new).has_bytes_of(&paper),
        );
    }
    let gone = moves
        .iter()
        .map(|moved| task.file(old_path(&moved.old)).is_absent());
    task.check(
        "no paper stayed where it was",
        Condition::all(gone.collect::<Vec<_>>()),
    );

    let file = task.file(INDEX);
    let table = file.csv().header(HEADER);
    let rows: Vec<[String; 5]> = moves.iter().map(filing::Move::row).collect();
    task.check("the index has its columns", file.csv().header_is(HEADER));
    task.check("one line for each move", table.count_is(rows.len()));
    task.check(
        "lines of the index, in any order",
        table.equal_in_any_order(&rows),
    );
    task.check("the index is sorted", table.equal(&rows));
    task.check(
        "the index to the last byte",
        file.equals(&filing::index(&moves)),
    );

    let olds: Vec<String> = moves.iter().map(|moved| old_path(&moved.old)).collect();
    let olds = olds.iter().map(String::as_str);
    let news = moves.iter().map(|moved| moved.new.as_str());
    task.unchanged_except(olds.chain(news).chain([INDEX]).collect::<Vec<_>>());
}
