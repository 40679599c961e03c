//! What is handed over, put together again from the starting tree.

#[path = "../lab.rs"]
mod lab;
mod rules;

use mcpmark_guest::{Numbers, Verifier};
use rules::{KEY, MANIFEST, Slips};

mcpmark_guest::verifier!(verify);

const KEYS: [&str; 7] = [
    "batch",
    "started",
    "operator",
    "rows",
    "rows_left_out",
    "entries",
    "entries_left_out",
];

fn verify(task: &mut Verifier) {
    let expected = rules::handover(&mut task.start(), &Slips::default());
    let files = expected.files();

    let mut wanted: Vec<String> = files
        .iter()
        .map(|(path, _)| path.clone())
        .filter(|path| path != KEY)
        .collect();
    wanted.sort();
    task.check(
        "the files that are handed over",
        task.end().files("handover").equal(wanted),
    );
    for part in &expected.parts {
        let data = task.file(format!("handover/{}/data.csv", part.batch));
        task.check(
            format!("the data of {}", part.batch),
            data.equals(&part.data),
        );
        let log = task.file(format!("handover/{}/log.txt", part.batch));
        let lines: Vec<&str> = part.log.lines().collect();
        task.check(
            format!("how long the log of {} is", part.batch),
            log.lines().count_is(lines.len()),
        );
        task.check(format!("the log of {}", part.batch), log.equals(&part.log));
    }

    let manifest = task.file(MANIFEST).json();
    for (index, part) in expected.parts.iter().enumerate() {
        let found = manifest.at(&format!("/{index}"));
        task.check(
            format!("{} in the manifest", part.batch),
            found
                .keys_are(KEYS)
                .and(found.equals_with(&expected.manifest[index], Numbers::AsWritten)),
        );
    }
    task.check(
        "one entry per batch in the manifest",
        manifest.count_is(expected.parts.len()),
    );
    task.check(
        "the bytes of the manifest",
        task.file(MANIFEST).equals(&expected.manifest_text()),
    );

    let key = task.file(KEY).lines();
    let lines: Vec<&str> = expected.key.lines().collect();
    let codes = |lines: &[&str], first: char| -> Vec<String> {
        lines
            .iter()
            .filter(|line| line.starts_with(first))
            .map(|line| (*line).to_owned())
            .collect()
    };
    for (name, first) in [("samples", 'X'), ("staff", 'P')] {
        let found =
            key.map(|lines| codes(&lines.iter().map(String::as_str).collect::<Vec<_>>(), first));
        task.check(
            format!("the key of {name}"),
            found.equal(codes(&lines, first)),
        );
    }
    task.check("the bytes of the key", task.file(KEY).equals(&expected.key));
    task.unchanged_except(
        files
            .iter()
            .map(|(path, _)| path.as_str())
            .collect::<Vec<_>>(),
    );
}
