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
    assert!(
        text(&told["differences"][0]).contains("the detail was \"finer\" and is \"fine\""),
        "{told}"
    );
    verify(&own.replace("PASSED", "FAILED"), &[])
        .exits(4)
        .says(&["contradicts itself", "result"]);
    verify(&own[..own.len() / 2], &[])
        .exits(4)
        .says(&["receipt.json", "not a valid receipt"]);
    verify("{}", &[]).exits(4).says(&["\"_type\" is not"]);
    // Files without an end are refused.
    library
        .run(["receipt", "verify", "/dev/zero"])
        .exits(4)
        .says(&["/dev/zero", "for a receipt"]);
    let pipe = environment.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let pipe = pipe.to_str().unwrap();
    library
        .run(["receipt", "verify", pipe])
        .exits(2)
        .says(&["not a regular file"]);
    verify(&own, &["--answer", pipe])
        .exits(2)
        .says(&["the receipt is of a grade without an answer"]);
    // Another state than that of the receipt.
    let other = environment.directory("other", &[("note.txt", "changed\n")]);
    verify(&own, &["--state", other.to_str().unwrap()])
        .exits(4)
        .says(&["not the state of the receipt"]);

    // A verifier fault has no verdict, so there is no receipt for it.
    set_verifier(&library, &guests::hostile("endless-loop.wat"));
    library.run(["regrade", &ids[0]]).exits(3);
    library
        .run(["receipt", "show", &ids[0]])
        .exits(2)
        .says(&["has no verdict"]);

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
    show(&["--grade", "2"])
        .exits(2)
        .says(&["grade 2 of attempt", "has no verdict"]);
    show(&["--grade", "4"])
        .exits(2)
        .says(&["has 3 grades, but grade 4 was requested"]);
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
    for root in [tar, root] {
        let told = verify(&own, root, &["--json"]).exits(0).json();
        assert_eq!(told["bundle"]["compared"], true, "{told}");
        assert_eq!(told["start"]["task"], told["start"]["receipt"]);
        let lie = [("/task", json!(other.0)), ("/bundle", json!(other.1))];
        verify(&relabelled(&own, &lie), root, &[])
            .exits(4)
            .says(&["filesystem/office/other", "the terms differ: verifier"]);
        for (key, value) in [
            ("answer", json!(true)),
            ("clock", json!(1)),
            ("parameters", json!({"a": 1})),
        ] {
            let pointer = format!("/terms/{key}");
            verify(&relabelled(&own, &[(&pointer, value)]), root, &[])
                .exits(4)
                .says(&[
                    "filesystem/office/easy",
                    &format!("the terms differ: {key}"),
                ]);
        }
        verify(
            &relabelled(&own, &[("/terms/limits/fuel", json!(7_000_000))]),
            root,
            &[],
        )
        .exits(4)
        .says(&["the terms differ: limits"]);
    }
    // Another task digest under the same name: a given bundle must contain that task, whereas the task of a library may
    // have changed.
    let lie = relabelled(&own, &[("/bundle", json!(other.1))]);
    verify(&lie, tar, &[])
        .exits(4)
        .says(&[&other.1, "the task of this bundle has", "--root"]);
    let told = verify(&lie, root, &[]).exits(0).stdout;
    assert!(
        told.contains("not compared: the task of this library has the digest sha256:"),
        "{told}"
    );
    let lie = relabelled(&own, &[("/task", json!("filesystem/office/none"))]);
    let told = verify(&lie, tar, &["--json"]).exits(0).json();
    assert_eq!(told["bundle"]["compared"], false);
    assert_eq!(
        told["bundle"]["reason"],
        "unknown task \"filesystem/office/none\""
    );
    let lie = relabelled(&own, &[("/task", json!("../../x"))]);
    verify(&lie, tar, &[])
        .exits(4)
        .says(&["not a valid receipt", "predicate.mcpmark.task"]);
    // A stored blob that is not a tree is refused as a state.
    let note = mcpmark_snapshot::Digest::of(b"as it was\n");
    let lie = relabelled(&own, &[("/start", json!(note))]);
    verify(&lie, tar, &[])
        .exits(4)
        .says(&[&format!("starting state {note}")]);
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
    verify(&[]).exits(4).says(&[
        &format!("final state {state} is not in the store"),
        "--state DIR",
    ]);
    verify(&["--state", left]).exits(0);
    verify(&[]).exits(0);
    let note = mcpmark_snapshot::Digest::of(b"as it was left\n").to_string();
    fs::remove_file(blob(&stranger, &json!(note))).unwrap();
    verify(&[])
        .exits(4)
        .says(&["is incomplete in the store", &note, "--state DIR"]);
}
