//! Reports and comparisons across experiments.

use serde_json::Value;

use super::{idle, library, run};
use crate::environment::Environment;
use crate::guests;
use crate::library::Library;

/// Runs two experiments. In the second, a task has changed, a limit is set, and the agent has another setting.
fn two<'a>(environment: &'a Environment) -> Library<'a> {
    let library = library(environment, &["a", "b"]);
    let server = idle();
    let first = ["--agent", "nop", "--model", "openai/m", "--experiment", "A"];
    run(&library, &server, &first).exits(0);
    let verifier = library.task_dir("b").join("verifier.wasm");
    std::fs::write(verifier, guests::verdict(false, "another")).unwrap();
    let second = [
        "--agent",
        "nop",
        "--model",
        "openai/m",
        "--experiment",
        "B",
        "--limit-turns",
        "7",
        "--compact-at",
        "90000",
    ];
    run(&library, &server, &second).exits(1);
    library
}

fn difference<'a>(differences: &'a Value, what: &str) -> Vec<&'a str> {
    let differences = differences.as_array().unwrap();
    let found = differences.iter().find(|one| one["what"] == what);
    let found = found.unwrap_or_else(|| panic!("{what}: {differences:?}"));
    let values = found["values"].as_array().unwrap().iter();
    values.map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn several_experiments_stand_in_one_report_with_what_differs() {
    let environment = Environment::new();
    let library = two(&environment);
    let text = library.run(["report", "A", "B"]).exits(0).stdout;
    for words in [
        "A:nop",
        "A:openai/m",
        "B:nop",
        "B:openai/m",
        "What differs",
        "limit turns",
        "settings of agent mcpmark",
        "task filesystem/office/b",
        "8 of 8 attempts graded",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    let json = ["report", "A", "B", "--format", "json"];
    let report = library.run(json).exits(0).json();
    let differences = &report["differences"];
    assert_eq!(difference(differences, "limit turns"), ["not set", "7"]);
    let digests = difference(differences, "task filesystem/office/b");
    let digests = [digests[0], digests[1]];
    assert_ne!(digests[0], digests[1]);
    assert_eq!(
        difference(differences, "settings of agent mcpmark"),
        [
            "{\"max-result-bytes\":65536}",
            "{\"compact-at\":90000,\"max-result-bytes\":65536}"
        ]
    );
    // The changed task counts as two tasks, each of which is paired only within its experiment.
    let tasks: Vec<&str> = report["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["id"].as_str().unwrap())
        .collect();
    let versions = digests.map(|digest| format!("filesystem/office/b@{digest}"));
    assert_eq!(tasks, ["filesystem/office/a", &versions[0], &versions[1]]);
    let paired = |a: &str, b: &str| {
        let pairs = report["comparisons"].as_array().unwrap().iter();
        let both = [a, b];
        let mut of_both = pairs.filter(|pair| {
            both.contains(&pair["a"].as_str().unwrap())
                && both.contains(&pair["b"].as_str().unwrap())
        });
        of_both.next().unwrap()["tasks"].clone()
    };
    assert_eq!(paired("A:nop", "A:openai/m"), 2);
    assert_eq!(paired("A:nop", "B:nop"), 1);
    let models = report["models"].as_array().unwrap().iter();
    let of_b: Vec<&Value> = models.filter(|model| model["experiment"] == "B").collect();
    assert!(
        of_b.iter()
            .all(|model| model["overall"]["score"]["graded"] == 2)
    );

    let page = library
        .run(["report", "A", "B", "--format", "html"])
        .exits(0)
        .stdout;
    assert!(page.contains("What differs") && page.contains("B:openai/m"));
    let rows = library
        .run(["report", "B", "A", "--format", "csv"])
        .exits(0)
        .stdout;
    assert!(rows.contains("mcpmark,A,openai/m,") && rows.contains("mcpmark,B,nop,"));
    let refused = library.run(["report", "A", "A"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: experiment "A" is named twice"#);
    let refused = library.run(["report", "A", "C"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "C" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);
}

#[test]
fn a_comparison_across_experiments_tells_what_differs() {
    let environment = Environment::new();
    let library = two(&environment);
    let compared = library.run(["compare", "B:openai/m", "A:openai/m", "--json"]);
    let compared = compared.exits(0).json();
    let pair = &compared["pairs"][0];
    assert_eq!((&pair["tasks"], &pair["left_out"]), (&1.into(), &2.into()));
    assert_eq!(
        difference(&pair["differences"], "limit turns"),
        ["7", "not set"]
    );
    assert_eq!(
        difference(&pair["differences"], "agent settings"),
        [
            "{\"compact-at\":90000,\"max-result-bytes\":65536}",
            "{\"max-result-bytes\":65536}"
        ]
    );
    // Without names, the participants of both experiments are compared: the baseline and the model.
    let text = library.run(["compare", "A", "B"]).exits(0).stdout;
    assert_eq!(text.matches("what differs beside:").count(), 2, "{text}");
    assert!(text.contains("task filesystem/office/b"), "{text}");

    let b = [
        "run",
        "--agent",
        "nop",
        "filesystem/office/b",
        "--experiment",
        "C",
    ];
    library.run(b).exits(1);
    let refused = library.run(["compare", "A:nop", "C"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: A:nop and C:nop have no common task with a grade of each; one task has the same name and different digests
    hint: a comparison pairs graded attempts of the same tasks
    ");
    // The same task: B has another limit than C, and D has the conditions of C.
    let text = library.run(["compare", "B:nop", "C"]).exits(0).stdout;
    assert!(text.contains("limit turns"), "{text}");
    let same = [
        "run",
        "--agent",
        "nop",
        "--experiment",
        "D",
        "filesystem/office/b",
    ];
    library.run(same).exits(1);
    let text = library.run(["compare", "C", "D"]).exits(0).stdout;
    assert!(
        text.contains("agents, settings, tasks, attempts, limits and engine do not differ"),
        "{text}"
    );
    // More tasks, and more attempts of each.
    let more = ["run", "--agent", "nop", "--experiment", "E", "-k", "2"];
    library.run(more).exits(1);
    let json = ["report", "D", "E", "--format", "json"];
    let report = library.run(json).exits(0).json();
    let differences = &report["differences"];
    assert_eq!(
        difference(differences, "tasks"),
        ["1", "2, 1 of them not in all"]
    );
    assert_eq!(difference(differences, "attempts of a task"), ["1", "2"]);
    let text = library.run(["report", "D", "E"]).exits(0).stdout;
    assert!(!text.contains("do not differ"), "{text}");
    assert!(text.contains("not in all"), "{text}");
    let text = library.run(["compare", "D", "E"]).exits(0).stdout;
    for words in ["attempts of a task", "not in all"] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
}
