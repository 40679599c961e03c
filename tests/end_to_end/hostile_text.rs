//! Hostile text: terminals receive no control sequences, and JSON contains the text unchanged.

use std::fs;

use crate::environment::{Environment, redact};
use crate::guests;
use crate::library::Library;

const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\r\u{9b}31m\u{202e}txt";

#[track_caller]
fn is_plain(text: &str) {
    let hostile = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
    assert!(!text.contains(hostile), "{text:?}");
}

#[test]
fn piped_output_has_no_escapes() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library.task("failing", &guests::verdict(false, "expected 3, found 4"));
    let run = library.run(["run", "-j", "1", "--agent", "nop", "--experiment", "plain"]);
    let run = run.exits(1);
    is_plain(&run.stdout);
    is_plain(&run.stderr);
    insta::assert_snapshot!(run.text(), @r"
    pass  filesystem/office/easy  [id]
    fail  filesystem/office/failing  [id]
    2 attempts, 1 passed, 1 failed
    `mcpmark runs plain` lists the attempts, `mcpmark show ATTEMPT` shows one
    ");
    insta::assert_snapshot!(run.message(), @r"
    1/2 pass filesystem/office/easy  [id]  0 calls
    2/2 fail filesystem/office/failing  [id]  0 calls
           check: expected 3, found 4
    ");
    for args in [
        vec!["runs"],
        vec!["runs", "plain"],
        vec!["task", "list"],
        vec!["task", "show", "filesystem/office/easy"],
        vec!["world", "list"],
        vec!["world", "show", "filesystem/office"],
        vec!["doctor"],
    ] {
        let output = library.run(&args).exits(0);
        assert!(!output.stdout.is_empty(), "{args:?}");
        is_plain(&output.stdout);
        is_plain(&output.stderr);
    }
    // Removes the last column, which is a time.
    let listed = library.run(["runs", "plain"]).stdout;
    let listed: Vec<&str> = listed
        .lines()
        .map(|line| {
            line.rsplit_once("  ")
                .map_or(line, |(line, _)| line.trim_end())
        })
        .collect();
    insta::assert_snapshot!(redact(&listed.join("\n")), @r"
    attempt       task                       agent  k  result           score  turns  calls
    [id]  filesystem/office/easy     nop    1  pass             1.000      1      0
    [id]  filesystem/office/failing  nop    1  fail: abandoned  0.000      1      0
    ");
}

#[test]
fn text_of_others_cannot_steer_the_terminal() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    let dir = library.task("hostile", &guests::verdict(false, HOSTILE));
    let meta = serde_json::json!({
        "difficulty": "L1", "task_name": HOSTILE, "tags": [HOSTILE], HOSTILE: 1
    });
    fs::write(dir.join("meta.json"), meta.to_string()).unwrap();
    fs::write(dir.join("description.md"), HOSTILE).unwrap();
    let files = library.world("office").join("files");
    fs::write(files.join(HOSTILE), HOSTILE).unwrap();

    let report = library
        .run(["run", "--agent", "nop", "--experiment", "one"])
        .exits(1);
    is_plain(&report.stdout);
    is_plain(&report.stderr);
    assert!(report.stderr.contains("\\u{1b}[2J"), "{}", report.stderr);
    let attempts = library.run(["runs", "one", "--json"]).json();
    let id = attempts["attempts"][0]["id"].as_str().unwrap().to_owned();
    let files = files.to_str().unwrap();
    let verifier = dir.join("verifier.wasm");
    let verifier = verifier.to_str().unwrap();
    let empty = environment.directory("empty", &[]);
    for (args, code) in [
        (vec!["show", id.as_str()], 0),
        (vec!["show", id.as_str(), "--full"], 0),
        (vec!["task", "list"], 0),
        (vec!["task", "show", "filesystem/office/hostile"], 0),
        (vec!["world", "show", files], 0),
        (vec!["world", "diff", files, empty.to_str().unwrap()], 0),
        (vec!["grade", "--verifier", verifier, "--state", files], 1),
    ] {
        let output = library.run(&args).exits(code);
        is_plain(&output.stdout);
        is_plain(&output.stderr);
        assert!(
            output.stdout.contains("owned"),
            "{args:?}: {}",
            output.stdout
        );
    }
    // Errors about hostile names contain no control characters.
    for args in [
        vec!["run", HOSTILE],
        vec!["task", "show", HOSTILE],
        vec!["show", HOSTILE],
        vec!["runs", HOSTILE],
        vec!["world", "show", HOSTILE],
    ] {
        let output = library.run(&args).exits(2);
        is_plain(&output.stderr);
    }
}

#[test]
fn json_carries_the_text_itself() {
    let environment = Environment::new();
    let judge = environment.path("judge.wasm");
    fs::write(&judge, guests::verdict(false, HOSTILE)).unwrap();
    let state = environment.directory("state", &[]);
    let args = [
        "grade",
        "--verifier",
        judge.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
        "--json",
    ];
    let output = environment.run(args).exits(1);
    assert_eq!(output.json()["checks"][0]["detail"], HOSTILE);
    assert!(!output.stdout.contains('\u{1b}'));
}
