//! Reports, comparisons and exports of a generated journal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::environment::{Environment, Output};
use crate::journal;

fn environment() -> Environment {
    let environment = Environment::bare();
    journal::demonstration(&environment.home());
    environment
}

#[test]
fn a_report_goes_to_the_terminal_or_to_a_file() {
    let environment = environment();
    let text = environment.run(["report", "demonstration"]).exits(0);
    insta::assert_snapshot!(text.text());
    // Without a name, the newest experiment is reported. Both began at the same time, so it may be either.
    environment.run(["report"]).exits(0);

    let page = environment.path("report.html");
    // The extension of the file determines the format.
    let args = ["report", "demonstration", "--published", "-o"];
    let output = environment.command(args).arg(&page).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("gpt-5-medium") && page.contains("id=\"a-"));

    let json = environment
        .run(["report", "demonstration", "--format", "json"])
        .exits(0)
        .json();
    assert_eq!(json["planned"], 96);
    let refused = environment.run(["report", "nothing"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "nothing" does not exist
    hint: `mcpmark runs` lists the experiments
    "#);
}

#[test]
fn a_report_replaces_a_file_and_is_written_into_pipes() {
    let environment = environment();
    let report = |to: &Path| {
        let mut command = environment.command(["report", "demonstration", "-o"]);
        command.arg(to);
        command
    };
    let file = environment.path("report.txt");
    fs::write(&file, "old").unwrap();
    let mut old = File::open(&file).unwrap();
    Output::of(&mut report(&file)).exits(0);
    let new = fs::read_to_string(&file).unwrap();
    assert!(new.contains("pass@4"), "{new}");
    // If writing had failed, the old report would still be there.
    let mut text = String::new();
    old.read_to_string(&mut text).unwrap();
    assert_eq!(text, "old");

    let stdout = Path::new("/dev/stdout");
    let piped = Output::of(&mut report(stdout)).exits(0);
    assert_eq!(piped.stdout, new);
    let redirected = environment.path("redirected");
    let mut command = report(stdout);
    let command = command.stdout(File::create(&redirected).unwrap());
    assert!(command.status().unwrap().success());
    assert_eq!(fs::read_to_string(&redirected).unwrap(), new);
}

#[test]
fn models_are_named_after_their_experiment() {
    let environment = environment();
    let args = |b: &str| {
        ["compare", "demonstration:openai/atlas-large", b]
            .map(str::to_owned)
            .to_vec()
    };
    let text = environment
        .run(args("demonstration:local/sprig-small"))
        .exits(0);
    insta::assert_snapshot!(text.text());
    let mut json = args("efforts:openai/atlas-large (high)");
    json.push("--json".to_owned());
    let compared = environment.run(json).exits(0).json();
    assert_eq!(compared["pairs"][0]["tasks"], 12);
    let refused = environment.run(args("efforts:nobody")).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"error: experiment "efforts" does not have the model "nobody"; expected one of openai/atlas-large (high), openai/atlas-large (low), openai/atlas-large (medium)"#);
    environment.run(args("nothing:x")).exits(2);
}

#[test]
fn attempts_are_listed_with_their_models() {
    let environment = environment();
    let listed = environment.run(["runs", "demonstration"]).exits(0);
    insta::assert_snapshot!(listed.text());
}

#[test]
fn experiments_are_listed_with_who_acted_and_what_it_took() {
    let environment = environment();
    let listed = environment.run(["runs"]).exits(0).stdout;
    let row = listed
        .lines()
        .find(|line| line.starts_with("demonstration"));
    let row = row.unwrap_or_else(|| panic!("{listed}"));
    for part in ["openai/atlas-large +1", "96", "stopped", "5.02+", "54m 42s"] {
        assert!(row.contains(part), "{part:?} is not in {row:?}");
    }
    let json = environment.run(["runs", "--json"]).exits(0).json();
    let experiment = json
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["experiment"] == "efforts");
    let experiment = experiment.unwrap();
    assert_eq!(experiment["state"], "finished");
    assert_eq!(experiment["tasks"], 12);
    assert_eq!(experiment["some_cost_unknown"], true);
    // The experiments began months ago.
    let listed = environment.run(["runs", "--since", "1h"]).exits(0).stdout;
    assert_eq!(listed, "no experiment started in that time\n");
    let since = environment.run(["runs", "--since", "2026-03-01"]).exits(0);
    assert_eq!(since.stdout.lines().count(), 3);
}

#[test]
fn attempts_are_filtered_and_sorted() {
    let environment = environment();
    let rows = |args: &[&str]| {
        let mut command = vec!["runs", "demonstration", "--json"];
        command.extend(args);
        let listed = environment.run(command).exits(0).json();
        listed["attempts"].as_array().unwrap().clone()
    };
    let all = rows(&[]);
    let failed = rows(&["--failed"]);
    assert!(failed.iter().all(|row| row["passed"] != true));
    let passed = all.iter().filter(|row| row["passed"] == true).count();
    assert_eq!(failed.len(), all.len() - passed);
    let local = rows(&["--model", "SPRIG"]);
    assert!(local.iter().all(|row| row["model"] == "local/sprig-small"));
    assert_eq!(
        local.len(),
        all.iter()
            .filter(|row| row["model"] == "local/sprig-small")
            .count()
    );
    let of_world = rows(&["--task", "filesystem/harbour", "--task", "github"]);
    assert!(!of_world.is_empty() && of_world.len() < all.len());
    for row in &of_world {
        let task = row["task"].as_str().unwrap();
        assert!(
            task.starts_with("filesystem/harbour/") || task.starts_with("github/"),
            "{task}"
        );
    }
    assert_eq!(rows(&["--failed", "-n", "2"]).len(), 2);
    // Turns and cost are sorted in descending order, scores in ascending order. No row is lost, and equal rows keep
    // their order.
    for (order, key) in [("turns", "turns"), ("cost", "cost_usd"), ("score", "score")] {
        let sorted = rows(&["--sort", order]);
        let mut expected = all.clone();
        let value = |row: &Value| row[key].as_f64().unwrap_or(-1.0);
        expected.sort_by(|a, b| {
            let (low, high) = if order == "score" { (a, b) } else { (b, a) };
            value(low).total_cmp(&value(high))
        });
        assert!(expected != all && sorted == expected, "{order}");
    }

    let listed = environment.run([
        "runs",
        "demonstration",
        "--class",
        "abandoned",
        "--sort",
        "turns",
    ]);
    let listed = listed.exits(0);
    let results: Vec<&str> = listed.stdout.lines().skip(1).collect();
    assert!(
        results.len() > 1 && results.iter().all(|line| line.contains("fail: abandoned")),
        "{results:?}"
    );
    let note = format!("{} of 95 attempts", results.len());
    assert!(listed.stderr.contains(&note), "{}", listed.stderr);
    let refused = environment
        .run(["runs", "demonstration", "--class", "abandonned"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: unknown class or outcome "abandonned"
    hint: expected one of implicit, abandoned, premature-stop, malformed-calls, context-overflow, turn-limit, time-limit, budget-limit, graded, state-fault, verifier-fault, held-back, infra-error, invalid-task, cancelled, running, cut off
    "#);

    // Filters without a name apply to the experiment that began last.
    let newest = environment.run(["runs", "latest"]).exits(0).stdout;
    let failed = environment.run(["runs", "--failed"]).exits(0).stdout;
    assert!(
        failed
            .lines()
            .skip(1)
            .all(|line| newest.contains(line.split_whitespace().next().unwrap()))
    );
    let refused = environment
        .run(["runs", "--failed", "--since", "1h"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: --since selects experiments, but filters on attempts apply to one experiment
    hint: name the experiment, or omit --since to use the latest one
    ");
    let shown = environment.run(["show", "latest"]).exits(0).stdout;
    let id = shown
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .last()
        .unwrap()
        .to_owned();
    assert!(newest.contains(&id), "{id}");
    environment.run(["report", "latest"]).exits(0);
    let shown = environment
        .run(["show", "--failed", "--model", "atlas"])
        .exits(0)
        .stdout;
    assert!(
        shown.contains("result      fail") && shown.contains("atlas"),
        "{shown}"
    );
    let refused = environment.run(["show", "--model", "nobody"]).exits(2);
    // Both experiments began at the same time, so either is the latest.
    let message = refused.message().replace("efforts", "demonstration");
    insta::assert_snapshot!(message, @r#"
    error: no attempt of experiment "demonstration" matches the filters
    hint: `mcpmark runs demonstration` lists them
    "#);
    let refused = environment.run(["show", &id, "--failed"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: filters select among the attempts of the latest experiment, but an attempt is named
    hint: omit the attempt or the filters; `mcpmark runs EXPERIMENT` also takes filters
    ");
    let compared = [
        "compare",
        "latest:openai/atlas-large (high)",
        "demonstration:local/sprig-small",
    ];
    environment.run(compared).exits(0);
}

#[test]
fn output_to_no_terminal_is_whole_unless_a_width_is_set() {
    let environment = environment();
    let letters = |text: &str| {
        let mut counts = BTreeMap::new();
        for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
            *counts.entry(letter).or_insert(0) += 1;
        }
        counts
    };
    for args in [
        &["report", "demonstration"][..],
        &[
            "compare",
            "demonstration:local/sprig-small",
            "efforts:openai/atlas-large (high)",
        ],
        &["runs", "demonstration"],
        &["runs"],
    ] {
        let whole = environment.run(args).exits(0).stdout;
        for columns in [100, 70] {
            let mut command = environment.command(args);
            command.env("COLUMNS", columns.to_string());
            let narrow = Output::of(&mut command).exits(0).stdout;
            for line in narrow.lines() {
                assert!(line.chars().count() <= columns, "{line}");
            }
            // Each block repeats the labels.
            let shown = letters(&narrow);
            for (letter, count) in letters(&whole) {
                assert!(shown.get(&letter) >= Some(&count), "{letter:?}: {narrow}");
            }
            assert!(!narrow.contains('…'), "{narrow}");
        }
    }
    let listed = environment.run(["runs", "demonstration"]).exits(0).stdout;
    assert_eq!(listed.lines().count(), 96, "{listed}");
}

#[test]
fn exports_say_what_they_leave_out() {
    let environment = environment();
    let export = |format: &str, name: &str| {
        let args = ["export", "demonstration", "--format", format, "-o"];
        crate::environment::Output::of(environment.command(args).arg(environment.path(name)))
    };
    let output = export("mcpmark", "results").exits(0);
    insta::assert_snapshot!(output.message(), @"[dir]/results: 93 attempts, 2 left out: 2 not graded");
    let output = export("atif", "atif").exits(0);
    insta::assert_snapshot!(output.message(), @"[dir]/atif: 95 attempts");
    let output = export("sft", "train.jsonl").exits(0);
    insta::assert_snapshot!(output.message(), @"[dir]/train.jsonl: 43 attempts, 52 left out: 2 not graded, 50 did not pass");
    let refused = export("sft", "train.jsonl").exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/train.jsonl already exists; choose a new file");
    let refused = export("atif", "results").exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/results already exists and is not empty; choose a new directory");
}

#[test]
fn an_attempt_is_shown_with_the_class_of_its_failure() {
    let environment = environment();
    let json = environment
        .run(["report", "demonstration", "--format", "json"])
        .exits(0)
        .json();
    let attempts = json["models"][1]["matrix"].as_array().unwrap().iter();
    let abandoned = attempts
        .flat_map(|cell| cell["attempts"].as_array().unwrap())
        .find(|attempt| attempt["failure"]["class"] == "abandoned")
        .unwrap();
    let id = abandoned["id"].as_str().unwrap();
    let shown = environment.run(["show", id]).exits(0).stdout;
    assert!(
        shown.contains("abandoned: it says that it cannot"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'));
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(shown["failure"]["class"], "abandoned");
}
