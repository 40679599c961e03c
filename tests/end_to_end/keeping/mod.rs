//! Regrades, receipts, and maintenance of the store.

mod earlier;
mod explaining;
mod foreign;
mod receipts;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, redact, text};
use crate::guests;
use crate::library::{Library, count_files};

/// Runs an experiment with two attempts at a task that passes. Returns their ids.
fn two_attempts(library: &Library<'_>) -> Vec<String> {
    library.easy_task("easy");
    let run = [
        "run",
        "--agent",
        "nop",
        "-k",
        "2",
        "--experiment",
        "e",
        "--json",
    ];
    let report = library.run(run).exits(0).json();
    let attempts = report["attempts"].as_array().unwrap();
    attempts
        .iter()
        .map(|attempt| text(&attempt["id"]))
        .collect()
}

fn set_verifier(library: &Library<'_>, component: &[u8]) {
    fs::write(library.task_dir("easy").join("verifier.wasm"), component).unwrap();
}

/// Returns the path of a blob.
fn blob(environment: &Environment, digest: &Value) -> PathBuf {
    let digest = text(digest);
    let hex = digest.strip_prefix("sha256:").unwrap();
    environment
        .home()
        .join("store/blobs")
        .join(&hex[..2])
        .join(&hex[2..])
}

fn overwrite(file: &PathBuf, bytes: &[u8]) {
    fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_verifier_that_changed_grades_again_and_the_old_grades_stay() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let regrade = |what: &str| library.run(["regrade", what, "--json"]);

    let same = regrade("e").exits(0).json();
    assert_eq!(same["summary"]["same"], 2, "{same}");

    set_verifier(&library, &guests::verdict(false, "worse"));
    let report = regrade("e").exits(1).json();
    let numbers = json!({
        "attempts": 2, "same": 0, "flipped": 2, "faults": 0, "not_regraded": 0, "other_start": 0,
    });
    assert_eq!(report["summary"], numbers);
    let first = &report["attempts"][0];
    assert_eq!(first["id"], ids[0].as_str());
    assert_eq!(
        (&first["before"]["passed"], &first["after"]["passed"]),
        (&json!(true), &json!(false))
    );
    let check = json!({"name": "check", "before": true, "after": false, "detail": "worse"});
    assert_eq!(first["checks"], json!([check]));
    let model = &report["models"][0];
    assert_eq!(
        (&model["before"]["pass_1"], &model["after"]["pass_1"]),
        (&json!(1.0), &json!(0.0))
    );

    // From here on the new grade is shown. The journal keeps all three.
    let shown = library.run(["show", &ids[0], "--json"]).exits(0).json();
    assert_eq!(
        (&shown["passed"], &shown["outcome"]),
        (&json!(false), &json!("graded"))
    );
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let grades: Vec<(bool, bool)> = journal
        .prepare("SELECT passed, regrade IS NULL FROM grades WHERE attempt = ?1 ORDER BY id")
        .unwrap()
        .query_map([&ids[0]], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(grades, [(true, true), (true, false), (false, false)]);

    // One attempt, named by a prefix of its id, with a broken verifier.
    set_verifier(&library, &guests::hostile("endless-loop.wat"));
    let report = regrade(&ids[1][..8]).exits(3).json();
    assert_eq!(report["summary"]["faults"], 1, "{report}");
    assert_eq!(report["attempts"][0]["after"]["outcome"], "verifier-fault");
    let text = library.run(["regrade", "e"]).exits(3);
    insta::assert_snapshot!(text.text(), @r"
    experiment  model  attempts  passed before  now  pass@1 before  now
    e           nop           2              0    0          0.0 %    -

    fail → verifier-fault  filesystem/office/easy  [id]
      the guest used up its 1000000000 units of fuel (limit `fuel`, which `limits` of the task or of the grade may raise to 500000000000 on this host)
      ✗ → · check
    2 attempts regraded, 1 unchanged, 1 flipped, 2 without a verdict
    ");

    let refused = library.run(["regrade", "nothing"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: no experiment or attempt is named "nothing"
    hint: `mcpmark runs` lists experiments
    "#);
}

#[test]
fn an_attempt_that_started_elsewhere_than_the_task_is_told() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let other_start = || {
        let report = library.run(["regrade", "e", "--json"]).exits(0).json();
        let first = report["attempts"][0]["other_start"].clone();
        (first, report["summary"]["other_start"].clone())
    };
    assert_eq!(other_start(), (json!(false), json!(0)));
    // Attempts keep their starting state if the world of the task changes.
    let note = library.world("office").join("files/note.txt");
    fs::write(note, "as it is by now\n").unwrap();
    assert_eq!(other_start(), (json!(true), json!(2)));
    let told = library.run(["regrade", "e"]).exits(0);
    insta::assert_snapshot!(told.text(), @r"
    experiment  model  attempts  passed before  now  pass@1 before      now
    e           nop           2              2    2        100.0 %  100.0 %
    2 attempts regraded, 2 unchanged, 2 from a starting state other than the task's
    ");
    let file = environment.path("receipt.json");
    fs::write(&file, receipt(&library, &ids[0])).unwrap();
    let told = library.run(["receipt", "verify", file.to_str().unwrap()]);
    insta::assert_snapshot!(told.exits(0).text(), @r"
    task      filesystem/office/easy
    bundle    sha256:[digest]
    start     sha256:[digest] (the task starts from sha256:[digest])
    state     sha256:[digest]
    verifier  sha256:[digest]
    engine    cranelift-[version]
    ✓ the same verdict: passed, 1 check
    ");
}

const LOST: &str = "sha256:00000000000000000000000000000000000000000000000000000000000000aa";

/// Returns a function that sets the final state of an attempt in the journal, and the original final state.
fn losing(environment: &Environment, id: &str) -> (impl Fn(&str) + use<>, String) {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let state = "SELECT state FROM attempts WHERE id = ?1";
    let state: String = journal.query_row(state, [id], |row| row.get(0)).unwrap();
    let id = id.to_owned();
    let set = move |state: &str| {
        // A row without a checksum is not verified.
        let changed = "UPDATE attempts SET state = ?2, sum = NULL WHERE id = ?1";
        assert_eq!(journal.execute(changed, [&id, state]).unwrap(), 1);
    };
    (set, state)
}

#[test]
fn a_regrade_that_was_stopped_goes_on() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    set_verifier(&library, &guests::verdict(false, "worse"));
    // One attempt gets a lost final state. Its blobs cannot be deleted instead, because both attempts have the same
    // state.
    let (set, state) = losing(&environment, &ids[1]);
    set(LOST);
    let report = library.run(["regrade", "e", "--json"]).exits(5).json();
    assert_eq!(
        (
            &report["summary"]["attempts"],
            &report["summary"]["not_regraded"]
        ),
        (&json!(1), &json!(1))
    );
    insta::assert_snapshot!(redact(&text(&report["not_regraded"][0]["reason"])), @r#"cannot read the final state sha256:[digest]: cannot read directory "" of the tree (sha256:[digest])"#);
    set(&state);
    let again = library.run(["regrade", "e", "--json"]).exits(1);
    insta::assert_snapshot!(again.message(), @"1 attempt graded before the interruption: not graded again");
    assert_eq!(again.json()["summary"]["flipped"], 2);
    // The regrade is complete, so the next one starts over.
    let next = library.run(["regrade", "e", "--json"]).exits(0);
    assert!(
        !next.stderr.contains("before the interruption"),
        "{}",
        next.stderr
    );
    assert_eq!(next.json()["summary"]["same"], 2);
}

#[test]
fn a_regrade_goes_on_only_with_what_nobody_graded_since() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let regrade = |passes: bool| {
        set_verifier(&library, &guests::verdict(passes, "another"));
        library.run(["regrade", "e", "--json"])
    };
    let (set, state) = losing(&environment, &ids[1]);
    set(LOST);
    assert_eq!(regrade(false).exits(5).json()["summary"]["attempts"], 1);
    set(&state);
    assert_eq!(regrade(true).exits(1).json()["summary"]["flipped"], 1);
    // The first attempt already has a grade by this verifier, but it is not its latest, so it is graded again.
    let again = regrade(false).exits(1).json();
    assert_eq!(again["summary"]["flipped"], 2, "{again}");
    let runs = environment.run(["runs", "e", "--json"]).exits(0).json();
    for attempt in runs["attempts"].as_array().unwrap() {
        assert_eq!(attempt["passed"], false, "{attempt}");
    }
}

fn receipt(library: &Library<'_>, id: &str) -> String {
    library.run(["receipt", "show", id]).exits(0).stdout
}

#[test]
fn the_store_is_rid_of_what_nothing_needs_and_of_nothing_else() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let dir = environment.directory("stray", &[("a/b.txt", "nobody needs this\n")]);
    library
        .run([
            "grade",
            "filesystem/office/easy",
            "--state",
            dir.to_str().unwrap(),
        ])
        .exits(0);
    let before = library.run(["store", "stats", "--json"]).exits(0).json();
    assert!(
        before["unneeded"]["blobs"].as_u64().unwrap() >= 3,
        "{before}"
    );
    assert_eq!(before["experiments"][0]["experiment"], "e");
    assert_eq!(before["experiments"][0]["attempts"], 2);

    let dry = library
        .run(["store", "gc", "--dry-run", "--json"])
        .exits(0)
        .json();
    let removed = library.run(["store", "gc", "--json"]).exits(0).json();
    assert_eq!(
        (&dry["blobs"], &dry["bytes"]),
        (&removed["blobs"], &removed["bytes"])
    );
    assert_eq!(removed["blobs"], before["unneeded"]["blobs"]);
    let after = library.run(["store", "stats", "--json"]).exits(0).json();
    assert_eq!(after["unneeded"], json!({"blobs": 0, "bytes": 0}));
    assert_eq!(after["experiments"], before["experiments"]);

    library.run(["store", "check"]).exits(0);
    let shown = library.run(["show", &ids[0], "--json"]).exits(0).json();
    assert_eq!(shown["changes"], json!([]));
    library.run(["regrade", "e"]).exits(0);
    let file = environment.path("receipt.json");
    fs::write(&file, receipt(&library, &ids[0])).unwrap();
    library
        .run(["receipt", "verify", file.to_str().unwrap()])
        .exits(0);
}

#[test]
fn a_journal_that_is_lost_takes_no_state_with_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    two_attempts(&library);
    let journal = environment.home().join("journal.db");
    let blobs = || count_files(&environment.home().join("store/blobs"));
    let before = blobs();
    assert!(before > 2);
    let mut transcript = String::new();
    for gone in [false, true] {
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(environment.home().join(format!("journal.db{end}")));
        }
        if !gone {
            fs::write(&journal, "").unwrap();
        }
        for more in [None, Some("--dry-run")] {
            let refused = library
                .run(["store", "gc"].into_iter().chain(more))
                .exits(5);
            transcript += &refused.transcript();
        }
        assert_eq!(blobs(), before);
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark store gc
    error: the journal never had an experiment, but the store has 6 blobs
    hint: if the journal was lost, restore it first; if nothing has to be preserved, `--despite-loss` removes all blobs

    $ mcpmark store gc --dry-run
    error: the journal never had an experiment, but the store has 6 blobs
    hint: if the journal was lost, restore it first; if nothing has to be preserved, `--despite-loss` removes all blobs

    $ mcpmark store gc
    error: the journal never had an experiment, but the store has 6 blobs
    hint: if the journal was lost, restore it first; if nothing has to be preserved, `--despite-loss` removes all blobs

    $ mcpmark store gc --dry-run
    error: the journal never had an experiment, but the store has 6 blobs
    hint: if the journal was lost, restore it first; if nothing has to be preserved, `--despite-loss` removes all blobs
    ");
    library.run(["store", "gc", "--despite-loss"]).exits(0);
    assert_eq!(blobs(), 0);
    library.run(["store", "gc"]).exits(0);
}

#[test]
fn damaged_objects_are_named_and_can_be_made_again() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let shown = library.run(["show", &ids[0], "--json"]).exits(0).json();
    let root = blob(&environment, &shown["start"]);
    let sound = fs::read(&root).unwrap();
    overwrite(&root, &sound[1..]);

    let checked = library.run(["store", "check", "--json"]).exits(5).json();
    let fault = &checked["faults"][0];
    assert_eq!(
        (&fault["digest"], &fault["damaged"]),
        (&shown["start"], &json!(true))
    );
    assert_eq!(fault["attempts"].as_array().unwrap().len(), 2);
    let refused = library.run(["store", "gc"]).exits(5);
    insta::assert_snapshot!(refused.message(), @r#"
    error: attempt [id] of experiment "e" needs sha256:[digest], which is missing or damaged
    hint: `mcpmark store check` lists everything that is not intact; if it is lost for good, `--despite-loss` removes what nothing else refers to
    "#);
    library.run(["store", "check", "--remove-damaged"]).exits(5);
    assert!(!root.exists());
    // Reading the world stores its tree again.
    library.run(["world", "show", "filesystem/office"]).exits(0);
    assert_eq!(fs::read(&root).unwrap(), sound);
    library.run(["store", "check"]).exits(0);
    library.run(["store", "gc"]).exits(0);

    fs::remove_file(&root).unwrap();
    let checked = library.run(["store", "check", "--json"]).exits(5).json();
    assert_eq!(checked["faults"][0]["damaged"], false, "{checked}");
    library.run(["store", "gc", "--despite-loss"]).exits(0);
}
