//! Tasks that cannot be used: each error is named, and no experiment is begun.

use std::fs;

use serde_json::json;

use crate::environment::{Environment, Output};
use crate::guests;
use crate::library::Library;

/// Runs a library with one task that `spoil` has broken. Asserts that the run is refused, and returns its message.
fn refused(spoil: impl Fn(&Library<'_>)) -> String {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    spoil(&library);
    let output = library.run(["run", "--agent", "nop", "--json"]).exits(4);
    assert_eq!(output.stdout, "");
    let runs = library.run(["runs", "--json"]).exits(0);
    assert_eq!(runs.json(), json!([]), "an experiment was begun");
    output.message()
}

fn meta(text: &'static str) -> impl Fn(&Library<'_>) {
    move |library| fs::write(library.task_dir("easy").join("meta.json"), text).unwrap()
}

#[test]
fn broken_json_is_located() {
    let broken = "{\n  \"difficulty\": \"L1\",\n  \"tags\": [\"a\" \"b\"]\n}";
    insta::assert_snapshot!(refused(meta(broken)), @"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: line 3, column 16: expected `,` or `]`");
}

#[test]
fn a_wrong_value_is_named_with_its_key() {
    let hard = r#"{"difficulty": "hard"}"#;
    insta::assert_snapshot!(refused(meta(hard)), @r#"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: key "difficulty": expected "L1", "L2" or "L3", found "hard""#);
    let no_turns = r#"{"difficulty": "L1", "limits": {"turns": 0}}"#;
    insta::assert_snapshot!(refused(meta(no_turns)), @r#"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: key "limits.turns": expected a whole number from 1 to 10000, found 0"#);
    let attic = r#"{"difficulty": "L1", "world": "filesystem/attic"}"#;
    insta::assert_snapshot!(refused(meta(attic)), @r#"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: key "world": unknown world "filesystem/attic"; available: filesystem/office"#);
    let mood = r#"{"difficulty": "L1", "judged_on": ["state", "mood"]}"#;
    insta::assert_snapshot!(refused(meta(mood)), @r#"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy/meta.json: key "judged_on": expected "state" or "answer", found "mood""#);
}

#[test]
fn a_missing_part_is_named() {
    let without = |part: &str| {
        refused(|library: &Library<'_>| {
            fs::remove_file(library.task_dir("easy").join(part)).unwrap();
        })
    };
    insta::assert_snapshot!(without("verifier.wasm"), @"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy: no verifier; add verifier.rs or verifier.wasm");
    insta::assert_snapshot!(without("description.md"), @"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy: no description.md; add the instruction for the agent");
    insta::assert_snapshot!(without("meta.json"), @r#"error: cannot load task filesystem/office/easy: tasks/filesystem/office/easy: no meta.json; add one with at least "difficulty""#);
}

#[test]
fn a_component_that_asks_for_more_is_refused_before_anything_runs() {
    let verifier = |bytes: Vec<u8>| {
        refused(move |library: &Library<'_>| {
            fs::write(library.task_dir("easy").join("verifier.wasm"), &bytes).unwrap();
        })
    };
    insta::assert_snapshot!(verifier(guests::hostile("wants-wasi.wat")), @"error: task filesystem/office/easy: verifier: imports `wasi:filesystem/preopens@0.3.0`, which a verifier may not import; it may import state, answer, parameters and log of mcpmark:guest@0.1.0, and mcpmark:guest/git@0.1.0, and mcpmark:sql/database@0.1.0, and cli, clocks, filesystem, io and random of WASI 0.2");
    insta::assert_snapshot!(verifier(guests::hostile("core-module.wat")), @"error: task filesystem/office/easy: verifier: does not fit the contract of a verifier: no export `verify` found");
    insta::assert_snapshot!(verifier(b"no wasm at all".to_vec()), @r"error: cannot convert [dir]/library/tasks/filesystem/office/easy/verifier.wasm to a component: not a WebAssembly file: it does not start with \0asm");
}

#[test]
fn a_broken_world_is_named() {
    let world = |text: &'static str| {
        refused(move |library: &Library<'_>| {
            fs::write(library.world("office").join("world.json"), text).unwrap();
        })
    };
    insta::assert_snapshot!(world("{"), @"error: worlds/filesystem/office/world.json: line 1, column 1: EOF while parsing an object");
    let soon = r#"{"title": "An office", "license": "CC0-1.0", "clock": "soon"}"#;
    insta::assert_snapshot!(world(soon), @r#"error: worlds/filesystem/office/world.json: key "clock": expected an RFC 3339 instant like "2026-03-02T09:00:00Z", found "soon": failed to parse four digit integer as year: invalid digit, expected 0-9 but got s"#);
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
    let refused = library.run(["run", "--agent", "nop"]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"error: task abacus/office/easy: service "abacus" is not supported"#);
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
    insta::assert_snapshot!(listed.message(), @"broken: tasks/filesystem/office/broken/meta.json: line 1, column 1: expected an object, found an array");
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
    insta::assert_snapshot!(listed.message(), @"broken: tasks/filesystem/office/broken/meta.json: line 1, column 1: expected an object, found an array");
}

#[test]
fn tasks_are_checked_before_anything_is_compiled() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.task("easy", b"no WebAssembly at all");
    let run = || {
        let ran = library.run(["run", "filesystem/office/easy", "--agent", "nop"]);
        ran.exits(4).message()
    };
    insta::assert_snapshot!(run(), @r"error: cannot convert [dir]/library/tasks/filesystem/office/easy/verifier.wasm to a component: not a WebAssembly file: it does not start with \0asm");
    fs::write(
        dir.join("meta.json"),
        r#"{"difficulty": "L1", "profile": "1999"}"#,
    )
    .unwrap();
    insta::assert_snapshot!(run(), @r#"error: task filesystem/office/easy: meta.json: key "profile": unknown profile "1999" of the filesystem service; expected one of 2025.12.18, 2026.8.31"#);
}

#[test]
fn a_world_that_is_almost_named_is_found() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let mut transcript = String::new();
    for name in ["filesystem/office/", "filesystem/Office", "office"] {
        let refused = library.run(["world", "show", name]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark world show filesystem/office/
    error: unknown world "filesystem/office/": expected the id of a world, a directory or a digest
    hint: did you mean filesystem/office?

    $ mcpmark world show filesystem/Office
    error: unknown world "filesystem/Office": expected the id of a world, a directory or a digest
    hint: did you mean filesystem/office?

    $ mcpmark world show office
    error: unknown world "office": expected the id of a world, a directory or a digest
    hint: did you mean filesystem/office?
    "#);
}

#[test]
fn a_missing_argument_is_reported_with_its_alternatives() {
    let environment = Environment::new();
    let mut transcript = String::new();
    for args in [
        &["mcp", "serve"][..],
        &["grade", "--state", "here"],
        &["grade", "filesystem/a/b"],
        &["grade"],
        // The alternatives exclude each other.
        &["mcp", "serve", "--task", "filesystem/a/b", "--world", "w"],
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
        transcript += &environment.run(args).exits(2).transcript();
    }
    insta::assert_snapshot!(
        "a_missing_argument_is_reported_with_its_alternatives",
        transcript
    );
}

#[test]
fn an_unknown_key_is_told_and_does_no_harm() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "dificulty": "L2"});
    library.task_with("easy", &guests::verdict(true, ""), &meta);
    let output = library.run(["run", "--agent", "nop"]).exits(0);
    insta::assert_snapshot!(output.message(), @r#"
    warning: filesystem/office/easy: tasks/filesystem/office/easy/meta.json: unknown key "dificulty" has no effect (did you mean "difficulty"?)
    1/1 pass filesystem/office/easy  [id]  0 calls
    "#);
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
