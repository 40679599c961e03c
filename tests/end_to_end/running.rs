//! `run`, `runs` and `show`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::environment::{Environment, text};
use crate::guests;
use crate::library::Library;

/// Tasks of two worlds, in the order of lists.
const TASKS: [&str; 6] = [
    "filesystem/food-bank/active-agencies",
    "filesystem/food-bank/quarter-intake",
    "filesystem/food-bank/volunteer-hours",
    "filesystem/village-festival/inbox-filing",
    "filesystem/village-festival/saturday-draft",
    "filesystem/village-festival/stall-balances",
];

fn attempts(report: &Value) -> &[Value] {
    report["attempts"].as_array().unwrap()
}

fn tasks(report: &Value) -> Vec<String> {
    attempts(report)
        .iter()
        .map(|attempt| text(&attempt["task"]))
        .collect()
}

/// Services whose programs are not installed everywhere. Without them, `run` leaves out the tasks that need them.
const OPTIONAL_SERVICES: [&str; 2] = ["playwright", "postgres"];

/// Returns the optional services that this machine has.
fn optional_services(environment: &Environment) -> Vec<&'static str> {
    let findings = environment.run(["doctor", "--json"]).json();
    let findings = findings.as_array().unwrap();
    let is_available = |service: &&str| {
        let name = format!("service {service}");
        let mut findings = findings.iter();
        findings.any(|it| it["what"] == *name && text(&it["detail"]).starts_with("available"))
    };
    OPTIONAL_SERVICES.into_iter().filter(is_available).collect()
}

/// Returns the ids of all shipped tasks that this machine can run.
pub(crate) fn shipped(environment: &Environment) -> Vec<String> {
    let listed = environment.run(["task", "list", "--json"]).exits(0).json();
    let available = optional_services(environment);
    let ids = listed.as_array().unwrap().iter();
    ids.map(|task| text(&task["id"]))
        .filter(|id| {
            let (service, _) = id.split_once('/').unwrap();
            !OPTIONAL_SERVICES.contains(&service) || available.contains(&service)
        })
        .collect()
}

/// Returns the first task of each world: the tasks of a world share its setup and the tools of its service, so that a
/// sample is enough to compare two runs. `MCPMARK_TEST_ALL=1` compares all tasks.
pub(crate) fn repeated(shipped: &[String]) -> Vec<&str> {
    let all = std::env::var_os("MCPMARK_TEST_ALL").is_some();
    let mut worlds = BTreeSet::new();
    let ids = shipped.iter().map(String::as_str);
    ids.filter(|id| all || worlds.insert(id.rsplit_once('/').map(|(world, _)| world)))
        .collect()
}

/// Returns the attempt of another report that is of the same task.
fn attempt_of<'a>(report: &'a Value, other: &Value) -> &'a Value {
    let mut attempts = attempts(report).iter();
    attempts
        .find(|attempt| attempt["task"] == other["task"])
        .unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn is_digest(value: &Value) -> bool {
    let hex = value.as_str().and_then(|text| text.strip_prefix("sha256:"));
    hex.is_some_and(|hex| hex.len() == 64 && hex.chars().all(|c| c.is_ascii_hexdigit()))
}

#[test]
fn the_oracle_passes_every_task_and_twice_alike() {
    let environment = Environment::new();
    let first = environment.run(["run", "--json"]).exits(0).json();
    let shipped = shipped(&environment);
    assert_eq!(tasks(&first), shipped);
    assert_eq!(
        keys(&first),
        [
            "experiment",
            "spec",
            "attempts",
            "summary",
            "spent_usd",
            "spent_unknown"
        ]
    );
    assert_eq!(
        first["summary"],
        json!({"attempts": shipped.len(), "graded": shipped.len(), "passed": shipped.len()})
    );
    for attempt in attempts(&first) {
        assert_eq!(
            keys(attempt),
            [
                "id",
                "task",
                "agent",
                "model",
                "model_settings",
                "effort",
                "k",
                "ended",
                "outcome",
                "passed",
                "score",
                "score_rule",
                "checks",
                "fault",
                "turns",
                "tool_calls",
                "state",
                "bundle",
                "usage",
                "cost_usd"
            ]
        );
        assert_eq!(attempt["agent"], "oracle");
        assert_eq!(attempt["model"], Value::Null);
        assert_eq!(attempt["k"], 1);
        assert_eq!(attempt["ended"], "completed");
        assert_eq!(attempt["outcome"], "graded");
        assert_eq!(attempt["passed"], true);
        assert_eq!(attempt["score"], 1.0);
        assert_eq!(attempt["score_rule"], "earned");
        assert_eq!(attempt["fault"], Value::Null);
        assert!(is_digest(&attempt["state"]) && is_digest(&attempt["bundle"]));
        let (turns, calls) = (&attempt["turns"], &attempt["tool_calls"]);
        assert_eq!(turns.as_u64().unwrap(), calls.as_u64().unwrap() + 1);
        let checks = attempt["checks"].as_array().unwrap();
        assert!(!checks.is_empty());
        for check in checks {
            assert_eq!(keys(check), ["name", "passed", "detail"]);
            assert_eq!(check["passed"], true);
            assert!(check["name"].is_string() && check["detail"].is_string());
        }
    }

    let mut arguments = vec!["run", "--json", "-j", "1"];
    let again = repeated(&shipped);
    arguments.extend(again.iter().copied());
    let second = environment.run(arguments).exits(0).json();
    assert_eq!(tasks(&second), again);
    assert_ne!(first["experiment"], second["experiment"]);
    for two in attempts(&second) {
        let one = attempt_of(&first, two);
        for key in ["state", "bundle", "checks", "turns", "tool_calls"] {
            assert_eq!(one[key], two[key], "{key} of {}", two["task"]);
        }
        assert_ne!(one["id"], two["id"]);
    }

    let runs = environment.run(["runs", "--json"]).exits(0).json();
    let names: Vec<_> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["experiment"])
        .collect();
    assert_eq!(names, [&second["experiment"], &first["experiment"]]);
    let name = text(&first["experiment"]);
    let listed = environment.run(["runs", &name, "--json"]).exits(0).json();
    assert_eq!(listed, first);
}

#[test]
fn doing_nothing_passes_nothing() {
    let environment = Environment::new();
    let shipped = shipped(&environment);
    // The names of all services select the same tasks as no selector.
    let services: BTreeSet<_> = shipped
        .iter()
        .filter_map(|id| id.split('/').next())
        .collect();
    let mut arguments = vec!["run", "--agent", "nop", "--json"];
    arguments.extend(services);
    let report = environment.run(arguments).exits(1).json();
    assert_eq!(tasks(&report), shipped);
    let count = shipped.len();
    assert_eq!(
        report["summary"],
        json!({"attempts": count, "graded": count, "passed": 0})
    );
    for attempt in attempts(&report) {
        assert_eq!(attempt["agent"], "nop");
        assert_eq!(attempt["outcome"], "graded");
        assert_eq!(attempt["passed"], false);
        assert_eq!(attempt["score"], 0.0, "{}", attempt["task"]);
        assert_eq!(attempt["score_rule"], "earned");
        assert_eq!(attempt["turns"], 1);
        assert_eq!(attempt["tool_calls"], 0);
    }
}

#[test]
fn calling_tools_by_chance_passes_nothing_and_does_the_same_again() {
    let environment = Environment::new();
    let play = |selectors: &[&str]| {
        let arguments = ["run", "--agent", "random", "--json"];
        let arguments = arguments.iter().chain(selectors);
        environment.run(arguments).exits(1).json()
    };
    let shipped = shipped(&environment);
    let again = repeated(&shipped);
    let (first, second) = (play(&[]), play(&again));
    assert_eq!(first["summary"]["passed"], 0);
    assert_eq!(first["summary"]["graded"], shipped.len());
    for attempt in attempts(&first) {
        assert!(attempt["tool_calls"].as_u64().unwrap() > 10);
        let score = attempt["score"].as_f64().unwrap();
        assert!(score <= 0.02, "{}", attempt["task"]);
    }
    assert_eq!(tasks(&second), again);
    for two in attempts(&second) {
        let one = attempt_of(&first, two);
        for key in ["state", "checks", "turns", "tool_calls"] {
            assert_eq!(one[key], two[key], "{key} of {}", two["task"]);
        }
    }
}

#[test]
fn repetitions_run_side_by_side_and_end_alike() {
    let environment = Environment::new();
    let args = [
        "run",
        "filesystem/village-festival",
        "-k",
        "2",
        "-j",
        "2",
        "--json",
    ];
    let report = environment.run(args).exits(0).json();
    assert_eq!(
        report["summary"],
        json!({"attempts": 6, "graded": 6, "passed": 6})
    );
    let order: Vec<_> = attempts(&report)
        .iter()
        .map(|attempt| (text(&attempt["task"]), attempt["k"].as_u64().unwrap()))
        .collect();
    let expected: Vec<_> = [1, 2]
        .iter()
        .flat_map(|k| TASKS[3..].iter().map(|task| (task.to_string(), *k)))
        .collect();
    assert_eq!(order, expected);
    let mut states = BTreeMap::new();
    for attempt in attempts(&report) {
        let state = states
            .entry(text(&attempt["task"]))
            .or_insert(&attempt["state"]);
        assert_eq!(*state, &attempt["state"]);
    }
}

#[test]
fn selectors_choose_tasks() {
    let environment = Environment::new();
    let chosen = |args: &[&str]| {
        let args = ["run", "--agent", "nop", "--json"].iter().chain(args);
        tasks(&environment.run(args).exits(1).json())
    };
    let shipped = shipped(&environment);
    assert_eq!(chosen(&["filesystem/food-bank"]), TASKS[..3]);
    assert_eq!(chosen(&[TASKS[5]]), TASKS[5..]);
    assert_eq!(chosen(&["filesystem/*/stall-*"]), TASKS[5..]);
    assert_eq!(
        chosen(&["*/*/inbox-filing", TASKS[5]]),
        [TASKS[3], TASKS[5]]
    );
    let tagged = [
        "filesystem/*-festival/*",
        "--tier",
        "L1",
        "--tag",
        "rounding",
    ];
    assert_eq!(chosen(&tagged), [TASKS[5]]);

    let by_tier: Vec<_> = ["L1", "L2", "l3"]
        .iter()
        .map(|tier| {
            let listed = environment
                .run(["task", "list", "--tier", tier, "--json"])
                .exits(0)
                .json();
            listed.as_array().unwrap().len()
        })
        .collect();
    assert_eq!(by_tier.iter().sum::<usize>(), shipped.len());
    assert!(!by_tier.contains(&0), "each tier has a task: {by_tier:?}");
}

#[test]
fn a_selector_that_fits_nothing_is_wrong_usage() {
    let environment = Environment::new();
    for args in [
        vec!["run", "filesystem/food-bank/nothing-like-it"],
        vec!["run", "filesystem/food-bank", "--tag", "no such tag"],
        vec!["run", "slack"],
        vec!["run", "filesystem/[oops"],
        vec!["run", "--tier", "L4"],
        vec!["run", "-k", "0"],
        vec!["run", "--experiment", "../outside"],
        vec!["show", "abc123"],
        vec!["runs", "never-begun"],
        vec!["resume", "never-begun"],
        vec!["resume"],
        vec!["grade", "--state", "."],
        vec!["grade", TASKS[0], "--state", "nowhere"],
        vec!["task", "show", "filesystem/food-bank/nothing-like-it"],
        vec!["no-such-command"],
    ] {
        let output = environment.run(&args);
        assert_eq!(output.code, Some(2), "{args:?}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{args:?}");
        assert!(
            output.stderr.contains("error:"),
            "{args:?}: {}",
            output.stderr
        );
    }
    let output = environment.run(["run", "filesystem/food-bank/volunteer-hour"]);
    insta::assert_snapshot!(output.message(), @r#"
    error: selector "filesystem/food-bank/volunteer-hour" matches no task; did you mean filesystem/food-bank/volunteer-hours or filesystem/food-bank/quarter-intake or filesystem/food-bank/active-agencies?
    hint: `mcpmark task list` lists the tasks
    "#);
}

#[test]
fn an_attempt_is_shown_as_it_went() {
    let environment = Environment::new();
    let args = ["run", TASKS[5], "--json", "--experiment", "one"];
    let report = environment.run(args).exits(0).json();
    assert_eq!(report["experiment"], "one");
    let attempt = &attempts(&report)[0];
    let id = text(&attempt["id"]);

    let shown = environment.run(["show", &id, "--json"]).exits(0).json();
    for (key, value) in attempt.as_object().unwrap() {
        assert_eq!(&shown[key], value, "{key}");
    }
    assert_eq!(shown["experiment"], "one");
    let calls = shown["calls"].as_array().unwrap();
    assert_eq!(calls.len() as u64, attempt["tool_calls"].as_u64().unwrap());
    assert!(calls.iter().all(|call| call["is_error"] == false));
    let changes: Vec<_> = shown["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (text(&change["path"]), text(&change["kind"])))
        .collect();
    assert!(!changes.is_empty());

    // A prefix of the id is enough.
    let plain = environment.run(["show", &id[..6]]).exits(0).stdout;
    for (path, _) in &changes {
        assert!(plain.contains(path), "{path} is not in:\n{plain}");
    }
    for check in attempt["checks"].as_array().unwrap() {
        let name = text(&check["name"]);
        assert!(plain.contains(&name), "{name} is not in:\n{plain}");
    }
    let output = environment
        .run(["run", TASKS[5], "--experiment", "one", "--agent", "oracle"])
        .exits(0);
    insta::assert_snapshot!(output.message(), @"nothing added to experiment one: it already has the requested 1 attempt");
}

#[test]
fn a_finished_experiment_is_not_run_again() {
    let environment = Environment::new();
    let args = ["run", TASKS[5], "--json"];
    let report = environment.run(args).exits(0).json();
    let resumed = environment.run(["resume", "--json"]).exits(0).json();
    assert_eq!(resumed, report);
}

#[test]
fn a_verifier_that_breaks_is_no_failed_attempt() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    library.task("panics", &guests::own("panics.wat"));
    let report = library
        .run(["run", "--agent", "nop", "--json"])
        .exits(3)
        .json();
    assert_eq!(
        report["summary"],
        json!({"attempts": 2, "graded": 1, "passed": 1})
    );
    let broken = &attempts(&report)[1];
    assert_eq!(broken["outcome"], "verifier-fault");
    assert_eq!(broken["passed"], Value::Null);
    assert_eq!(broken["score"], Value::Null);
    assert_eq!(broken["checks"], json!([]));
    assert_eq!(keys(&broken["fault"]), ["kind", "message"]);
    assert_eq!(broken["fault"]["kind"], "trap");
    assert!(text(&broken["fault"]["message"]).contains("the ledger has no header"));

    let refused = library.run(["run", "filesystem/office/easy"]).exits(4);
    insta::assert_snapshot!(refused.message(), @r"
    error: task filesystem/office/easy has no solution, but the oracle needs one; add solution.rs, or use another --agent
    hint: choose another agent with --agent
    ");
}
