//! Receipts: verification on other machines, and detection of false statements.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{blob, receipt, set_verifier, two_attempts};
use crate::environment::{Environment, Output, copy_tree, text};
use crate::guests;
use crate::library::Library;

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
    insta::assert_snapshot!(text(&told["differences"][0]), @r#"check "check": the detail was "finer" and is "fine""#);
    let refused = verify(&own.replace("PASSED", "FAILED"), &[]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/receipt.json: the receipt contradicts itself: its result does not match its checks");
    verify(&own[..own.len() / 2], &[])
        .exits(4)
        .says(&["receipt.json", "not a valid receipt"]);
    let refused = verify("{}", &[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: [dir]/receipt.json: not a valid receipt: key "_type" is not "https://in-toto.io/Statement/v1""#);
    // Files without an end are refused.
    let refused = library.run(["receipt", "verify", "/dev/zero"]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: /dev/zero: exceeds the limit of 64.0 MiB for a receipt");
    let pipe = environment.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.to_str().unwrap();
    let refused = library.run(["receipt", "verify", pipe]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/pipe: not a regular file");
    let refused = verify(&own, &["--answer", pipe]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: the receipt is of a grade without an answer");
    // Another state than that of the receipt.
    let other = environment.directory("other", &[("note.txt", "changed\n")]);
    let refused = verify(&own, &["--state", other.to_str().unwrap()]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/other: not the state of the receipt: expected sha256:[digest], found sha256:[digest]");

    // A verifier fault has no verdict, so there is no receipt for it.
    set_verifier(&library, &guests::hostile("endless-loop.wat"));
    library.run(["regrade", &ids[0]]).exits(3);
    let refused = library.run(["receipt", "show", &ids[0]]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: attempt [id] has no verdict, so it has no receipt");

    // Earlier grades keep their receipts.
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
    let refused = show(&["--grade", "2"]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: grade 2 of attempt [id] has no verdict, and therefore no receipt");
    let refused = show(&["--grade", "4"]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: attempt [id] has 3 grades, but grade 4 was requested");
    verify(&own, &[]).exits(0);
}

/// Returns a receipt with other values, changed consistently in every place.
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
    let start = text(&own["start"]);
    let hex = start.strip_prefix("sha256:").unwrap();
    statement["predicate"]["configuration"][1]["digest"]["sha256"] = json!(hex);
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
    let mut transcript = String::new();
    for root in [tar, root] {
        let told = verify(&own, root, &["--json"]).exits(0).json();
        assert_eq!(told["bundle"]["compared"], true, "{told}");
        assert_eq!(told["start"]["task"], told["start"]["receipt"]);
        let lie = [("/task", json!(other.0)), ("/bundle", json!(other.1))];
        let refused = verify(&relabelled(&own, &lie), root, &[]).exits(4);
        transcript += &refused.transcript();
        for (key, value) in [
            ("answer", json!(true)),
            ("clock", json!(1)),
            ("parameters", json!({"a": 1})),
        ] {
            let pointer = format!("/terms/{key}");
            let refused = verify(&relabelled(&own, &[(&pointer, value)]), root, &[]).exits(4);
            transcript += &refused.transcript();
        }
        let refused = verify(
            &relabelled(&own, &[("/terms/limits/fuel", json!(7_000_000))]),
            root,
            &[],
        )
        .exits(4);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/suite.tar
    error: task filesystem/office/other of the receipt: the terms differ: verifier

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/suite.tar
    error: task filesystem/office/easy of the receipt: the terms differ: answer

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/suite.tar
    error: task filesystem/office/easy of the receipt: the terms differ: clock

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/suite.tar
    error: task filesystem/office/easy of the receipt: the terms differ: parameters

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/suite.tar
    error: task filesystem/office/easy of the receipt: the terms differ: limits

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/library
    error: task filesystem/office/other of the receipt: the terms differ: verifier

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/library
    error: task filesystem/office/easy of the receipt: the terms differ: answer

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/library
    error: task filesystem/office/easy of the receipt: the terms differ: clock

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/library
    error: task filesystem/office/easy of the receipt: the terms differ: parameters

    $ mcpmark receipt verify [dir]/receipt.json --root [dir]/library
    error: task filesystem/office/easy of the receipt: the terms differ: limits
    ");
    // Another task digest under the same name: a given bundle must contain that task, whereas the task of a library may
    // have changed.
    let lie = relabelled(&own, &[("/bundle", json!(other.1))]);
    let refused = verify(&lie, tar, &[]).exits(4).says(&[&other.1]);
    insta::assert_snapshot!(refused.message(), @r"
    error: task filesystem/office/easy of the receipt: expected the digest sha256:[digest], but the task of this bundle has sha256:[digest]
    hint: name the bundle of the receipt with --root
    ");
    insta::assert_snapshot!(verify(&lie, root, &[]).exits(0).text(), @r"
    task      filesystem/office/easy
    bundle    sha256:[digest] not compared: the task of this library has the digest sha256:[digest]
    start     sha256:[digest]
    state     sha256:[digest]
    verifier  sha256:[digest]
    engine    cranelift-[version]
    ✓ the same verdict: passed, 1 check
    ");
    let lie = relabelled(&own, &[("/task", json!("filesystem/office/none"))]);
    let told = verify(&lie, tar, &["--json"]).exits(0).json();
    assert_eq!(told["bundle"]["compared"], false);
    assert_eq!(
        told["bundle"]["reason"],
        "unknown task \"filesystem/office/none\""
    );
    let lie = relabelled(&own, &[("/task", json!("../../x"))]);
    let refused = verify(&lie, tar, &[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: [dir]/receipt.json: not a valid receipt: key "predicate.mcpmark.task": invalid task id "../../x": ".." must not begin with ".""#);
    // A stored blob that is not a tree is refused as a state.
    let note = mcpmark_snapshot::Digest::of(b"as it was\n");
    let lie = relabelled(&own, &[("/start", json!(note))]);
    let refused = verify(&lie, tar, &[]).exits(4).says(&[&note.to_string()]);
    insta::assert_snapshot!(refused.message(), @r#"
    error: starting state sha256:[digest]: bad encoding of directory "" (sha256:[digest]): not the encoding of a directory: expected value at line 1 column 1
    hint: run in a library with the world of the task, or name the home directory whose store has it with --home
    "#);
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
    let output = library.run(export).exits(0);
    insta::assert_snapshot!(output.message(), @"wrote the final state to [dir]/state");
    assert_eq!(
        fs::read_to_string(state.join("note.txt")).unwrap(),
        "as it was\n"
    );
    let refused = library.run(export).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: --export [dir]/state is not empty
    hint: name a new or empty directory
    ");

    let stranger = Environment::new();
    let verify = |more: &[&str]| {
        let args = ["receipt", "verify", file.to_str().unwrap()];
        let mut command = stranger.command(args.iter().chain(more));
        command.env("MCPMARK_ROOT", &library.root);
        Output::of(&mut command)
    };
    let refused = verify(&[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: the verifier sha256:[digest] is not in the store
    hint: pass it with --verifier, or name the home directory whose store has it with --home
    ");
    let handed = [
        "--verifier",
        verifier.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ];
    let told = verify(&handed).exits(0);
    insta::assert_snapshot!(told.text(), @r"
    task      filesystem/office/easy
    bundle    sha256:[digest]
    start     sha256:[digest]
    state     sha256:[digest]
    verifier  sha256:[digest]
    engine    cranelift-[version]
    ✓ the same verdict: passed, 1 check
    ");
    // The first verification has put the verifier into that store.
    verify(&[]).exits(0);

    // A final state that only the first machine has must be handed over.
    let left = environment.directory("left", &[("note.txt", "as it was left\n")]);
    let left = left.to_str().unwrap();
    let grade = ["grade", "filesystem/office/easy", "--state", left, "--json"];
    let state = text(&library.run(grade).exits(0).json()["state"]);
    let mut statement: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let hex = state.strip_prefix("sha256:").unwrap();
    statement["subject"][0]["digest"]["sha256"] = json!(hex);
    statement["predicate"]["mcpmark"]["state"] = json!(state);
    fs::write(&file, statement.to_string()).unwrap();
    let refused = verify(&[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: final state sha256:[digest] is not in the store
    hint: pass it with --state DIR, or name the home directory whose store has it with --home
    ");
    verify(&["--state", left]).exits(0);
    verify(&[]).exits(0);
    let note = mcpmark_snapshot::Digest::of(b"as it was left\n").to_string();
    fs::remove_file(blob(&stranger, &json!(note))).unwrap();
    let refused = verify(&[]).exits(4).says(&[&note]);
    insta::assert_snapshot!(refused.message(), @r"
    error: final state sha256:[digest] is incomplete in the store: sha256:[digest] is missing
    hint: pass it with --state DIR, or name the home directory whose store has it with --home
    ");
}
