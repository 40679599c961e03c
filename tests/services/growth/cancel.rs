//! Cancelled calls: they stop, change nothing, and the session remains usable.

use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use mcpmark_filesystem::PROFILES;
use mcpmark_service::CallError;
use serde_json::{Value, json};

use crate::measure::cost;
use crate::world::{Entry, World};

/// Timeout after which a call is cancelled. Each call takes seconds without it.
const PATIENCE: Duration = Duration::from_millis(100);

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &profile in PROFILES {
        for (tool, entries, arguments) in [
            edit_file as fn() -> _,
            search_files,
            directory_tree,
            read_multiple_files,
        ]
        .map(|call| call())
        {
            let name = format!("cancel::{profile}::{tool}");
            trials.push(Trial::test(name, move || {
                stops(profile, tool, entries, &arguments)
            }));
        }
    }
    trials
}

type Call = (&'static str, Vec<(String, Entry)>, Value);

fn stops(
    profile: &str,
    tool: &str,
    entries: Vec<(String, Entry)>,
    arguments: &Value,
) -> Result<(), Failed> {
    let world = World::new(profile, entries);
    let before = world.digest();
    let cancelled = cost(|| {
        let outcome = world.call_within(tool, arguments, PATIENCE);
        assert!(
            matches!(outcome, Err(CallError::Timeout { .. })),
            "{outcome:?}"
        );
        // Calls run one at a time, so this one waits for the end of the cancelled one.
        world.ok("get_file_info", &json!({"path": ""}));
    });
    assert_eq!(world.digest(), before, "{tool} changed the world");
    let whole = cost(|| {
        world.call(tool, arguments);
    });
    if cancelled.time * 2 < whole.time {
        Ok(())
    } else {
        Err(Failed::from(format!(
            "the call took {cancelled} when it was cancelled after {PATIENCE:?}, and {whole} else"
        )))
    }
}

fn edit_file() -> Call {
    let text = "a".repeat(1 << 20) + "X";
    let file = ("a.txt".to_owned(), Entry::File(text.into_bytes()));
    let mut edits = vec![json!({"oldText": "aaaaaaaaX", "newText": "aaaaaaaaX"}); 1_900];
    edits.push(json!({"oldText": "X", "newText": "Y"}));
    (
        "edit_file",
        vec![file],
        json!({"path": "a.txt", "edits": edits}),
    )
}

fn search_files() -> Call {
    let arguments = json!({"path": "", "pattern": "*(a|b)".repeat(4_000)});
    ("search_files", many_files(), arguments)
}

fn directory_tree() -> Call {
    let patterns = ["{1..9000}"];
    let arguments = json!({"path": "", "excludePatterns": patterns});
    ("directory_tree", many_files(), arguments)
}

fn read_multiple_files() -> Call {
    let file = ("a".to_owned(), Entry::File(Vec::new()));
    (
        "read_multiple_files",
        vec![file],
        json!({"paths": vec!["a"; 300_000]}),
    )
}

fn many_files() -> Vec<(String, Entry)> {
    let file = |n| (format!("{}{n}", "ab".repeat(100)), Entry::File(Vec::new()));
    (0..7_000).map(file).collect()
}
