//! The release, made again from the starting tree.

mod rules;

use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

const CHANGELOG: &str = "CHANGELOG.md";

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("").required();
    let release = rules::release(
        &paths,
        |path| start.file(path).text().required(),
        &rules::Oversights::default(),
    );

    let log = task.file(CHANGELOG);
    let expected = &release.texts[CHANGELOG];
    let title = format!("{} - 2024-05-06", release.number);
    task.check(
        "the heading of the release",
        log.text().contains_line(&format!("## {title}")),
    );
    let section = log.markdown().section(&title);
    for block in section_blocks(expected, &title) {
        let name = block.lines().next().unwrap_or_default();
        let name = name
            .trim_start_matches("### ")
            .split(':')
            .next()
            .unwrap_or_default();
        let found = section.exists().and(log.text().contains(block));
        task.check(format!("in the release: {name}"), found);
    }
    task.check("the change log to the last byte", log.equals(expected));

    for (path, text) in release.texts.iter().filter(|(path, _)| *path != CHANGELOG) {
        task.check(
            format!("the number in {path}"),
            task.file(path).equals(text),
        );
    }

    let folder = format!("changes/released/{}", release.number);
    let mut changed: Vec<String> = release.texts.keys().cloned().collect();
    for name in &release.fragments {
        let (old, new) = (format!("changes/{name}"), format!("{folder}/{name}"));
        let moved = task.file(&new).has_bytes_of(&start.file(&old));
        task.check(
            format!("filed: {name}"),
            moved.and(task.file(&old).is_absent()),
        );
        changed.extend([old, new]);
    }
    let found = task.end().files(&folder);
    let names: Vec<String> = release
        .fragments
        .iter()
        .map(|name| format!("{folder}/{name}"))
        .collect();
    task.check(
        "no other fragment is filed",
        Condition::all([found.equal_in_any_order(names)]),
    );
    task.unchanged_except(changed);
}

/// The headings of the release with their entries, and the line of the internal work.
fn section_blocks<'a>(log: &'a str, title: &str) -> Vec<&'a str> {
    let (_, rest) = log
        .split_once(&format!("## {title}\n\n"))
        .expect("the change log has the release");
    let section = rest.split("\n## ").next().unwrap_or_default();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(section.match_indices("\n### ").map(|(at, _)| at + 1))
        .chain(section.match_indices("\nInternal: ").map(|(at, _)| at + 1))
        .chain([section.len()])
        .collect();
    starts
        .windows(2)
        .map(|ends| &section[ends[0]..ends[1]])
        .collect()
}
