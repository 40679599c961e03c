//! What is kept is worth something: grades are made again, receipts hold elsewhere, the store is looked after.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use mcpmark_snapshot::{Blobs, File, Node, Store, TreeBuilder, TreePath};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output, copy_tree, text};
use crate::guests;
use crate::library::Library;

/// An experiment of a task that passes, twice. Gives the ids of its attempts.
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

/// Where a blob lies.
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
    let numbers = json!({"attempts": 2, "same": 0, "flipped": 2, "faults": 0, "not_regraded": 0});
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

    // What is shown from here on is the new grade; the journal has all three.
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

    // One attempt by the beginning of its id, and a verifier that breaks.
    set_verifier(&library, &guests::hostile("endless-loop.wat"));
    let report = regrade(&ids[1][..8]).exits(3).json();
    assert_eq!(report["summary"]["faults"], 1, "{report}");
    assert_eq!(report["attempts"][0]["after"]["outcome"], "verifier-fault");
    let text = library.run(["regrade", "e"]).exits(3);
    assert!(
        text.stdout.contains("fail → verifier-fault"),
        "{}",
        text.stdout
    );

    library
        .run(["regrade", "nothing"])
        .exits(2)
        .says(&["no experiment and no attempt", "nothing"]);
}

#[test]
fn a_regrade_that_was_stopped_goes_on() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    set_verifier(&library, &guests::verdict(false, "worse"));
    // The final state of one attempt gets lost: another for this test than that of the other one.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let lost = "sha256:00000000000000000000000000000000000000000000000000000000000000aa";
    let state: String = journal
        .query_row(
            "SELECT state FROM attempts WHERE id = ?1",
            [&ids[1]],
            |row| row.get(0),
        )
        .unwrap();
    let set = |state: &str| {
        let changed = journal.execute(
            "UPDATE attempts SET state = ?2 WHERE id = ?1",
            [&ids[1], state],
        );
        assert_eq!(changed.unwrap(), 1);
    };
    set(lost);
    let report = library.run(["regrade", "e", "--json"]).exits(5).json();
    assert_eq!(
        (
            &report["summary"]["attempts"],
            &report["summary"]["not_regraded"]
        ),
        (&json!(1), &json!(1))
    );
    assert!(
        text(&report["not_regraded"][0]["reason"]).contains("cannot be read"),
        "{report}"
    );
    set(&state);
    let again = library.run(["regrade", "e", "--json"]).exits(1);
    assert!(
        again
            .stderr
            .contains("1 attempt graded before this was stopped"),
        "{}",
        again.stderr
    );
    assert_eq!(again.json()["summary"]["flipped"], 2);
    // Now it is at its end, so the next is another.
    let next = library.run(["regrade", "e", "--json"]).exits(0);
    assert!(
        !next.stderr.contains("before this was stopped"),
        "{}",
        next.stderr
    );
    assert_eq!(next.json()["summary"]["same"], 2);
}

fn receipt(library: &Library<'_>, id: &str) -> String {
    library.run(["receipt", "show", id]).exits(0).stdout
}

#[test]
fn receipts_are_equal_on_two_machines_and_hold_there() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let own = receipt(&library, &ids[0]);
    assert_eq!(receipt(&library, &ids[1]), own);
    let statement: Value = serde_json::from_str(&own).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["predicate"]["result"], "PASSED");
    assert!(
        !own.contains(&*environment.home().to_string_lossy()),
        "{own}"
    );

    // Another home, another path, another experiment.
    let elsewhere = Environment::new();
    let root = elsewhere.path("a/root");
    copy_tree(&library.root, &root);
    let there = |args: &[&str]| {
        let mut command = elsewhere.command(args);
        command.env("MCPMARK_ROOT", &root);
        Output::of(&mut command)
    };
    let run = there(&["run", "--agent", "nop", "--json"]).exits(0).json();
    let theirs = there(&[
        "receipt",
        "show",
        run["attempts"][0]["id"].as_str().unwrap(),
    ])
    .exits(0);
    assert_eq!(theirs.stdout, own);

    let file = environment.path("receipt.json");
    fs::write(&file, &own).unwrap();
    let path = file.to_str().unwrap();
    for engine in ["cranelift", "pulley"] {
        let verified = there(&["receipt", "verify", path, "--engine", engine, "--json"])
            .exits(0)
            .json();
        assert_eq!(
            (&verified["same"], &verified["differences"]),
            (&json!(true), &json!([]))
        );
    }
}

#[test]
fn a_receipt_that_is_not_true_is_found_out() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let own = receipt(&library, &ids[0]);
    let file = environment.path("receipt.json");
    let verify = |text: &str, more: &[&str]| {
        fs::write(&file, text).unwrap();
        let args = ["receipt", "verify", file.to_str().unwrap()];
        library.run(args.iter().chain(more))
    };
    let lie = own.replace("fine", "finer");
    let told = verify(&lie, &["--json"]).exits(1).json();
    assert_eq!(told["same"], false);
    assert!(
        text(&told["differences"][0]).contains("the detail was \"finer\" and is \"fine\""),
        "{told}"
    );
    verify(&own.replace("PASSED", "FAILED"), &[])
        .exits(4)
        .says(&["contradicts itself", "result"]);
    verify(&own[..own.len() / 2], &[])
        .exits(4)
        .says(&["receipt.json", "no receipt"]);
    verify("{}", &[]).exits(4).says(&["\"_type\" is not"]);
    // What has no end is not waited for.
    library
        .run(["receipt", "verify", "/dev/zero"])
        .exits(4)
        .says(&["/dev/zero", "a receipt has at most"]);
    let pipe = environment.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.to_str().unwrap();
    library
        .run(["receipt", "verify", pipe])
        .exits(2)
        .says(&["it is no regular file"]);
    verify(&own, &["--answer", pipe])
        .exits(2)
        .says(&["the receipt is of a grade without an answer"]);
    // Another state than the one that is named.
    let other = environment.directory("other", &[("note.txt", "changed\n")]);
    verify(&own, &["--state", other.to_str().unwrap()])
        .exits(4)
        .says(&["not the state of the receipt"]);

    // A grade that is none has none.
    set_verifier(&library, &guests::hostile("endless-loop.wat"));
    library.run(["regrade", &ids[0]]).exits(3);
    library
        .run(["receipt", "show", &ids[0]])
        .exits(2)
        .says(&["has no verdict"]);

    // The grades before it have theirs.
    set_verifier(&library, &guests::verdict(false, "worse"));
    library.run(["regrade", &ids[0]]).exits(1);
    let show = |more: &[&str]| {
        let args = ["receipt", "show", &ids[0]];
        library.run(args.iter().chain(more))
    };
    let last = receipt(&library, &ids[0]);
    assert_eq!(show(&["--grade", "1"]).exits(0).stdout, own);
    assert_eq!(show(&["--grade", "3"]).exits(0).stdout, last);
    assert_eq!(show(&["--all"]).exits(0).stdout, own.clone() + &last);
    show(&["--grade", "2"])
        .exits(2)
        .says(&["grade 2 of attempt", "has no verdict"]);
    show(&["--grade", "4"])
        .exits(2)
        .says(&["has 3 grades, and no grade 4"]);
    verify(&own, &[]).exits(0);
}

/// A receipt that says something else, and says it everywhere.
fn relabelled(receipt: &str, pairs: &[(&str, Value)]) -> String {
    let mut statement: Value = serde_json::from_str(receipt).unwrap();
    for (pointer, value) in pairs {
        let pointer = format!("/predicate/mcpmark{pointer}");
        *statement.pointer_mut(&pointer).unwrap() = value.clone();
    }
    let own = statement["predicate"]["mcpmark"].clone();
    statement["subject"][0]["name"] = own["task"].clone();
    let bundle = text(&own["bundle"]);
    let hex = bundle.strip_prefix("sha256:").unwrap();
    statement["predicate"]["configuration"][0]["digest"]["sha256"] = json!(hex);
    statement.to_string()
}

#[test]
fn a_receipt_that_names_another_task_is_found_out() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let own = receipt(&library, &ids[0]);
    library.task("other", &guests::verdict(false, "never"));
    let tar = environment.path("suite.tar");
    let tar = tar.to_str().unwrap();
    library.run(["bundle", "pack", "-o", tar]).exits(0);
    let told = library.run(["bundle", "inspect", tar, "--json"]).exits(0);
    let told = told.json();
    let other = told["tasks"].as_array().unwrap().iter();
    let other = other
        .map(|task| (text(&task["id"]), text(&task["bundle"])))
        .find(|(id, _)| id == "filesystem/office/other")
        .unwrap();
    let file = environment.path("receipt.json");
    let verify = |text: &str, root: &str, more: &[&str]| {
        fs::write(&file, text).unwrap();
        let args = ["receipt", "verify", file.to_str().unwrap(), "--root", root];
        environment.run(args.iter().chain(more))
    };
    let root = library.root.to_str().unwrap();
    for root in [tar, root] {
        let told = verify(&own, root, &["--json"]).exits(0).json();
        assert_eq!(told["bundle"]["compared"], true, "{told}");
        assert_eq!(told["start"]["task"], told["start"]["receipt"]);
        let lie = [("/task", json!(other.0)), ("/bundle", json!(other.1))];
        verify(&relabelled(&own, &lie), root, &[])
            .exits(4)
            .says(&["filesystem/office/other", "terms are others: verifier"]);
        for (key, value) in [
            ("answer", json!(true)),
            ("clock", json!(1)),
            ("parameters", json!({"a": 1})),
        ] {
            let pointer = format!("/terms/{key}");
            verify(&relabelled(&own, &[(&pointer, value)]), root, &[])
                .exits(4)
                .says(&["filesystem/office/easy", &format!("others: {key}")]);
        }
        verify(
            &relabelled(&own, &[("/terms/limits/fuel", json!(7_000_000))]),
            root,
            &[],
        )
        .exits(4)
        .says(&["others: limits"]);
    }
    // Another task of this name: a bundle that is handed over must be the one, a library changes.
    let lie = relabelled(&own, &[("/bundle", json!(other.1))]);
    verify(&lie, tar, &[])
        .exits(4)
        .says(&[&other.1, "in this bundle that is", "--root"]);
    let told = verify(&lie, root, &[]).exits(0).stdout;
    assert!(told.contains("not compared: the task is sha256:"), "{told}");
    let lie = relabelled(&own, &[("/task", json!("filesystem/office/none"))]);
    let told = verify(&lie, tar, &["--json"]).exits(0).json();
    assert_eq!(told["bundle"]["compared"], false);
    assert!(text(&told["bundle"]["reason"]).contains("filesystem/office/none"));
}

#[test]
fn a_receipt_is_verified_from_files_that_were_handed_over() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let ids = two_attempts(&library);
    let file = environment.path("receipt.json");
    fs::write(&file, receipt(&library, &ids[0])).unwrap();
    let verifier = library.task_dir("easy").join("verifier.wasm");
    let state = environment.path("state");
    let export = ["show", &ids[0], "--export", state.to_str().unwrap()];
    library
        .run(export)
        .exits(0)
        .says(&["wrote the final state"]);
    assert_eq!(
        fs::read_to_string(state.join("note.txt")).unwrap(),
        "as it was\n"
    );
    library.run(export).exits(2).says(&["is not empty"]);

    let stranger = Environment::new();
    let verify = |more: &[&str]| {
        let args = ["receipt", "verify", file.to_str().unwrap()];
        let mut command = stranger.command(args.iter().chain(more));
        command.env("MCPMARK_ROOT", &library.root);
        Output::of(&mut command)
    };
    verify(&[])
        .exits(4)
        .says(&["verifier", "is not in the store", "--verifier"]);
    let handed = [
        "--verifier",
        verifier.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ];
    let told = verify(&handed).exits(0);
    assert!(
        told.stdout.contains("the same verdict: passed, 1 check"),
        "{}",
        told.stdout
    );
    // From here on it is in that store too.
    verify(&[]).exits(0);

    // What the agent left is nowhere but where it was run.
    let left = environment.directory("left", &[("note.txt", "as it was left\n")]);
    let left = left.to_str().unwrap();
    let grade = ["grade", "filesystem/office/easy", "--state", left, "--json"];
    let state = text(&library.run(grade).exits(0).json()["state"]);
    let mut statement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let hex = state.strip_prefix("sha256:").unwrap();
    statement["subject"][0]["digest"]["sha256"] = json!(hex);
    statement["predicate"]["mcpmark"]["state"] = json!(state);
    fs::write(&file, statement.to_string()).unwrap();
    verify(&[]).exits(4).says(&[
        &format!("the final state {state} is not in the store"),
        "--state DIR",
    ]);
    verify(&["--state", left]).exits(0);
    verify(&[]).exits(0);
    let note = mcpmark_snapshot::Digest::of(b"as it was left\n").to_string();
    fs::remove_file(blob(&stranger, &json!(note))).unwrap();
    verify(&[])
        .exits(4)
        .says(&["is not whole in the store", &note, "--state DIR"]);
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
fn what_is_damaged_is_named_and_can_be_made_again() {
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
    library
        .run(["store", "gc"])
        .exits(5)
        .says(&["missing or damaged", "store check"]);
    library.run(["store", "check", "--remove-damaged"]).exits(5);
    assert!(!root.exists());
    // The world makes it again.
    library.run(["world", "show", "filesystem/office"]).exits(0);
    assert_eq!(fs::read(&root).unwrap(), sound);
    library.run(["store", "check"]).exits(0);
    library.run(["store", "gc"]).exits(0);

    fs::remove_file(&root).unwrap();
    let checked = library.run(["store", "check", "--json"]).exits(5).json();
    assert_eq!(checked["faults"][0]["damaged"], false, "{checked}");
    library.run(["store", "gc", "--despite-loss"]).exits(0);
}

/// The oracle's final state with another last line in one file, as if the attempt had left that.
fn spoil(environment: &Environment, passed: &Value, attempt: &str, file: &str, line: &str) {
    let store = Store::open(environment.home().join("store")).unwrap();
    let tree = store
        .load_tree(&text(&passed["state"]).parse().unwrap())
        .unwrap();
    let path = TreePath::parse(file).unwrap();
    let Some(Node::File(found)) = tree.get(&path) else {
        panic!("there is no {file}");
    };
    let bytes = String::from_utf8(store.read(&found.content).unwrap()).unwrap();
    let mut lines: Vec<&str> = bytes.lines().collect();
    *lines.last_mut().unwrap() = line;
    let bytes = lines.join("\n") + "\n";
    let node = File {
        size: bytes.len() as u64,
        content: store.put(bytes.as_bytes()).unwrap(),
        ..found.clone()
    };
    let mut builder = TreeBuilder::from(tree.clone());
    builder.remove(&path);
    builder.insert_file(&path, node).unwrap();
    let state = store.put_tree(&builder.finish()).unwrap();
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let set = "UPDATE attempts SET state = ?2 WHERE id = ?1";
    assert_eq!(
        journal.execute(set, [attempt, &state.to_string()]).unwrap(),
        1
    );
}

#[test]
fn a_failure_is_explained_by_the_line_that_it_lacks() {
    const TASK: &str = "filesystem/conference/call-sheet";
    const FILE: &str = "03 Programme/call sheet.csv";
    let environment = Environment::new();
    let run = |agent: &str| {
        let report = environment
            .run(["run", TASK, "--agent", agent, "--json"])
            .json();
        report["attempts"][0].clone()
    };
    let (passed, attempt) = (run("oracle"), run("nop"));
    let id = text(&attempt["id"]);
    let explain = || {
        environment
            .run(["show", &id, "--explain", "--json"])
            .exits(0)
            .json()
    };

    // Nothing was done: each check lacks something, and the file is missing as a whole.
    let explained = explain()["explained"].clone();
    let explained = explained.as_array().unwrap();
    let failed = attempt["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["passed"] == false);
    assert_eq!(explained.len(), failed.count());
    for one in explained {
        assert!(!one["differences"].as_array().unwrap().is_empty(), "{one}");
    }
    let about = |one: &Value| {
        one["differences"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["place"] == FILE)
    };
    let whole = explained.iter().find(|one| about(one)).unwrap();
    assert_eq!(whole["differences"][0]["kind"], "missing");

    // One line is wrong: every check that fails fails for that line alone.
    spoil(&environment, &passed, &id, FILE, "wrong,line");
    environment.run(["regrade", &id]).exits(0);
    let explained = explain()["explained"].clone();
    let explained = explained.as_array().unwrap();
    assert!(!explained.is_empty());
    for one in explained {
        let differences = one["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 1, "{one}");
        assert_eq!(
            (&differences[0]["place"], &differences[0]["kind"]),
            (&json!(FILE), &json!("other"))
        );
        assert_eq!(differences[0]["found"], "wrong,line\n");
        assert!(differences[0]["line"].as_u64().unwrap() > 1);
    }
    let shown = environment.run(["show", &id, "--explain"]).exits(0).stdout;
    assert!(
        shown.contains("what they lack") && shown.contains("    - wrong,line\n"),
        "{shown}"
    );
    // Where all passed there is nothing to explain.
    let id = text(&passed["id"]);
    let shown = environment
        .run(["show", &id, "--explain", "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["explained"], json!([]));
}

#[test]
fn a_failure_is_explained_by_the_verifier_that_found_it() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.task("easy", &guests::verdict(false, "never"));
    let run = |code| {
        let run = library.run(["run", "--agent", "nop", "--json"]).exits(code);
        text(&run.json()["attempts"][0]["id"])
    };
    let id = run(1);
    set_verifier(&library, &guests::verdict(true, "fine"));
    run(0);
    // The task has a verifier by now that all states pass; the one that failed this state passes none.
    let explained = || {
        let shown = library.run(["show", &id, "--explain", "--json"]);
        shown.exits(0).json()["explained"].clone()
    };
    let never = json!([{"check": "check", "detail": "never", "differences": null}]);
    assert_eq!(explained(), never);
    library.run(["regrade", &id]).exits(1);
    assert_eq!(explained(), json!([]));
}

#[test]
fn in_a_repository_it_is_branches_that_are_told_and_not_objects() {
    let environment = Environment::new();
    let task = "github/quay/own-values";
    let report = environment
        .run(["run", task, "--agent", "nop", "--json"])
        .exits(1)
        .json();
    let id = text(&report["attempts"][0]["id"]);
    let shown = environment
        .run(["show", &id, "--explain", "--json"])
        .exits(0)
        .json();
    let places: Vec<String> = shown["explained"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["differences"].as_array())
        .flatten()
        .map(|difference| text(&difference["place"]))
        .collect();
    assert!(
        places.iter().any(|place| place == "repo/.git/packed-refs"),
        "{places:?}"
    );
    assert!(
        !places.iter().any(|place| place.contains("objects")),
        "{places:?}"
    );
}
