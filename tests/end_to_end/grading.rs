//! `grade`, with a task and with any component.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::environment::{Environment, Output, text};
use crate::guests;

struct Judge {
    environment: Environment,
    verifier: PathBuf,
    state: PathBuf,
}

impl Judge {
    fn new(component: &[u8]) -> Self {
        let environment = Environment::new();
        let verifier = environment.path("judge.wasm");
        fs::write(&verifier, component).unwrap();
        let state = environment.directory("state", &[("note.txt", "as it is\n")]);
        Self {
            environment,
            verifier,
            state,
        }
    }

    fn grade(&self, more: &[&str]) -> Output {
        let (verifier, state) = (
            self.verifier.to_str().unwrap(),
            self.state.to_str().unwrap(),
        );
        let args = ["grade", "--verifier", verifier, "--state", state];
        self.environment.run(args.iter().chain(more))
    }

    fn only_check(&self, more: &[&str]) -> Value {
        let more: Vec<_> = more.iter().copied().chain(["--json"]).collect();
        self.grade(&more).json()["checks"][0].clone()
    }
}

fn check(passed: bool, detail: &str) -> Value {
    json!({"name": "check", "passed": passed, "detail": detail})
}

#[test]
fn a_task_grades_any_directory() {
    let environment = Environment::new();
    let task = "filesystem/village-festival/stall-balances";
    let state = environment.directory("state", &[]);
    crate::environment::copy_tree(
        &crate::environment::repository().join("worlds/filesystem/village-festival/files"),
        &state,
    );
    let args = ["grade", task, "--state", state.to_str().unwrap()];
    let report = environment
        .run(args.iter().chain(&["--json"]))
        .exits(1)
        .json();
    assert_eq!(report["outcome"], "graded");
    assert_eq!(report["passed"], false);
    let graded = environment.run(args).exits(1).text();
    insta::assert_snapshot!(graded.lines().last().unwrap(), @"failed: 1 of 16 checks passed, score 0.000 (1 of them passed on the starting state and earns nothing)");
}

#[test]
fn a_component_needs_no_task() {
    let judge = Judge::new(&guests::verdict(true, "all is well"));
    let report = judge.grade(&["--json"]).exits(0).json();
    let keys: Vec<_> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "outcome",
            "passed",
            "score",
            "score_rule",
            "checks",
            "fault",
            "state",
            "verifier"
        ]
    );
    assert_eq!(report["outcome"], "graded");
    assert_eq!(report["passed"], true);
    assert_eq!(report["score"], 1.0);
    assert_eq!(report["checks"], json!([check(true, "all is well")]));
    assert_eq!(report["fault"], Value::Null);
    assert!(text(&report["state"]).starts_with("sha256:"));
    assert!(text(&report["verifier"]).starts_with("sha256:"));
    insta::assert_snapshot!(judge.grade(&[]).exits(0).stdout, @r"
    ✓ check
    passed: 1 of 1 checks passed, score 1.000
    ");

    let judge = Judge::new(&guests::verdict(false, "expected 3\nfound 4"));
    insta::assert_snapshot!(judge.grade(&[]).exits(1).stdout, @r"
    ✗ check
      expected 3
      found 4
    failed: 0 of 1 checks passed, score 0.000
    ");
}

#[test]
fn the_starting_state_is_what_is_given() {
    let judge = Judge::new(&guests::own("reads-start.wat"));
    assert_eq!(judge.only_check(&[]), check(false, ""));
    let start = judge
        .environment
        .directory("start", &[("note.txt", "as it was\n")]);
    let given = ["--start", start.to_str().unwrap()];
    assert_eq!(judge.only_check(&given), check(true, "as it was\n"));
}

#[test]
fn the_answer_is_what_is_given() {
    let judge = Judge::new(&guests::own("reads-answer.wat"));
    assert_eq!(judge.only_check(&[]), check(false, ""));
    let answer = judge.environment.path("answer.txt");
    fs::write(&answer, "it is 42\n").unwrap();
    let given = ["--answer", answer.to_str().unwrap()];
    assert_eq!(judge.only_check(&given), check(true, "it is 42\n"));
    judge.grade(&["--answer", "nowhere.txt"]).exits(2);
}

#[test]
fn the_parameters_are_what_is_given() {
    let judge = Judge::new(&guests::own("reads-parameters.wat"));
    assert_eq!(judge.only_check(&[]), check(true, "{}"));
    let given = ["--parameters", "{\"b\": 1,\n \"a\": [\"x\"]}"];
    assert_eq!(
        judge.only_check(&given),
        check(true, r#"{"a":["x"],"b":1}"#)
    );
    let refused = judge.grade(&["--parameters", "[1]"]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: --parameters is not a JSON object: invalid type: sequence, expected a map at line 1 column 0");
}

#[test]
fn a_panic_is_a_fault_with_its_message() {
    let judge = Judge::new(&guests::own("panics.wat"));
    let report = judge.grade(&["--json"]).exits(3).json();
    assert_eq!(report["outcome"], "verifier-fault");
    for key in ["passed", "score"] {
        assert_eq!(report[key], Value::Null);
    }
    assert_eq!(report["checks"], json!([]));
    assert_eq!(report["fault"]["kind"], "trap");
    insta::assert_snapshot!(text(&report["fault"]["message"]), @"panicked: the ledger has no header");
    insta::assert_snapshot!(judge.grade(&[]).exits(3).text(), @"verifier-fault (trap): panicked: the ledger has no header");
}

#[test]
fn limits_end_a_verifier_without_a_grade() {
    for (guest, kind) in [
        ("endless-loop.wat", "fuel"),
        ("memory-growth.wat", "memory"),
        ("no-checks.wat", "output"),
    ] {
        let judge = Judge::new(&guests::hostile(guest));
        let report = judge.grade(&["--json"]).exits(3).json();
        assert_eq!(report["fault"]["kind"], kind, "{guest}: {report}");
    }
}

#[test]
fn limits_can_be_set_when_grading_without_a_task() {
    let judge = Judge::new(&guests::hostile("endless-loop.wat"));
    let own = ["--json", "--limits", "fuel=70000", "--limits", "checks=3"];
    let report = judge.grade(&own).exits(3).json();
    let message = report["fault"]["message"].as_str().unwrap();
    let expected = "the guest used up its 70000 units of fuel (limit `fuel`, which `limits` of the task \
                    or of the grade may raise to 500000000000 on this host)";
    assert_eq!(message, expected);
    let refused = judge.grade(&["--limits", "speed=1"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: --limits: unknown limit `speed`; expected one of fuel, memory_bytes, table_elements, time_ms, copy_bytes, log_bytes, output_bytes, checks
    hint: write it as `--limits fuel=2000000000,memory_bytes=134217728`
    ");

    let line = |limits: Value| {
        let (verifier, state) = (&judge.verifier, &judge.state);
        json!({"verifier": verifier, "state": state, "limits": limits}).to_string()
    };
    let lines = [
        line(json!({"fuel": 70_000})),
        line(json!({"fuel": "70000"})),
        line(json!({"fuel=7,checks": 1})),
        line(json!({"fuel": 1.5})),
        line(json!(7)),
        json!({"task": "filesystem/a/b", "state": judge.state, "limits": {}}).to_string(),
    ];
    fs::write(judge.environment.path("batch.jsonl"), lines.join("\n")).unwrap();
    let output = judge.environment.run(["grade", "--batch", "batch.jsonl"]);
    let told: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(told[0]["fault"]["message"], expected);
    for outcome in &told[1..] {
        assert_eq!(outcome["error"]["key"], "limits", "{outcome}");
    }
    assert_eq!(told.len(), 6);
    insta::assert_snapshot!(text(&told[2]["error"]["message"]), @r#"line 3, key "limits": unknown limit `fuel=7,checks`; expected one of fuel, memory_bytes, table_elements, time_ms, copy_bytes, log_bytes, output_bytes, checks"#);
}

#[test]
fn lowered_limits_are_reported() {
    let judge = Judge::new(&guests::hostile("endless-loop.wat"));
    let report = judge
        .grade(&["--json", "--limits", "fuel=70000,checks=200000"])
        .exits(3);
    insta::assert_snapshot!(report.message(), @"warning: limit `checks` is lowered to 100000, the ceiling of this host (MCPMARK_LIMITS_CEILING)");
    assert_eq!(report.json()["lowered"], json!({"checks": 100_000}));
    let line = |limits: Value| {
        let (verifier, state) = (&judge.verifier, &judge.state);
        json!({"verifier": verifier, "state": state, "limits": limits}).to_string()
    };
    let lines = [
        line(json!({"fuel": 70_000, "memory_bytes": 8_589_934_592_u64})),
        line(json!({"fuel": 70_000})),
    ];
    fs::write(judge.environment.path("batch.jsonl"), lines.join("\n")).unwrap();
    let output = judge.environment.run(["grade", "--batch", "batch.jsonl"]);
    let told: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(told[0]["lowered"], json!({"memory_bytes": 1 << 30}));
    assert_eq!(told[1].get("lowered"), None);
}

#[test]
fn files_that_are_no_verifiers_are_refused() {
    let mut transcript = String::new();
    for guest in [
        "wants-wasi.wat",
        "wants-tools.wat",
        "core-module.wat",
        "no-export.wat",
    ] {
        let judge = Judge::new(&guests::hostile(guest));
        let refused = judge.grade(&["--json"]).exits(4);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark grade --verifier [dir]/judge.wasm --state [dir]/state --json
    error: [dir]/judge.wasm: imports `wasi:filesystem/preopens@0.3.0`, which a verifier may not import; it may import state, answer, parameters and log of mcpmark:guest@0.1.0, and mcpmark:guest/git@0.1.0, and mcpmark:sql/database@0.1.0, and cli, clocks, filesystem, io and random of WASI 0.2

    $ mcpmark grade --verifier [dir]/judge.wasm --state [dir]/state --json
    error: [dir]/judge.wasm: imports `mcpmark:guest/tools@0.1.0` and `env`, which a verifier may not import; it may import state, answer, parameters and log of mcpmark:guest@0.1.0, and mcpmark:guest/git@0.1.0, and mcpmark:sql/database@0.1.0, and cli, clocks, filesystem, io and random of WASI 0.2

    $ mcpmark grade --verifier [dir]/judge.wasm --state [dir]/state --json
    error: [dir]/judge.wasm: a core WebAssembly module, not a component; create a component with `mcpmark task build` or `wasm-tools component new`

    $ mcpmark grade --verifier [dir]/judge.wasm --state [dir]/state --json
    error: [dir]/judge.wasm: does not fit the contract of a verifier: no export `verify` found
    ");
    let judge = Judge::new(b"#!/bin/sh\n");
    let refused = judge.grade(&[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"error: [dir]/judge.wasm: not a WebAssembly file: it does not start with \0asm");
    fs::remove_file(&judge.verifier).unwrap();
    let refused = judge.grade(&[]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/judge.wasm: No such file or directory (os error 2)");
}

#[test]
fn a_state_that_cannot_be_is_told_with_the_way_out() {
    let judge = Judge::new(&guests::verdict(true, ""));
    let verifier = judge.verifier.to_str().unwrap();
    let mut transcript = String::new();
    for place in ["/nowhere/at all", "judge.wasm", "sha256:12"] {
        for more in [
            ["--state", place, "--start", "state"],
            ["--state", "state", "--start", place],
        ] {
            let args = [&["grade", "--verifier", verifier][..], &more].concat();
            let refused = judge.environment.run(args).exits(2);
            transcript += &refused.transcript();
        }
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark grade --verifier [dir]/judge.wasm --state "/nowhere/at all" --start state
    error: /nowhere/at all: No such file or directory (os error 2)
    hint: name a directory, or the digest of a stored state

    $ mcpmark grade --verifier [dir]/judge.wasm --state state --start "/nowhere/at all"
    error: /nowhere/at all: No such file or directory (os error 2)
    hint: name a directory, or the digest of a stored state

    $ mcpmark grade --verifier [dir]/judge.wasm --state judge.wasm --start state
    error: judge.wasm: not a directory
    hint: name a directory, or the digest of a stored state

    $ mcpmark grade --verifier [dir]/judge.wasm --state state --start judge.wasm
    error: judge.wasm: not a directory
    hint: name a directory, or the digest of a stored state

    $ mcpmark grade --verifier [dir]/judge.wasm --state sha256:12 --start state
    error: invalid digest "sha256:12": expected "sha256:" and 64 lower-case hexadecimal digits
    hint: `mcpmark show ATTEMPT` and --json print full digests; a directory is accepted as well

    $ mcpmark grade --verifier [dir]/judge.wasm --state state --start sha256:12
    error: invalid digest "sha256:12": expected "sha256:" and 64 lower-case hexadecimal digits
    hint: `mcpmark show ATTEMPT` and --json print full digests; a directory is accepted as well
    "#);
    let refused = judge
        .environment
        .run(["world", "show", "sha256:12"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: invalid digest "sha256:12": expected "sha256:" and 64 lower-case hexadecimal digits
    hint: `mcpmark show ATTEMPT` and --json print full digests; a directory is accepted as well
    "#);
    // A directory may have the name of an invalid digest.
    judge.environment.directory("sha256:12", &[]);
    let args = ["grade", "--verifier", verifier, "--state", "sha256:12"];
    judge.environment.run(args).exits(0);
}

#[test]
fn the_same_state_has_one_digest_wherever_it_lies() {
    let judge = Judge::new(&guests::verdict(true, ""));
    let digest = |dir: &Path| {
        let args = ["world", "show", dir.to_str().unwrap(), "--json"];
        text(&judge.environment.run(args).exits(0).json()["digest"])
    };
    let other = judge
        .environment
        .directory("other place", &[("note.txt", "as it is\n")]);
    assert_eq!(digest(&judge.state), digest(&other));
    let report = judge.grade(&["--json"]).json();
    assert_eq!(text(&report["state"]), digest(&other));
    fs::write(other.join("note.txt"), "as it is").unwrap();
    assert_ne!(digest(&judge.state), digest(&other));
}

/// The verifier of the task is a core module of WASI 0.1, which passes by its exit code.
#[test]
fn a_program_is_the_verifier_of_a_task() {
    let environment = Environment::new();
    let library = crate::library::Library::new(&environment);
    library.task("program", &guests::hostile("command-passes.wat"));
    library.task("failing", &guests::hostile("command-exits.wat"));
    let root = ["--root", library.root.to_str().unwrap()];
    let run = ["run", "filesystem/office", "--agent", "nop", "--json"];
    let report = environment.run(root.iter().chain(&run)).exits(1).json();
    assert_eq!(
        report["attempts"].as_array().map(Vec::len),
        Some(2),
        "{report:#}"
    );

    let state = library.world("office").join("files");
    for (task, code) in [("program", 0), ("failing", 1)] {
        let task = format!("filesystem/office/{task}");
        let state = state.to_str().unwrap();
        let grade = ["grade", task.as_str(), "--state", state, "--json"];
        let report = environment
            .run(root.iter().chain(&grade))
            .exits(code)
            .json();
        assert!(report["output"]["exit_code"].is_number(), "{report:#}");
    }
}
