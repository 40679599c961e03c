//! Scores of attempts, and score rules.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, components, copy_tree, repository, text};
use crate::guests;
use crate::library::Library;

const PLACE: &str = "filesystem/village-festival";
const TASK: &str = "filesystem/village-festival/stall-balances";
const REPORT: &str = "04 Stalls/balances 2025.csv";

fn files() -> PathBuf {
    repository().join("worlds").join(PLACE).join("files")
}

/// Creates a state in which one of the 15 checks that can be earned is earned.
fn begun(environment: &Environment) -> PathBuf {
    let state = environment.directory("state", &[]);
    copy_tree(&files(), &state);
    fs::write(state.join(REPORT), "ref,trader,fee,paid,balance\n").unwrap();
    state
}

fn grade(environment: &Environment, state: &Path, more: &[&str]) -> (Value, String) {
    let args = ["grade", "--state", state.to_str().unwrap()];
    let args: Vec<&str> = args.iter().chain(more).copied().collect();
    let report = environment.run(args.iter().chain(&["--json"])).exits(1);
    (report.json(), environment.run(&args).exits(1).stdout)
}

fn score(report: &Value) -> (f64, String) {
    (
        report["score"].as_f64().unwrap(),
        text(&report["score_rule"]),
    )
}

#[test]
fn checks_held_at_the_start_earn_nothing_and_cost_everything() {
    let environment = Environment::new();
    let state = begun(&environment);
    let (report, told) = grade(&environment, &state, &[TASK]);
    assert_eq!(score(&report), (1.0 / 15.0, "earned".to_owned()));
    let line = "failed: 2 of 16 checks passed, score 0.067 (1 of them passed on the starting state and earns nothing)\n";
    assert!(told.ends_with(line), "{told}");

    fs::write(state.join("04 Stalls/more.txt"), "nobody asked for this").unwrap();
    let (report, told) = grade(&environment, &state, &[TASK]);
    assert_eq!(score(&report), (0.0, "earned".to_owned()));
    let line = "failed: 1 of 16 checks passed, score 0.000 (\"nothing else changed\" passed on the starting state and fails now)\n";
    assert!(told.ends_with(line), "{told}");
}

#[test]
fn without_a_starting_state_the_score_is_the_share_of_checks() {
    let environment = Environment::new();
    let state = begun(&environment);
    let judge = environment.path("judge.wasm");
    fs::write(&judge, guests::verdict(false, "no")).unwrap();
    let bare = ["--verifier", judge.to_str().unwrap()];
    let (report, _) = grade(&environment, &state, &bare);
    assert_eq!(score(&report), (0.0, "share".to_owned()));

    let verifier = &components()[&format!("tasks/{TASK}/verifier.rs")];
    let verifier = ["--verifier", verifier.to_str().unwrap()];
    let start = files();
    let named = [verifier[0], verifier[1], "--start", start.to_str().unwrap()];
    let (report, _) = grade(&environment, &state, &named);
    assert_eq!(score(&report), (1.0 / 15.0, "earned".to_owned()));
}

/// Creates a library with the task, whose `meta.json` has the key `score`.
fn library<'a>(environment: &'a Environment, settings: &Value) -> Library<'a> {
    let library = Library::new(environment);
    library.shipped_world(PLACE);
    let dir = library.root.join("tasks").join(TASK);
    fs::create_dir_all(&dir).unwrap();
    let from = repository().join("tasks").join(TASK);
    fs::copy(from.join("description.md"), dir.join("description.md")).unwrap();
    let meta = fs::read_to_string(from.join("meta.json")).unwrap();
    let mut meta: Value = serde_json::from_str(&meta).unwrap();
    meta["score"] = settings.clone();
    fs::write(dir.join("meta.json"), meta.to_string()).unwrap();
    for guest in ["verifier", "solution"] {
        let built = &components()[&format!("tasks/{TASK}/{guest}.rs")];
        fs::copy(built, dir.join(format!("{guest}.wasm"))).unwrap();
    }
    library
}

#[test]
fn a_task_weighs_its_checks_and_has_gates() {
    let environment = Environment::new();
    let settings = json!({"weights": {"columns of the balances": 6}});
    let library = library(&environment, &settings);
    let state = begun(&environment);
    let args = ["grade", TASK, "--state", state.to_str().unwrap()];
    let report = library.run(args.iter().chain(&["--json"])).exits(1).json();
    assert_eq!(score(&report), (6.0 / 20.0, "earned".to_owned()));

    let meta = library.root.join("tasks").join(TASK).join("meta.json");
    let mut gated: Value = serde_json::from_str(&fs::read_to_string(&meta).unwrap()).unwrap();
    gated["score"]["gate"] = json!(["fees"]);
    fs::write(&meta, gated.to_string()).unwrap();
    let told = library.run(args).exits(1).stdout;
    let line = "score 0.000 (\"fees\" is required for any score)\n";
    assert!(told.ends_with(line), "{told}");
    let run = ["run", TASK, "--agent", "oracle", "--json"];
    let solved = library.run(run).exits(0).json();
    assert_eq!(score(&solved["attempts"][0]), (1.0, "earned".to_owned()));
}

#[test]
fn a_check_tells_of_weights_and_gates_that_name_nothing() {
    let environment = Environment::new();
    let settings = json!({"weights": {"fee": 2}, "gate": ["fees"]});
    let library = library(&environment, &settings);
    let told = library.run(["task", "check"]).exits(1).stdout;
    let line =
        "\"score\" names checks of the verifier: the verifier does not have the check \"fee\"";
    assert!(told.contains(line), "{told}");
}

/// Joins a text into one line with single blanks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Attempts of an earlier version, which had only the score rule `share`, keep their scores, and reports distinguish
/// them.
#[test]
fn older_grades_keep_their_scores_until_they_are_regraded() {
    let environment = Environment::new();
    let run = ["run", TASK, "--agent", "nop", "--experiment", "e", "--json"];
    environment.run(run).exits(1);
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    journal
        .execute_batch(
            "UPDATE grades SET score = 0.0625, sum = NULL;
             UPDATE attempts SET score = 0.0625, sum = NULL;
             ALTER TABLE grades DROP COLUMN scoring;
             ALTER TABLE grades DROP COLUMN interfaces;
             PRAGMA user_version = 9;",
        )
        .unwrap();
    drop(journal);
    let only = |command: &[&str]| environment.run(command).exits(0).json()["attempts"][0].clone();
    let before = only(&["runs", "e", "--json"]);
    assert_eq!(score(&before), (0.0625, "share".to_owned()));
    let report = words(&environment.run(["report", "e"]).exits(0).stdout);
    assert!(
        report.contains("Scores are shares of all checks"),
        "{report}"
    );

    environment.run(["regrade", "e"]).exits(0);
    let after = only(&["runs", "e", "--json"]);
    assert_eq!(score(&after), (0.0, "earned".to_owned()));
    let report = words(&environment.run(["report", "e"]).exits(0).stdout);
    assert!(!report.contains("shares of all checks"), "{report}");
}

/// The rule and the inputs of a score are exported with an experiment, and checks compare the score with them.
#[test]
fn an_imported_score_follows_from_its_checks() {
    let environment = Environment::new();
    let run = ["run", TASK, "--agent", "nop", "--experiment", "e", "--json"];
    environment.run(run).exits(1);
    let file = environment.path("e.tar");
    let file = file.to_str().unwrap();
    environment
        .run(["store", "export", "e", "-o", file])
        .exits(0);
    let other = Environment::new();
    other.run(["store", "import", file]).exits(0);
    let report = other.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(score(&report["attempts"][0]), (0.0, "earned".to_owned()));
    other.run(["store", "check"]).exits(0);

    let journal = Connection::open(other.home().join("journal.db")).unwrap();
    journal
        .execute_batch(
            "UPDATE grades SET score = 0.5, sum = NULL; UPDATE attempts SET score = 0.5, sum = NULL;",
        )
        .unwrap();
    drop(journal);
    let told = other.run(["store", "check"]).exits(5).stdout;
    assert!(
        told.contains("contradicts the rows that it is derived from"),
        "{told}"
    );
    other
        .run(["store", "export", "e", "-o", file, "--force"])
        .exits(0);
    let third = Environment::new();
    let refused = third.run(["store", "import", file]).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/e.tar: a grade of attempt [id] contradicts its checks or the outcome of the attempt");
}
