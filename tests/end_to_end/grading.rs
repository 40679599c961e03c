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
    let plain = environment.run(args).exits(1).stdout;
    assert!(plain.contains("failed: "), "{plain}");
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
    judge
        .grade(&["--parameters", "[1]"])
        .exits(2)
        .says(&["--parameters is not a JSON object"]);
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
    assert!(text(&report["fault"]["message"]).contains("the ledger has no header"));
    let plain = judge.grade(&[]).exits(3).stdout;
    assert!(plain.contains("verifier-fault (trap)"), "{plain}");
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
    let refused = judge.grade(&["--limits", "speed=1"]).exits(2).stderr;
    assert!(
        refused.contains("--limits: unknown limit `speed`"),
        "{refused}"
    );

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
    let unknown = told[2]["error"]["message"].as_str().unwrap();
    assert!(
        unknown.contains("unknown limit `fuel=7,checks`"),
        "{unknown}"
    );
}

#[test]
fn lowered_limits_are_reported() {
    let judge = Judge::new(&guests::hostile("endless-loop.wat"));
    let report = judge
        .grade(&["--json", "--limits", "fuel=70000,checks=200000"])
        .exits(3);
    assert!(
        report
            .stderr
            .contains("limit `checks` is lowered to 100000, the ceiling of this host"),
        "{}",
        report.stderr
    );
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
    for (guest, words) in [
        ("wants-wasi.wat", "wasi:filesystem/preopens@0.2.6"),
        ("wants-tools.wat", "mcpmark:guest/tools@0.1.0"),
        (
            "core-module.wat",
            "a core WebAssembly module, not a component",
        ),
        ("no-export.wat", "verify"),
    ] {
        let judge = Judge::new(&guests::hostile(guest));
        judge
            .grade(&["--json"])
            .exits(4)
            .says(&["judge.wasm", words]);
    }
    let judge = Judge::new(b"#!/bin/sh\n");
    judge.grade(&[]).exits(4).says(&["judge.wasm"]);
    fs::remove_file(&judge.verifier).unwrap();
    judge.grade(&[]).exits(2).says(&["judge.wasm"]);
}

#[test]
fn a_state_that_cannot_be_is_told_with_the_way_out() {
    let judge = Judge::new(&guests::verdict(true, ""));
    let verifier = judge.verifier.to_str().unwrap();
    let state_hint = "hint: name a directory, or the digest of a stored state";
    for (place, message, hint) in [
        (
            "/nowhere/at all",
            "error: /nowhere/at all: No such file or directory",
            state_hint,
        ),
        (
            "judge.wasm",
            "error: judge.wasm: not a directory",
            state_hint,
        ),
        (
            "sha256:12",
            "error: invalid digest \"sha256:12\": expected \"sha256:\" and 64",
            "hint: `mcpmark show ATTEMPT` and --json print full digests",
        ),
    ] {
        for more in [
            ["--state", place, "--start", "state"],
            ["--state", "state", "--start", place],
        ] {
            let args = [&["grade", "--verifier", verifier][..], &more].concat();
            judge.environment.run(args).exits(2).says(&[message, hint]);
        }
    }
    judge
        .environment
        .run(["world", "show", "sha256:12"])
        .exits(2)
        .says(&["invalid digest", "hint: "]);
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
