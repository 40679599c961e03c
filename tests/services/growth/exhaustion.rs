//! Small requests that expand to very large data: they are refused with short messages and bounded memory.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::measure::cost;
use crate::world::{Entry, World};

const OLDER: &str = "2025.12.18";

const TOO_MANY: &str = "the braces in the patterns stand for more than 10000 alternatives or 2097152 bytes, the limits \
                        for all patterns of one call; use fewer or shorter alternatives";

/// Maximum memory of a refusal of patterns, in bytes.
const LITTLE: usize = 64 << 20;

/// Default quota of a world, in bytes.
const QUOTA: usize = 256 << 20;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("exhaustion::edits_that_double_the_text", || {
            doubling_edits();
            Ok(())
        }),
        Trial::test("exhaustion::indentation_of_many_lines", || {
            indentation();
            Ok(())
        }),
        Trial::test("exhaustion::alternatives", || {
            alternatives();
            Ok(())
        }),
        Trial::test("exhaustion::steps_of_matching", || {
            steps();
            Ok(())
        }),
    ]
}

/// Checks that a call is refused and uses less than `most` bytes. Returns its text.
fn refused(world: &World, tool: &str, arguments: &Value, most: usize) -> String {
    let before = world.digest();
    let mut text = String::new();
    let cost = cost(|| text = world.fails(tool, arguments));
    assert!(cost.bytes < most, "{tool}: {cost}");
    assert_eq!(world.digest(), before, "{tool} changed the world");
    world.ok("get_file_info", &json!({"path": ""}));
    text
}

fn doubling_edits() {
    let edits = vec![json!({"oldText": "X", "newText": "$`X"}); 24];
    for dry_run in [false, true] {
        let text = "a".repeat(1_000) + "X";
        let file = ("x.txt".to_owned(), Entry::File(text.into_bytes()));
        let world = World::new(OLDER, [file]);
        let arguments = json!({"path": "x.txt", "edits": edits, "dryRun": dry_run});
        // Memory of the text before and after the last edit, of which the second is at most as large as the world.
        assert_eq!(
            refused(&world, "edit_file", &arguments, QUOTA + QUOTA / 2),
            "ENOSPC: the quota of 268435456 bytes for the world (raised by \"limits.world_bytes\" in meta.json) \
             would be exceeded, write '/workspace/x.txt'"
        );
    }
}

/// The indentation of a replaced line is added to each new line.
fn indentation() {
    let lines = |first: &str| format!("{first}X\n{}", " Y\n".repeat(1_000));
    let text = lines(&" ".repeat(1 << 20));
    let file = ("x.txt".to_owned(), Entry::File(text.into_bytes()));
    let world = World::new(OLDER, [file]);
    let edits = [json!({"oldText": lines("\t"), "newText": lines("")})];
    let arguments = json!({"path": "x.txt", "edits": edits});
    let text = refused(&world, "edit_file", &arguments, LITTLE);
    assert!(text.starts_with("ENOSPC: the quota of "), "{text}");
}

fn alternatives() {
    let world = World::new(OLDER, [("a.txt".to_owned(), Entry::File(Vec::new()))]);
    let long = vec!["{1..999}".to_owned() + &"x".repeat(4_000); 8];
    let many = vec!["{1..999}"; 400];
    for patterns in [json!(long), json!(many)] {
        let arguments = json!({"path": "", "excludePatterns": patterns});
        let text = refused(&world, "directory_tree", &arguments, LITTLE);
        assert_eq!(text, TOO_MANY);
        let arguments = json!({"path": "", "pattern": "*", "excludePatterns": patterns});
        let text = refused(&world, "search_files", &arguments, LITTLE);
        assert_eq!(text, TOO_MANY);
    }
}

fn steps() {
    let name = |a: usize, b: usize| "a".repeat(a) + &"b".repeat(b) + &"c".repeat(85);
    let names = (1..=85).flat_map(|a| (81..=85).map(move |b| name(a, b)));
    let world = World::new(OLDER, names.map(|name| (name, Entry::Directory)));
    let arguments = json!({"path": "", "pattern": "*(a*(b*(c)))".repeat(5_000)});
    let text = refused(&world, "search_files", &arguments, LITTLE);
    assert!(
        text.starts_with("the patterns need more than the 200000000 steps"),
        "{text}"
    );
}
