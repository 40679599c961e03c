//! The lists of the world, and the last track as another program decided it.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_guest::testing::{self, MemoryTree};

use crate::rules::{DECISIONS, EXCLUDED, Outcome, outcome};

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
