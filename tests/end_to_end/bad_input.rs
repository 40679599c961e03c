//! Tasks that cannot be used: each error is named, and no experiment is begun.

use std::fs;

use serde_json::json;

use crate::environment::{Environment, Output};
use crate::guests;
use crate::library::Library;

/// Runs a library with one task that `spoil` has broken. Asserts that the run is refused with these words, and returns
/// the redacted standard error.
fn refused(spoil: impl Fn(&Library<'_>), words: &[&str]) -> String {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    spoil(&library);
    let output = library.run(["run", "--agent", "nop", "--json"]).exits(4);
    let output = output.says(words);
    assert_eq!(output.stdout, "");
    let runs = library.run(["runs", "--json"]).exits(0);
    assert_eq!(runs.json(), json!([]), "an experiment was begun");
    environment.redact(&output.stderr)
}

fn meta(text: &'static str) -> impl Fn(&Library<'_>) {
    move |library| fs::write(library.task_dir("easy").join("meta.json"), text).unwrap()
}

#[test]
fn broken_json_is_located() {
    let message = refused(
        meta("{\n  \"difficulty\": \"L1\",\n  \"tags\": [\"a\" \"b\"]\n}"),
        &["tasks/filesystem/office/easy/meta.json", "line 3"],
    );
    insta::assert_snapshot!(message, @r"
    error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: line 3, column 16: expected `,` or `]`
    ");
}

#[test]
fn a_wrong_value_is_named_with_its_key() {
    let file = "tasks/filesystem/office/easy/meta.json";
    refused(
        meta(r#"{"difficulty": "hard"}"#),
        &[file, "\"difficulty\"", "\"L1\"", "\"hard\""],
    );
    refused(
        meta(r#"{"difficulty": "L1", "limits": {"turns": 0}}"#),
        &[file, "limits.turns"],
    );
    refused(
        meta(r#"{"difficulty": "L1", "world": "filesystem/attic"}"#),
        &[file, "\"world\"", "filesystem/attic", "filesystem/office"],
    );
    refused(
        meta(r#"{"difficulty": "L1", "judged_on": ["state", "mood"]}"#),
        &[file, "\"judged_on\"", "\"mood\""],
    );
}

#[test]
fn a_missing_part_is_named() {
    for (part, words) in [
        (
            "verifier.wasm",
            "no verifier; add verifier.rs or verifier.wasm",
        ),
        ("description.md", "no description.md"),
        ("meta.json", "no meta.json"),
    ] {
        let spoil = |library: &Library<'_>| {
            fs::remove_file(library.task_dir("easy").join(part)).unwrap();
        };
        refused(spoil, &["tasks/filesystem/office/easy", words]);
    }
}

#[test]
fn a_component_that_asks_for_more_is_refused_before_anything_runs() {
    let verifier = |bytes: Vec<u8>| {
        move |library: &Library<'_>| {
            fs::write(library.task_dir("easy").join("verifier.wasm"), &bytes).unwrap();
        }
    };
    let words = ["filesystem/office/easy", "wasi:filesystem/preopens@0.2.6"];
    refused(verifier(guests::hostile("wants-wasi.wat")), &words);
    refused(
        verifier(guests::hostile("core-module.wat")),
        &[
            "filesystem/office/easy",
            "does not fit the contract of a verifier",
        ],
    );
    refused(verifier(b"no wasm at all".to_vec()), &["easy"]);
}

#[test]
fn a_broken_world_is_named() {
    let world = |text: &'static str| {
        move |library: &Library<'_>| {
            fs::write(library.world("office").join("world.json"), text).unwrap();
        }
    };
    let file = "worlds/filesystem/office/world.json";
    refused(world("{"), &[file, "line 1"]);
    refused(
        world(r#"{"title": "An office", "license": "CC0-1.0", "clock": "soon"}"#),
        &[file, "\"clock\"", "\"soon\""],
    );
}

#[test]
fn an_unknown_service_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let (from, to) = (
        library.root.join("tasks/filesystem"),
        library.root.join("tasks/abacus"),
    );
    library.easy_task("easy");
    fs::rename(from, to).unwrap();
    fs::rename(
        library.root.join("worlds/filesystem"),
        library.root.join("worlds/abacus"),
    )
    .unwrap();
    library
        .run(["run", "--agent", "nop"])
        .exits(4)
        .says(&["abacus/office/easy", "service \"abacus\" is not supported"]);
}

#[test]
fn a_broken_task_does_not_stop_another_that_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library.easy_task("broken");
    fs::write(library.task_dir("broken").join("meta.json"), "[]").unwrap();
    library
        .run(["run", "filesystem/office/easy", "--agent", "nop"])
        .exits(0);
    let listed = library.run(["task", "list", "--json"]).exits(4);
    assert_eq!(listed.json()[0]["id"], "filesystem/office/easy");
    listed.says(&["broken", "expected an object"]);
    // A selector of other tasks does not report the broken task. A selector of the broken task reports it once.
    let others = library.run(["task", "list", "*/*/easy"]).exits(0);
    assert_eq!((others.stdout.lines().count(), &*others.stderr), (2, ""));
    let only = library.run(["task", "list", "*/*/broken"]).exits(4);
    assert_eq!(only.stderr.matches("expected an object").count(), 1);
}

#[test]
fn a_list_without_a_task_has_no_header() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.easy_task("broken");
    fs::write(dir.join("meta.json"), "[]").unwrap();
    let listed = library.run(["task", "list"]).exits(4);
    assert_eq!(listed.stdout, "");
    listed.says(&["broken", "expected an object"]);
}

#[test]
fn tasks_are_checked_before_anything_is_compiled() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.task("easy", b"no WebAssembly at all");
    let told = |words: &[&str]| {
        let ran = library.run(["run", "filesystem/office/easy", "--agent", "nop"]);
        let ran = ran.exits(4);
        let ran = ran.says(words);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    };
    told(&["verifier.wasm", "not a WebAssembly file", "\\0asm"]);
    fs::write(
        dir.join("meta.json"),
        r#"{"difficulty": "L1", "profile": "1999"}"#,
    )
    .unwrap();
    told(&["easy: meta.json: key \"profile\"", "1999", "2025.12.18"]);
}

#[test]
fn a_world_that_is_almost_named_is_found() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    for name in ["filesystem/office/", "filesystem/Office", "office"] {
        library
            .run(["world", "show", name])
            .exits(2)
            .says(&["did you mean filesystem/office?"]);
    }
}

#[test]
fn a_missing_argument_is_reported_with_its_alternatives() {
    let environment = Environment::new();
    let told = |args: &[&str], words: &[&str]| {
        environment.run(args).exits(2).says(words);
    };
    told(&["mcp", "serve"], &["--task <TASK>", "--world <WORLD>"]);
    let judges = ["TASK", "--verifier <FILE>", "--batch <FILE>"];
    told(&["grade", "--state", "here"], &judges);
    told(
        &["grade", "filesystem/a/b"],
        &["--state <STATE>", "--batch <FILE>"],
    );
    told(&["grade"], &[&judges[..], &["--state <STATE>"]].concat());
    // The alternatives exclude each other.
    for args in [
        &["mcp", "serve", "--task", "filesystem/a/b", "--world", "w"][..],
        &[
            "grade",
            "filesystem/a/b",
            "--verifier",
            "v.wasm",
            "--state",
            "s",
        ],
        &["grade", "filesystem/a/b", "--batch", "b.jsonl"],
        &["grade", "--batch", "b.jsonl", "--state", "s"],
    ] {
        told(args, &["cannot be used with"]);
    }
}

#[test]
fn an_unknown_key_is_told_and_does_no_harm() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "dificulty": "L2"});
    library.task_with("easy", &guests::verdict(true, ""), &meta);
    library
        .run(["run", "--agent", "nop"])
        .exits(0)
        .says(&["warning:", "dificulty"]);
}

#[test]
fn inspection_tells_the_limits_of_this_host() {
    let environment = Environment::new();
    let file = environment.path("verifier.wasm");
    fs::write(&file, guests::verdict(true, "fine")).unwrap();
    let limits = |ceiling: Option<&str>| {
        let mut command = environment.command(["inspect", "--json"]);
        command.arg(&file);
        if let Some(ceiling) = ceiling {
            command.env("MCPMARK_LIMITS_CEILING", ceiling);
        }
        let report = Output::of(&mut command).exits(0).json();
        let limits = &report["limits"];
        [&limits["fuel"], &limits["memory_bytes"]].map(|value| value.as_u64().unwrap())
    };
    assert_eq!(limits(None), [1_000_000_000, 64 << 20]);
    assert_eq!(
        limits(Some("fuel=5000,memory_bytes=1073741824")),
        [5_000, 64 << 20]
    );
}
