//! Certification of Python verifiers, comparison with native Python, and batches.

use std::fs;
use std::path::Path;
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use super::{BOATS, corpus, names};
use crate::environment::{Environment, copy_tree, text};
use crate::scripts::with_guest;

fn has_python() -> bool {
    let code = "import sys; sys.exit(sys.version_info < (3, 11))";
    let asked = Command::new("python3").args(["-I", "-c", code]).status();
    asked.is_ok_and(|status| status.success())
}

#[test]
fn tasks_are_certified_and_compared_with_native_python() {
    let Some(environment) = with_guest() else {
        return;
    };
    let solved = corpus("suites/solved");
    let check = |corpus: &Path, more: &[&str]| {
        let states = corpus.join("states");
        let (corpus, states) = (corpus.to_str().unwrap(), states.to_str().unwrap());
        let args = [
            "task", "check", "--tasks", corpus, "--states", states, "--json",
        ];
        environment.run(
            args.iter()
                .chain(&["--solved", solved.to_str().unwrap()])
                .chain(more),
        )
    };
    let report = check(&corpus("suites"), &[]).exits(0).json();
    assert_eq!(report["passed"], true);
    let task = &report["tasks"][1];
    assert_eq!(
        names(&task["checks"]),
        [
            "doing nothing fails",
            "calling tools by chance fails",
            "the given final state passes",
            "the script judges every near miss",
            "grading again gives the same verdict and output",
        ]
    );
    assert_eq!(task["compared"], 0);

    // Limits are set as for a task of a library.
    let copy = environment.path("corpus");
    copy_tree(&corpus("suites"), &copy);
    let task = copy.join("tasks").join(BOATS);
    let meta = task.join("meta.json");
    let before = fs::read_to_string(&meta).unwrap();
    fs::write(
        &meta,
        before.replacen('{', r#"{"limits": {"fuel": 1000},"#, 1),
    )
    .unwrap();
    let report = check(&copy, &[BOATS]).exits(1).json();
    let detail = text(&report["tasks"][0]["checks"][0]["detail"]);
    assert!(detail.contains("1000 units of fuel"), "{detail}");
    fs::write(&meta, before).unwrap();

    // A script that passes every state is detected.
    let script = task.join("verify.py");
    fs::write(&script, "import sys\nprint(sys.platform)\n").unwrap();
    let report = check(&copy, &[BOATS]).exits(1).json();
    assert_eq!(report["tasks"][0]["checks"][0]["passed"], false);

    if !has_python() {
        return skip(
            Need::Python,
            "there is no python3 of version 3.11 or later to compare with",
        );
    }
    let report = check(&corpus("suites"), &["--against-python"])
        .exits(0)
        .json();
    assert!(
        report["tasks"][1]["compared"].as_u64().unwrap() > 8,
        "{report}"
    );
    // The order of a set is not a difference. If it changes the order of lines, a remark says so, and other differences
    // are still found.
    const SETS: &str = "names = {str(n) for n in range(20)}\nprint(names)\n";
    const LOOP: &str = "for name in names: print(name)\n";
    let platform = "import sys\nprint(sys.platform)\n";
    for (text, same, wavers) in [
        (SETS.to_owned(), true, false),
        (format!("{SETS}{LOOP}"), true, true),
        (format!("{SETS}{LOOP}{platform}"), false, false),
    ] {
        fs::write(&script, &text).unwrap();
        let report = check(&copy, &[BOATS, "--against-python"]).exits(1).json();
        let task = &report["tasks"][0];
        let last = task["checks"].as_array().unwrap().last().unwrap();
        assert_eq!(last["name"], "native Python says the same");
        assert_eq!(last["passed"], same, "{text}: {report}");
        let remarks = task["remarks"].to_string();
        let told = remarks.contains("differs between runs");
        assert_eq!(told, wavers, "{text}: {remarks}");
    }

    fs::write(&script, "import sys\nprint(sys.platform)\n").unwrap();
    let report = check(&copy, &[BOATS, "--against-python"]).exits(1).json();
    let last = report["tasks"][0]["checks"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(last["name"], "native Python says the same");
    assert_eq!(last["passed"], false);
    let detail = text(&last["detail"]);
    assert!(
        detail.contains(r#""wasi" in the sandbox, "linux" with native Python"#),
        "{detail}"
    );
}

#[test]
fn options_of_certificates_are_refused_for_published_tasks() {
    let environment = Environment::bare();
    let corpus = corpus("suites");
    let tasks = ["task", "check", "--tasks", corpus.to_str().unwrap()];
    let mut transcript = String::new();
    for option in ["--write", "--survivors", "--stale", "--shipped"] {
        let refused = environment.run(tasks.iter().chain(&[option])).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark task check --tasks [repository]/tests/published/suites --write
    error: --write, --survivors, --stale and --shipped require tasks with certificates; omit them with --tasks

    $ mcpmark task check --tasks [repository]/tests/published/suites --survivors
    error: --write, --survivors, --stale and --shipped require tasks with certificates; omit them with --tasks

    $ mcpmark task check --tasks [repository]/tests/published/suites --stale
    error: --write, --survivors, --stale and --shipped require tasks with certificates; omit them with --tasks

    $ mcpmark task check --tasks [repository]/tests/published/suites --shipped
    error: --write, --survivors, --stale and --shipped require tasks with certificates; omit them with --tasks
    ");
}

#[test]
fn batches_and_cross_checks_take_scripts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let solved = corpus("suites/solved");
    let state = solved.join(BOATS);
    let suites = corpus("suites");
    let script = suites.join("tasks").join(BOATS).join("verify.py");
    let lines = [
        json!({"task": BOATS, "state": state}),
        json!({"verifier": script, "state": suites.join("states/harbour"), "id": "start"}),
        json!({"verifier": script, "state": state, "env": {"FILESYSTEM_TEST_DIR": "/state/boats"}}),
        json!({"task": "filesystem/none", "state": state}),
        json!({"verifier": script, "state": state, "args": "one"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let batch = environment.path("batch.jsonl");
    fs::write(&batch, lines).unwrap();
    let args = ["grade", "--tasks", suites.to_str().unwrap(), "--batch"];
    let graded = environment.run(args.iter().chain(&[batch.to_str().unwrap()]));
    let graded = graded.exits(4).stdout;
    let graded: Vec<Value> = graded
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let passed: Vec<&Value> = graded.iter().map(|line| &line["passed"]).collect();
    assert_eq!(passed[..3], [&json!(true), &json!(false), &json!(false)]);
    assert_eq!(graded[0]["output"]["exit_code"], 0);
    assert_eq!(graded[1]["id"], "start");
    assert!(text(&graded[3]["error"]["message"]).contains("available: filesystem/easy"));
    assert_eq!(graded[4]["error"]["key"], "args");

    let (script, state) = (script.to_str().unwrap(), state.to_str().unwrap());
    let crossed = [
        "grade",
        "--cross-check",
        "--json",
        "--verifier",
        script,
        "--state",
        state,
    ];
    assert_eq!(environment.run(crossed).exits(0).json()["passed"], true);
}
