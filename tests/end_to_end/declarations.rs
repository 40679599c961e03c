//! Declarations of a task for its certification: `checks`, `context`, `variants`, `excluded` and `split`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::check::check;
use crate::environment::{Environment, text, write_files};
use crate::guests;
use crate::library::Library;

/// Adds a task that asks for the number of stalls, with these declarations. Its verifier accepts the number in digits
/// and in words.
fn stalls(library: &Library<'_>, declarations: Value) -> PathBuf {
    counting(library, "stalls", declarations)
}

/// Adds the task of [`stalls`] with another name.
fn counting(library: &Library<'_>, name: &str, declarations: Value) -> PathBuf {
    let note = "Stalls that were cancelled\nare not counted.\n";
    write_files(&library.world("office"), &[("files/note.txt", note)]);
    let mut meta = json!({
        "task_id": name, "task_name": "Stalls", "description": "Count the stalls.", "author": "ann",
        "created_at": "2026-03-02", "difficulty": "L1", "tags": ["counting"],
    });
    let declarations = declarations.as_object().unwrap().clone();
    meta.as_object_mut().unwrap().extend(declarations);
    let dir = library.task_with(name, &guests::own("letter.wat"), &meta);
    let instruction = "Hi, the fair is next week.\n\nPlease write `letter.txt` with the number of stalls, as in \
                       `note.txt`. Leave everything else as it is.\n";
    fs::write(dir.join("description.md"), instruction).unwrap();
    for folder in ["cheats", "variants"] {
        fs::create_dir(dir.join(folder)).unwrap();
    }
    solution(&dir, "solution.wasm", ["list", "read"], "12");
    solution(&dir, "cheats/counts-cancelled.wasm", ["list", "read"], "15");
    dir
}

/// Writes a solution that lists the files and reads the note in this order, and writes the letter.
fn solution(dir: &Path, file: &str, order: [&str; 2], stalls: &str) {
    let read = |name| match name {
        "list" => ("list_directory", json!({"path": "."})),
        _ => ("read_text_file", json!({"path": "note.txt"})),
    };
    let letter = format!("There are {stalls} stalls at the fair.\n");
    let write = json!({"path": "letter.txt", "content": letter});
    let component = guests::calls(&[read(order[0]), read(order[1]), ("write_file", write)]);
    fs::write(dir.join(file), component).unwrap();
}

/// Returns the status of a point.
fn status(report: &Value, name: &str) -> String {
    let points = report["points"].as_array().unwrap();
    let point = points.iter().find(|point| point["point"] == name);
    text(&point.unwrap()["status"])
}

#[test]
fn declarations_that_are_true_pass_their_points() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let counted = json!({"in": "note.txt", "text": "Stalls that were cancelled are not counted."});
    let declarations = json!({
        "checks": {
            "the letter": {
                "about": ["letter.txt"],
                "cites": ["write `letter.txt` with the number of stalls", counted],
            },
            "nothing else changed": {"about": ["*"], "cites": ["Leave everything else as it is."]},
        },
        "context": ["Hi, the fair is next week."],
        "variants": {"reads-first": "order", "in-words": "reading"},
        "excluded": {"counts-cancelled": counted},
    });
    let dir = stalls(&library, declarations);
    solution(&dir, "variants/reads-first.wasm", ["read", "list"], "12");
    solution(&dir, "variants/in-words.wasm", ["list", "read"], "twelve");

    let report = library.run(["task", "check", "--json"]).exits(0).json();
    let task = &report["tasks"][0];
    let near_misses = format!("{} near misses", task["mutants"]["rejected"]);
    let rungs = "25 % of the calls 0.00, 50 % of the calls 0.00, 75 % of the calls 0.00";
    for (name, detail) in [
        ("each check cites its sentence", "3 citations of 2 checks"),
        ("each demand has a check", "3 sentences, 1 of them context"),
        (
            "near misses fail at the intended check",
            near_misses.as_str(),
        ),
        ("a second oracle in another order passes", "1 variant"),
        (
            "other readings are accepted or excluded",
            "1 accepted, 1 excluded",
        ),
        (
            "doing nothing and calling tools by chance earn no score",
            "nop 0, random 0",
        ),
        ("the ladder of agents is monotone", rungs),
    ] {
        let condition = check(task, name);
        assert_eq!(condition["passed"], true, "{condition}");
        assert_eq!(condition["detail"], detail, "{name}");
    }
    for point in [
        "oracle",
        "negative-agents",
        "near-misses",
        "readings",
        "citations",
        "difficulty",
    ] {
        assert_eq!(status(task, point), "passed", "{point}");
    }
    let scores = json!({
        "greedy": 0.0, "nop": 0.0, "random": 0.0, "oracle-25": 0.0, "oracle-50": 0.0, "oracle-75": 0.0
    });
    assert_eq!(task["scores"], scores);
}

#[test]
fn declarations_that_are_false_fail_with_their_reasons() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let declarations = json!({
        "checks": {
            "the letter": {
                "about": ["*"],
                "cites": [
                    "write `letter.txt` with the number of stalls",
                    {"in": "note.txt", "text": "Stalls of last year are counted."},
                ],
            },
        },
        "context": ["Hi, the fair is next week."],
        "variants": {"reads-first": "order", "in-words": "reading", "with-one-call": "route"},
        "excluded": {"counts-twice": "with the number of stalls"},
    });
    let dir = stalls(&library, declarations);
    for variant in ["reads-first", "in-words", "unknown"] {
        let file = format!("variants/{variant}.wasm");
        solution(&dir, &file, ["list", "read"], "12");
    }

    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let task = &report["tasks"][0];
    let mut details = String::new();
    for name in [
        "each check cites its sentence",
        "each demand has a check",
        "near misses fail at the intended check",
        "a second oracle in another order passes",
        "another legitimate route is accepted",
        "other readings are accepted or excluded",
        "variant unknown is declared",
    ] {
        let condition = check(task, name);
        assert_eq!(condition["passed"], false, "{condition}");
        details += &format!("{name}: {}\n", text(&condition["detail"]));
    }
    insta::assert_snapshot!(details, @r#"
    each check cites its sentence: check "nothing else changed" is not under "checks" in meta.json; check "the letter": "note.txt" does not contain "Stalls of last year are counted."
    each demand has a check: no check cites "Leave everything else as it is."; add it to "context" if it demands nothing
    near misses fail at the intended check: delete-input of letters/one.txt: expected one of "the letter" to fail, but only "nothing else changed" did; delete-input of note.txt: expected one of "the letter" to fail, but only "nothing else changed" did; edit-input of letters/one.txt: expected one of "the letter" to fail, but only "nothing else changed" did; and 9 more
    a second oracle in another order passes: reads-first: makes the calls of the solution in the same order
    another legitimate route is accepted: variants/with-one-call.rs does not exist
    other readings are accepted or excluded: the task does not have the cheat "counts-twice"; in-words: has the result of the solution
    variant unknown is declared: add it to "variants" in meta.json as "order", "route" or "reading"
    "#);
    for point in ["oracle", "near-misses", "readings", "citations"] {
        assert_eq!(status(task, point), "failed", "{point}");
    }
    assert!(!dir.join("certificate.json").exists());
}

/// Asserts that a condition of each task fails, and returns the details.
fn all_fail(report: &Value, name: &str) -> String {
    let tasks = report["tasks"].as_array().unwrap();
    let details = tasks.iter().map(|task| {
        let condition = check(task, name);
        assert_eq!(condition["passed"], false, "{condition}");
        text(&condition["detail"]) + "\n"
    });
    details.collect()
}

#[test]
fn tasks_with_the_same_skeleton_fail_with_both_names() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let dir = stalls(&library, json!({}));
    let twin = counting(&library, "stands", json!({}));
    let condition = "no other task has the same skeleton";
    let check_all = ["task", "check", "--write", "--json"];
    let report = library.run(check_all).exits(1).json();
    let same_skeleton = all_fail(&report, condition);
    insta::assert_snapshot!(same_skeleton, @r"
    filesystem/office/stalls and filesystem/office/stands have the same skeleton of calls and of rules; change what one of them asks for, or remove it
    filesystem/office/stands and filesystem/office/stalls have the same skeleton of calls and of rules; change what one of them asks for, or remove it
    ");
    assert!(!dir.join("certificate.json").exists());

    solution(&twin, "solution.wasm", ["read", "list"], "12");
    let report = library.run(check_all).exits(0).json();
    for task in report["tasks"].as_array().unwrap() {
        assert_eq!(status(task, "distinctness"), "passed");
        assert_eq!(status(task, "split"), "not-examined");
    }
    let certificate = fs::read_to_string(dir.join("certificate.json")).unwrap();
    let certificate: Value = serde_json::from_str(&certificate).unwrap();
    assert_eq!(certificate["format"], 5);
    assert_eq!(certificate["skeleton"], report["tasks"][0]["skeleton"]);

    // A certificate that holds says nothing about tasks that changed later.
    solution(&twin, "solution.wasm", ["list", "read"], "12");
    let stale = ["task", "check", "--stale", "--json"];
    let report = library.run(stale).exits(1).json();
    assert_eq!(report["tasks"][0]["examined"], false);
    assert_eq!(all_fail(&report, condition), same_skeleton);

    // Both tasks keep their earlier certificates, whichever is examined first.
    let certificates =
        || [&dir, &twin].map(|dir| fs::read_to_string(dir.join("certificate.json")).unwrap());
    let before = certificates();
    let report = library.run(check_all).exits(1).json();
    assert_eq!(all_fail(&report, condition), same_skeleton);
    assert_eq!(certificates(), before);
}

#[test]
fn splits_that_share_a_world_and_rules_fail() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    stalls(&library, json!({"split": "train"}));
    let held_out = counting(&library, "stands", json!({"split": "test"}));
    solution(&held_out, "solution.wasm", ["read", "list"], "12");
    let report = library.run(["task", "check", "--json"]).exits(1).json();
    let same_world = all_fail(&report, "no world is in two splits");
    insta::assert_snapshot!(same_world, @r"
    filesystem/office/stalls (train) and filesystem/office/stands (test) start from the same world
    filesystem/office/stands (test) and filesystem/office/stalls (train) start from the same world
    ");
    let same_skeleton = all_fail(&report, "no skeleton is in two splits");
    insta::assert_snapshot!(same_skeleton, @r"
    filesystem/office/stalls (train) and filesystem/office/stands (test) have the same skeleton of rules
    filesystem/office/stands (test) and filesystem/office/stalls (train) have the same skeleton of rules
    ");
}
