//! The public form of each review, made again from the starting tree.

use mcpmark_guest::{Condition, Verifier};

mod rules;

use rules::{Oversights, PUBLIC};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let papers = rules::published(&mut task.start(), &Oversights::default());
    let mut written = vec![format!("{PUBLIC}/index.md")];
    let mut secrets = Vec::new();
    for paper in &papers {
        let path = format!("{PUBLIC}/{}.txt", paper.number);
        let file = task.file(&path);
        let Some(text) = &paper.text else {
            task.check(format!("no file for {}", paper.number), file.is_absent());
            continue;
        };
        secrets.push(file.text().lacks("Confidential to the committee"));
        secrets.push(file.text().lacks("@"));
        task.check(
            format!("the reviews of {}", paper.number),
            file.equals(text),
        );
        written.push(path);
    }
    task.check("nothing confidential, no address", Condition::all(secrets));

    let index = task.file(&written[0]);
    let header = ["Paper", "Title", "Reviews", "Named"].map(str::to_owned);
    let rows: Vec<Vec<String>> = std::iter::once(header)
        .chain(rules::rows(&papers))
        .map(Vec::from)
        .collect();
    task.check(
        "the table of the index",
        index.markdown().table().equal(rows),
    );
    task.check(
        "the index to the last byte",
        index.equals(&rules::index(&papers)),
    );

    task.unchanged_except(&written);
}
