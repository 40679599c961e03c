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

    for (args, told, expected) in [
        // Another task, for the existing participants.
        (
            &["filesystem/office/b"][..],
            "1 attempt added to the 1 of experiment e with 1 new task",
            &["b nop 1"][..],
        ),
        // A model and a baseline, on one of the tasks.
        (
            &[
                "--model",
                "openai/m",
                "--agent",
                "random",
                "filesystem/office/b",
            ],
            "2 attempts added to the 2 of experiment e with 2 new participants",
            &["b random 1", "b openai/m 1"],
        ),
        // Existing attempts are not made again.
        (
            &["--agent", "nop", "--agent", "random", "-k", "2"],
            "5 attempts added to the 4 of experiment e; of the requested 8 attempts, 3 existed already",
            &[
                "a random 1",
                "a nop 2",
                "a random 2",
                "b nop 2",
                "b random 2",
            ],
        ),
        // More attempts of each existing pair of task and participant: only the model on its one task lacks one.
        (
            &["-k", "2"],
            "1 attempt added to the 9 of experiment e; of the requested 10 attempts, 9 existed already",
            &["b openai/m 2"],
        ),
        (
            &["-k", "1"],
            "nothing added to experiment e: it already has the requested 5 attempts",
            &[],
        ),
        (&[], "nothing added to experiment e", &[]),
    ] {
        let named = ["--experiment", "e"];
        let args: Vec<&str> = named.iter().chain(args).copied().collect();
        let output = if args.contains(&"openai/m") {
            run(&library, &server, &args)
        } else {
            // The experiment's own models need no option.
            library.run(["run", "--json"].iter().chain(&args))
        };
        let output = output.exits(0).says(&[told]);
        let report = output.json();
        assert_eq!(plan(&report)[before.len()..], *expected, "{args:?}");
        let after = finished(&report);
        assert_eq!(after[..before.len()], before, "{args:?}");
        before = after;
    }
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
    Output::of(command.env("MCPMARK_ROOT", &library.root))
        .exits(2)
        .says(&[
            "was imported",
            "send requests to model openai/m at",
            "mcpmark resume e --accept-plan",
        ]);
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
    library
        .run(grow)
        .exits(5)
        .says(&["1 attempt added", "mcpmark resume e"]);
    let report = listed(&library, "e");
    assert_eq!(plan(&report), ["a nop 1", "a openai/m 1"]);
    assert_eq!(report["attempts"][1]["outcome"], "infra-error");
    assert_eq!(
        report["summary"],
        json!({"attempts": 2, "graded": 1, "passed": 1})
    );
    // The same command adds nothing, and retries the attempt as `resume` does.
    library
        .run(grow)
        .exits(5)
        .says(&["nothing added to experiment e: it already has the requested 1 attempt"]);
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
    library
        .run(["run", "--experiment", "e", "-k", "2"])
        .exits(2)
        .says(&["KEY_OF_MINE"]);
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
    for (args, told) in [
        (
            &["--limit-turns", "8"][..],
            &[
                "the limit turns of experiment \"e\" is 7, but 8 was requested",
                "omit --limit-turns",
            ][..],
        ),
        (
            &["--limit-time", "8"],
            &["the limit time of experiment \"e\" is not set, but 8 s was requested"],
        ),
        (
            &["--compact-at", "8"],
            &["--compact-at: no agent or model is named"],
        ),
        (
            &["--tasks", other],
            &[
                "the tasks of experiment \"e\" are in a library",
                "mcpmark report A B",
            ],
        ),
        (&["filesystem/office/none"], &["filesystem/office/none"]),
    ] {
        let named = ["run", "--experiment", "e"];
        library.run(named.iter().chain(args)).exits(2).says(told);
    }
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
    library
        .run(["run", "--experiment", "e", "-k", "3"])
        .exits(4)
        .says(&[
            "1 of 1 tasks differ",
            "mcpmark resume e",
            "--experiment OTHER",
        ]);
    assert_eq!(listed(&library, "e")["summary"]["attempts"], 2);
    library
        .run(["resume", "e"])
        .exits(0)
        .says(&["of a task that has changed: repeated"]);
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
    let output = library
        .run(dry)
        .exits(0)
        .says(&["4 attempts added to the 2 of experiment e"]);
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
    run(&library, &server, &[dry.as_slice(), &model].concat())
        .exits(2)
        .says(&["\"nosuch*\" matches no tool"]);
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
    library
        .run(["run", "--experiment", "e", "--prices", &other])
        .exits(2)
        .says(&["the price of openai/m of experiment \"e\" is 1,1,1, but 2,1,1 was requested"]);
    // The price of another model is not a conflict.
    let new = prices("new.csv", "openai/n,3,3,3\n");
    let args = ["--model", "openai/n", "--prices", &new, "--experiment", "e"];
    let report = run(&library, &server, &args).exits(0).json();
    let prices = report["spec"]["prices"].as_array().unwrap();
    assert_eq!(prices.len(), 2, "{prices:?}");
}
