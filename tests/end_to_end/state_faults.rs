//! State faults: an agent cannot avoid a failing grade by a final state that stops the verifier.

use std::fs::{self, File};
use std::path::Path;

use mcpmark_model_server::{Reaction, Saying, Server};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text};
use crate::guests;
use crate::library::Library;
use crate::models::serve;

/// Shipped tasks, each with a file that its verifier reads.
const JUDGED: [(&str, &str); 9] = [
    (
        "filesystem/village-festival/saturday-draft",
        "01 Programme/running order.md",
    ),
    (
        "filesystem/village-festival/stall-balances",
        "04 Stalls/balances summary.txt",
    ),
    (
        "filesystem/food-bank/volunteer-hours",
        "reports/hours-2025-06.md",
    ),
    (
        "filesystem/household/receipt-duplicates",
        "Receipts/December index.csv",
    ),
    (
        "filesystem/conference/call-sheet",
        "03 Programme/call sheet.csv",
    ),
    ("filesystem/tide-station/docs-index", "docs/index.md"),
    (
        "filesystem/lending-library/stock-taking",
        "Stock-taking 2024/result.csv",
    ),
    (
        "filesystem/law-office/february-time",
        "04 Accounts/2026-02 work in progress.csv",
    ),
    (
        "filesystem/food-bank/active-agencies",
        "reports/active-agencies.csv",
    ),
];
const TASK: &str = "filesystem/office/note";

/// Extends a file with zeros beyond the memory of a verifier.
fn enlarge(file: &Path) {
    let file = File::create(file).unwrap();
    file.set_len(70 << 20).unwrap();
}

#[test]
fn a_judged_file_that_is_too_much_for_the_verifier_fails() {
    let environment = Environment::new();
    let (mut stopped_by_size, mut stopped_by_lines) = (0, 0);
    for (number, (task, judged)) in JUDGED.into_iter().enumerate() {
        let run = ["run", task, "--agent", "oracle", "--json"];
        let solved = environment.run(run).exits(0).json();
        let solved = text(&solved["attempts"][0]["id"]);
        let state = environment.path(&format!("state-{number}"));
        let place = state.to_str().unwrap();
        environment
            .run(["show", &solved, "--export", place])
            .exits(0);
        let grade = |more: &[&str]| {
            let args = ["grade", task, "--state", place];
            environment.run(args.iter().chain(more))
        };
        grade(&[]).exits(0);
        assert!(state.join(judged).is_file(), "{task}");

        enlarge(&state.join(judged));
        let report = grade(&["--json"]).exits(1).json();
        assert_eq!(report["passed"], false, "{report}");
        if report["outcome"] == "state-fault" {
            stopped_by_size += 1;
            assert_eq!(
                (&report["score"], &report["checks"]),
                (&json!(0.0), &json!([]))
            );
            assert_eq!(report["fault"]["kind"], "memory", "{report}");
            let told = grade(&[]).exits(1).stdout;
            assert!(told.contains("state-fault (memory)"), "{told}");
            assert!(
                told.contains("failed: this state stops the verifier"),
                "{told}"
            );
            // If the host grants less memory than the task asks for, the host may be the cause.
            let mut command = environment.command(["grade", task, "--state", place, "--json"]);
            command.env("MCPMARK_LIMITS_CEILING", "memory_bytes=33554432");
            let lowered = Output::of(&mut command).exits(3).json();
            assert_eq!(lowered["outcome"], "verifier-fault", "{lowered}");
        }

        fs::write(state.join(judged), "\n".repeat(3 << 20)).unwrap();
        let report = grade(&["--json"]).exits(1).json();
        assert_eq!(report["passed"], false, "{report}");
        stopped_by_lines += usize::from(report["outcome"] == "state-fault");
    }
    assert!(stopped_by_size >= 2 && stopped_by_lines >= 1);
}

/// Starts models that write a long note, which the verifier never finishes, or a short one.
fn note_writer() -> Server {
    serve(|request| match (request.model.as_str(), request.turns) {
        ("voids", 0) => write_note(&"\n".repeat(5_000)),
        ("honest", 0) => write_note("short\n"),
        _ => Reaction::say("Done."),
    })
}

fn write_note(content: &str) -> Reaction {
    Reaction::Say(Saying {
        calls: vec![(
            "write_file".to_owned(),
            json!({"path": "note.txt", "content": content}).to_string(),
        )],
        ..Saying::default()
    })
}

/// Runs an experiment of two models at a task whose verifier is stopped by a long note.
fn experiment(environment: &Environment, library: &Library<'_>) -> Value {
    library.task("note", &guests::own("loops-on-long-note.wat"));
    let server = note_writer();
    let url = server.base_url();
    let args = [
        "run",
        TASK,
        "--base-url",
        &url,
        "--model",
        "openai/voids",
        "--model",
        "openai/honest",
        "-k",
        "2",
        "--experiment",
        "e",
        "--json",
    ];
    let report = library.run(args).exits(1).json();
    assert!(environment.home().join("journal.db").is_file());
    report
}

#[test]
fn an_attempt_that_stops_the_verifier_counts_as_failed_everywhere() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let report = experiment(&environment, &library);
    let counts = json!({"attempts": 4, "graded": 4, "passed": 0});
    assert_eq!(report["summary"], counts);
    let attempts = report["attempts"].as_array().unwrap();
    let stopped: Vec<&Value> = attempts
        .iter()
        .filter(|it| it["outcome"] == "state-fault")
        .collect();
    assert_eq!(stopped.len(), 2, "{report}");
    assert!(stopped.iter().all(|it| it["model"] == "openai/voids"));
    assert_eq!(stopped[0]["passed"], false);
    assert_eq!(stopped[0]["score"], 0.0);
    assert_eq!(stopped[0]["fault"]["kind"], "fuel");
    let id = text(&stopped[0]["id"]);

    let listed = library.run(["runs", "--json"]).exits(0).json();
    assert_eq!(listed[0]["graded"], 4, "{listed}");
    let shown = library.run(["show", &id]).exits(0).stdout;
    assert!(shown.contains("state-fault (fuel)"), "{shown}");
    let resumed = library.run(["resume", "e"]).exits(1).stdout;
    let line = "4 attempts, 0 passed, 4 failed, 2 of them because the state stops the verifier";
    assert!(resumed.contains(line), "{resumed}");

    let told = library.run(["report", "e"]).exits(0).stdout;
    assert!(
        told.contains("Failed by a state that stops the verifier"),
        "{told}"
    );
    let told = library.run(["report", "e", "--format", "json"]).exits(0);
    let told = told.json();
    let models = told["models"].as_array().unwrap();
    for model in models {
        let faults = if model["name"].as_str().unwrap().ends_with("voids") {
            json!({"fuel": 2})
        } else {
            json!({})
        };
        assert_eq!(model["state_faults"], faults, "{model}");
        assert_eq!(model["ungraded"], json!({}), "{model}");
    }
    let out = environment.path("exported");
    let args = ["export", "e", "--format", "mcpmark", "-o"];
    let mut export = library.command(args);
    let export = Output::of(export.arg(&out)).exits(0);
    assert!(!export.stderr.contains("left out"), "{}", export.stderr);

    // The receipt is verified here, and in another journal that imports the experiment.
    let receipt = library.run(["receipt", "show", &id]).exits(0).stdout;
    let statement: Value = serde_json::from_str(&receipt).unwrap();
    assert_eq!(statement["predicate"]["result"], "FAILED");
    assert_eq!(statement["predicate"]["mcpmark"]["fault"], "fuel");
    let file = environment.path("receipt.json");
    fs::write(&file, &receipt).unwrap();
    let verify = |library: &Library<'_>| {
        let file = file.to_str().unwrap();
        library.run(["receipt", "verify", file]).exits(0)
    };
    let told = verify(&library).stdout;
    assert!(
        told.contains("the same verdict: failed, the state stops the verifier (fuel)"),
        "{told}"
    );
    let carried = environment.path("carried");
    let carried = carried.to_str().unwrap();
    library
        .run(["store", "export", "e", "-o", carried])
        .exits(0);
    let other = Environment::bare();
    let there = Library::new(&other);
    there.task("note", &guests::own("loops-on-long-note.wat"));
    there.run(["store", "import", carried]).exits(0);
    verify(&there);
    let moved = there.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(moved["summary"], counts);
}

#[test]
fn an_attempt_of_before_is_regraded_by_the_rule() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let report = experiment(&environment, &library);
    let attempts = report["attempts"].as_array().unwrap();
    let stopped = attempts.iter().find(|it| it["outcome"] == "state-fault");
    let id = text(&stopped.unwrap()["id"]);
    // Rows of an earlier version, which blamed the verifier and had no checksums.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    for change in [
        "UPDATE grades SET outcome = 'verifier-fault', passed = NULL, score = NULL, sum = NULL
         WHERE outcome = 'state-fault'",
        "UPDATE attempts SET outcome = 'verifier-fault', passed = NULL, score = NULL, sum = NULL
         WHERE outcome = 'state-fault'",
    ] {
        assert_eq!(journal.execute(change, []).unwrap(), 2);
    }
    drop(journal);
    let before = library.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(before["summary"]["graded"], 2, "{before}");
    library.run(["receipt", "show", &id]).exits(2);

    let told = library.run(["regrade", "e"]).exits(1).stdout;
    assert!(
        told.contains("verifier-fault → fail (state-fault)"),
        "{told}"
    );
    let again = library.run(["regrade", "e", "--json"]).exits(0).json();
    assert_eq!(again["summary"]["same"], 4, "{again}");
    let after = library.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(after["summary"]["graded"], 4, "{after}");
    let args = ["receipt", "show", &id, "--all"];
    let receipts = library.run(args).exits(0).stdout;
    assert_eq!(receipts.lines().count(), 2, "{receipts}");
}

#[test]
fn a_verifier_that_faults_on_the_start_too_is_to_blame() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.task("note", &guests::hostile("endless-loop.wat"));
    let server = note_writer();
    let args = ["--model", "openai/voids", TASK];
    let mut command = library.command(["run", "--json", "--base-url", &server.base_url()]);
    let report = Output::of(command.args(args)).exits(3);
    let attempt = &report.json()["attempts"][0];
    assert_eq!(attempt["outcome"], "verifier-fault", "{attempt}");
    assert_eq!(attempt["passed"], Value::Null);

    // Without a task the starting state is unknown, unless `--start` names it.
    let judge = environment.path("judge.wasm");
    fs::write(&judge, guests::own("loops-on-long-note.wat")).unwrap();
    let long = environment.directory("long", &[("note.txt", &"\n".repeat(500))]);
    let start = environment.directory("start", &[("note.txt", "\n")]);
    let args = [
        "grade",
        "--verifier",
        judge.to_str().unwrap(),
        "--state",
        long.to_str().unwrap(),
    ];
    environment.run(args).exits(3);
    let named = ["--start", start.to_str().unwrap()];
    environment.run(args.iter().chain(&named)).exits(1);
}

#[test]
fn a_verifier_that_needs_an_answer_is_not_to_blame_for_a_long_one() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    let meta = json!({"difficulty": "L1", "judged_on": ["answer"]});
    library.task_with("note", &guests::own("needs-answer.wat"), &meta);
    let server = serve(|request| match request.model.as_str() {
        "voids" => Reaction::say("long ".repeat(100)),
        _ => Reaction::say("short"),
    });
    let url = server.base_url();
    let args = ["run", "--json", "--base-url", &url, TASK];
    let models = ["--model", "openai/voids", "--model", "openai/honest"];
    let report = library.run(args.iter().chain(&models)).exits(1).json();
    for attempt in report["attempts"].as_array().unwrap() {
        let expected = match attempt["model"].as_str() {
            Some("openai/voids") => "state-fault",
            _ => "graded",
        };
        assert_eq!(attempt["outcome"], expected, "{attempt}");
    }
}
