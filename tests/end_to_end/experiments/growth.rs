//! Experiments to which tasks, agents, models and attempts are added.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{idle, library, listed, plan, run};
use crate::environment::{Environment, Output, write_files};
use crate::guests;

/// Returns the ids of the attempts, and whether each passed.
fn finished(report: &Value) -> Vec<(String, bool)> {
    let attempts = report["attempts"].as_array().unwrap().iter();
    attempts
        .map(|attempt| {
            let passed = attempt["passed"].as_bool().unwrap();
            (attempt["id"].as_str().unwrap().to_owned(), passed)
        })
        .collect()
}

#[test]
fn an_experiment_gets_tasks_participants_and_attempts_and_repeats_nothing() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    let server = idle();
    let begin = ["--agent", "nop", "--experiment", "e", "filesystem/office/a"];
    let begun = library
        .run(["run", "--json"].iter().chain(&begin))
        .exits(0)
        .json();
    assert_eq!(plan(&begun), ["a nop 1"]);
    let mut before = finished(&begun);

    let mut transcript = String::new();
    for (args, expected) in [
        // Another task, for the existing participants.
        (&["filesystem/office/b"][..], &["b nop 1"][..]),
        // A model and a baseline, on one of the tasks.
        (
            &[
                "--model",
                "openai/m",
                "--agent",
                "random",
                "filesystem/office/b",
            ],
            &["b random 1", "b openai/m 1"],
        ),
        // Existing attempts are not made again.
        (
            &["--agent", "nop", "--agent", "random", "-k", "2"],
            &[
                "a random 1",
                "a nop 2",
                "a random 2",
                "b nop 2",
                "b random 2",
            ],
        ),
        // More attempts of each existing pair of task and participant: only the model on its one task lacks one.
        (&["-k", "2"], &["b openai/m 2"]),
        (&["-k", "1"], &[]),
        (&[], &[]),
    ] {
        let named = ["--experiment", "e"];
        let args: Vec<&str> = named.iter().chain(args).copied().collect();
        let output = if args.contains(&"openai/m") {
            run(&library, &server, &args)
        } else {
            // The experiment's own models need no option.
            library.run(["run", "--json"].iter().chain(&args))
        };
        let output = output.exits(0);
        transcript += &output.transcript();
        let report = output.json();
        assert_eq!(plan(&report)[before.len()..], *expected, "{args:?}");
        let after = finished(&report);
        assert_eq!(after[..before.len()], before, "{args:?}");
        before = after;
    }
    insta::assert_snapshot!(
        "an_experiment_gets_tasks_participants_and_attempts_and_repeats_nothing",
        transcript
    );
    let report = listed(&library, "e");
    assert_eq!(report["spec"]["tasks"].as_array().unwrap().len(), 2);
    let tries = Connection::open(environment.home().join("journal.db")).unwrap();
    let tries: i64 = tries
        .query_row("SELECT count(*) FROM attempts", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tries, 10);
    // The report expects only the planned attempts of each participant, not every combination.
    let text = library.run(["report", "e"]).exits(0).stdout;
    assert!(text.contains("10 of 10 attempts graded"), "{text}");

    // The experiment can be exported and imported like any other.
    let file = environment.path("e.mcpmark");
    let file = file.to_str().unwrap();
    library.run(["store", "export", "e", "-o", file]).exits(0);
    let machine = Environment::new();
    machine.run(["store", "import", file]).exits(0);
    let imported = machine.run(["runs", "e", "--json"]).exits(0).json();
    assert_eq!(imported["attempts"], report["attempts"]);
    // The other machine has not agreed to requests to the model.
    let mut command = machine.command(["run", "--experiment", "e", "-k", "3"]);
    let refused = Output::of(command.env("MCPMARK_ROOT", &library.root)).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: experiment "e" was imported, and its plan would
      send requests to model openai/m at http://127.0.0.1:[port]/v1
    hint: to accept the plan, run `mcpmark resume e --accept-plan [id]`; `--tasks PLACE` uses your own tasks
    "#);
    library.run(["regrade", "e"]).exits(0);
}

#[test]
fn a_grown_plan_is_kept_before_its_attempts_begin() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let args = ["--agent", "nop", "--experiment", "e"];
    library.run(["run"].iter().chain(&args)).exits(0);
    // Nothing listens at the address of the model. Without a preflight, that is noticed only when its attempt has
    // begun.
    let file = environment.path("e.toml");
    let text = "experiment = \"e\"\nretries = 0\n[[models]]\nname = \"openai/m\"\n\
                base-url = \"http://127.0.0.1:9/v1\"\n";
    write_files(&environment.path(""), &[("e.toml", text)]);
    let grow = ["run", "--no-preflight", "--config", file.to_str().unwrap()];
    let refused = library.run(grow).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    1 attempt added to the 1 of experiment e with 1 new participant
    warning: model openai/m: its price is unknown, so its cost is not computed; set prices with --prices FILE
    2/2 infra-error filesystem/office/a  openai/m  [id]  0 calls
           infra: model-error: connection: cannot connect
    1 attempt ended with infra-error; `mcpmark resume e` repeats them
    ");
    let report = listed(&library, "e");
    assert_eq!(plan(&report), ["a nop 1", "a openai/m 1"]);
    assert_eq!(report["attempts"][1]["outcome"], "infra-error");
    assert_eq!(
        report["summary"],
        json!({"attempts": 2, "graded": 1, "passed": 1})
    );
    // The same command adds nothing, and retries the attempt as `resume` does.
    let refused = library.run(grow).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    nothing added to experiment e: it already has the requested 1 attempt
    warning: model openai/m: its price is unknown, so its cost is not computed; set prices with --prices FILE
    2/2 infra-error filesystem/office/a  openai/m  [id]  0 calls
           infra: model-error: connection: cannot connect
    1 attempt ended with infra-error; `mcpmark resume e` repeats them
    ");
}

#[test]
fn a_model_that_has_finished_needs_no_key_to_be_added_to() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = idle();
    let url = server.base_url();
    let begin = [
        "run",
        "--model",
        "openai/m",
        "--base-url",
        &url,
        "--api-key-env",
        "KEY_OF_MINE",
        "--experiment",
        "e",
    ];
    let mut command = library.command(begin);
    Output::of(command.env("KEY_OF_MINE", "key-123456")).exits(0);
    let add = ["run", "--agent", "nop", "--experiment", "e"];
    library.run(add).exits(0);
    let refused = library
        .run(["run", "--experiment", "e", "-k", "2"])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: openai/m: the environment variable KEY_OF_MINE is not set, but openai requires a key
    hint: export KEY_OF_MINE=…
    ");
    assert_eq!(listed(&library, "e")["summary"]["attempts"], 2);
}

#[test]
fn changes_that_would_make_attempts_differ_are_refused() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let begin = [
        "run",
        "--agent",
        "nop",
        "--experiment",
        "e",
        "--limit-turns",
        "7",
        "--limit-tool-time",
        "9",
    ];
    library.run(begin).exits(0);
    let kept = listed(&library, "e")["spec"].clone();
    let other = environment.directory("elsewhere", &[("meta.json", "{}")]);
    let other = other.to_str().unwrap();
    let mut transcript = String::new();
    for args in [
        &["--limit-turns", "8"][..],
        &["--limit-time", "8"],
        &["--compact-at", "8"],
        &["--tasks", other],
        &["filesystem/office/none"],
    ] {
        let named = ["run", "--experiment", "e"];
        let refused = library.run(named.iter().chain(args)).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "changes_that_would_make_attempts_differ_are_refused",
        transcript
    );
    assert_eq!(listed(&library, "e")["spec"], kept);
    // Equal or absent limits of an attempt are accepted. Limits of the experiment may change.
    let same = [
        "run",
        "--experiment",
        "e",
        "-k",
        "2",
        "--limit-turns",
        "7",
        "--limit-run-time",
        "600",
    ];
    library.run(same).exits(0);
    let spec = listed(&library, "e")["spec"].clone();
    assert_eq!(spec["limits"]["turns"], 7);
    assert_eq!(spec["limits"]["experiment_time_seconds"], 600);

    // Attempts at a changed task are not added to those at the earlier version.
    let verifier = library.task_dir("a").join("verifier.wasm");
    std::fs::write(&verifier, guests::verdict(true, "another")).unwrap();
    let refused = library
        .run(["run", "--experiment", "e", "-k", "3"])
        .exits(4);
    insta::assert_snapshot!(refused.message(), @r#"
    error: 1 of 1 tasks differ from those that experiment "e" was started with:
      filesystem/office/a: expected sha256:[digest], found sha256:[digest]
    hint: `mcpmark resume e` repeats the attempts of changed tasks; `mcpmark run --experiment OTHER` starts another experiment
    "#);
    assert_eq!(listed(&library, "e")["summary"]["attempts"], 2);
    let output = library.run(["resume", "e"]).exits(0);
    insta::assert_snapshot!(output.message(), @r"
    2 attempts of a task that has changed: repeated
    1/2 pass filesystem/office/a  [id]  0 calls
    2/2 pass filesystem/office/a #2  [id]  0 calls
    ");
    library
        .run(["run", "--experiment", "e", "-k", "3"])
        .exits(0);
}

#[test]
fn a_dry_run_tells_what_would_be_added() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    library
        .run(["run", "--agent", "nop", "--experiment", "e"])
        .exits(0);
    let dry = ["run", "--dry-run", "--experiment", "e", "-k", "3"];
    let output = library.run(dry).exits(0);
    insta::assert_snapshot!(output.message(), @"4 attempts added to the 2 of experiment e; of the requested 6 attempts, 2 existed already");
    assert!(
        output.stdout.starts_with("4 attempts of 2 tasks\n"),
        "{output:?}"
    );
    let json = library.run(dry.iter().chain(&["--json"])).exits(0).json();
    assert_eq!(json["attempts"], 4);
    // The globs of tools are checked as in the run itself.
    let server = idle();
    let model = ["--model", "openai/m", "--tools", "nosuch*"];
    let dry = ["--dry-run", "--experiment", "e"];
    let refused = run(&library, &server, &[dry.as_slice(), &model].concat()).exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: --tools: "nosuch*" matches no tool; the tools are create_directory, directory_tree, edit_file, get_file_info, list_allowed_directories, list_directory, list_directory_with_sizes, move_file, read_file, read_media_file, read_multiple_files, read_text_file, search_files, write_file
    hint: nothing was run
    "#);
    assert_eq!(listed(&library, "e")["summary"]["attempts"], 2);
}

#[test]
fn costs_of_one_model_are_reckoned_with_one_price() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = idle();
    let prices = |name: &str, row: &str| {
        write_files(&environment.path(""), &[(name, row)]);
        environment.path(name).to_str().unwrap().to_owned()
    };
    let one = prices("one.csv", "openai/m,1,1,1\n");
    let args = ["--model", "openai/m", "--prices", &one, "--experiment", "e"];
    run(&library, &server, &args).exits(0);
    let other = prices("other.csv", "openai/m,2,1,1\nopenai/n,3,3,3\n");
    let refused = library
        .run(["run", "--experiment", "e", "--prices", &other])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @r#"
    error: the price of openai/m of experiment "e" is 1,1,1, but 2,1,1 was requested
    hint: omit --prices to use the value of the experiment, or name another experiment
    "#);
    // The price of another model is not a conflict.
    let new = prices("new.csv", "openai/n,3,3,3\n");
    let args = ["--model", "openai/n", "--prices", &new, "--experiment", "e"];
    let report = run(&library, &server, &args).exits(0).json();
    let prices = report["spec"]["prices"].as_array().unwrap();
    assert_eq!(prices.len(), 2, "{prices:?}");
}
