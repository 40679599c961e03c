//! The lists of the world, and the last track as another program decided it.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_guest::testing::{self, MemoryTree};

use crate::rules::folder::TO_DO;
use crate::rules::{DECISIONS, EXCLUDED, ITEM, Outcome, outcome};
use crate::verify;

fn files() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.join("../../../../worlds/filesystem/conference/files")
}

fn copy(from: &Path, prefix: &str, tree: &mut MemoryTree) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &format!("{path}/"), tree);
        } else {
            tree.write(&path, fs::read(entry.path()).unwrap());
        }
    }
}

fn decided(track: &str) -> Outcome {
    let mut start = MemoryTree::default();
    copy(&files(), "", &mut start);
    let mut found = None;
    testing::verify(
        |task| found = Some(outcome(&mut task.start(), track, None)),
        &start,
        &start,
        None,
    );
    found.unwrap()
}

#[test]
fn tracks_of_the_world_are_decided_by_the_same_rules() {
    let (mut decisions, mut excluded) = (Vec::new(), Vec::new());
    for track in ["Light", "Sound", "Radio"] {
        let outcome = decided(track);
        decisions.extend(outcome.decisions);
        excluded.extend(outcome.excluded);
    }
    for (path, lines) in [(DECISIONS, decisions), (EXCLUDED, excluded)] {
        let text = fs::read_to_string(files().join(path)).unwrap();
        let (_, below) = text.split_once('\n').unwrap();
        assert_eq!(below, lines.join("\n") + "\n");
    }
}

#[test]
fn heritage_is_decided_as_by_hand() {
    let outcome = decided("Heritage");
    assert_eq!(
        outcome.decisions,
        [
            "S18,Heritage,2,-0.40,accept",
            "S17,Heritage,3,1.50,accept",
            "S26,Heritage,3,0.60,accept",
            "S13,Heritage,3,0.36,reserve",
            "S24,Heritage,3,0.33,reserve",
            "S07,Heritage,2,1.40,pending",
            "S08,Heritage,2,1.25,pending",
        ]
    );
    assert_eq!(outcome.excluded.len(), 15);
    assert_eq!(outcome.excluded[2], "mail-02,S07,PC04,retracted");
    assert_eq!(outcome.excluded[6], "R-137,S08,PC09,unknown");
}

/// Returns the checks that fail if the rows of Heritage, the other lines of the lists and the mark have these forms.
fn failed(
    row: impl Fn(&str) -> String,
    kept: impl Fn(String) -> String,
    mark: &str,
) -> Vec<String> {
    let mut start = MemoryTree::default();
    copy(&files(), "", &mut start);
    let mut end = MemoryTree::default();
    copy(&files(), "", &mut end);
    let outcome = decided("Heritage");
    for (path, lines) in [(DECISIONS, outcome.decisions), (EXCLUDED, outcome.excluded)] {
        let text = kept(fs::read_to_string(files().join(path)).unwrap());
        let rows = lines.iter().map(|line| row(line));
        end.write(path, text + &rows.collect::<String>());
    }
    let list = fs::read_to_string(files().join(TO_DO)).unwrap();
    let ticked = list.replace(&format!("- [ ] {ITEM}"), &format!("- {mark} {ITEM}"));
    end.write(TO_DO, ticked);
    let checks = testing::verify(verify, &start, &end, None);
    let failed = checks.into_iter().filter(|check| !check.passed);
    failed.map(|check| check.name).collect()
}

fn quoted(line: &str) -> String {
    format!("\"{}\"\n", line.replace(',', "\",\""))
}

#[test]
fn right_rows_pass_in_any_form() {
    let plain = |line: &str| format!("{line}\n");
    let same = |text: String| text;
    assert_eq!(failed(plain, same, "[x]"), Vec::<String>::new());
    assert_eq!(failed(plain, same, "[X]"), Vec::<String>::new());
    assert_eq!(failed(quoted, same, "[x]"), Vec::<String>::new());
    let blank = |line: &str| quoted(line).replace('\n', " \n");
    assert_eq!(failed(blank, same, "[x]"), Vec::<String>::new());
}

#[test]
fn wrong_rows_and_other_lines_in_another_form_fail() {
    const LISTS: [&str; 2] = ["the decisions", "the reviews that do not count"];
    let same = |text: String| text;
    let all_quoted = |text: String| text.lines().map(quoted).collect();
    assert_eq!(failed(quoted, all_quoted, "[x]"), LISTS);
    for row in [
        |line: &str| quoted(line).replace('\n', "\r\n"),
        |line: &str| quoted(line) + "\n",
        |line: &str| quoted(line).replacen("\",\"", "\";\"", 1),
        |line: &str| quoted(line).replacen('"', "\" ", 1),
        |line: &str| quoted(line).replace("S08", "S07"),
    ] {
        assert_eq!(failed(row, same, "[x]"), LISTS, "{}", row("S08,a"));
    }
    assert_eq!(failed(quoted, same, "[ ]"), ["the item is ticked"]);
    assert_eq!(failed(quoted, same, "[-]"), ["the item is ticked"]);
}
