//! Several agents and models in one experiment.

use mcpmark_model_server::Reaction;
use rusqlite::Connection;
use serde_json::json;

use super::{idle, library, plan, run};
use crate::environment::{Environment, write_files};
use crate::models::{is_shown_nowhere, serve};

#[test]
fn baselines_and_models_are_rows_of_one_experiment() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    let server = idle();
    let args = [
        "--agent",
        "nop",
        "--agent",
        "random",
        "--model",
        "openai/m",
        "--model",
        "openai/n",
        "--experiment",
        "e",
        "-k",
        "2",
        "-j",
        "1",
    ];
    let report = run(&library, &server, &args).exits(0).json();
    assert_eq!(report["summary"]["graded"], 16);
    assert_eq!(
        plan(&report)[..9],
        [
            "a nop 1",
            "a random 1",
            "a openai/m 1",
            "a openai/n 1",
            "b nop 1",
            "b random 1",
            "b openai/m 1",
            "b openai/n 1",
            "a nop 2",
        ]
    );
    let participants = report["spec"]["participants"].as_array().unwrap();
    assert_eq!(participants[0], json!({"agent": "nop"}));
    assert_eq!(participants[2]["agent"], "mcpmark");
    assert_eq!(participants[2]["model"]["name"], "openai/m");

    let listed = library.run(["runs"]).exits(0).stdout;
    assert!(listed.contains("nop +3"), "{listed}");
    let listed = library.run(["runs", "e"]).exits(0).stdout;
    assert!(listed.contains("agent or model"), "{listed}");
    let reported = library.run(["report", "e"]).exits(0).stdout;
    for words in [
        "(2 models and 2 agents without one) × 2 tasks, k = 2: 16 of 16 attempts graded",
        "random",
        "openai/n",
    ] {
        assert!(reported.contains(words), "{words:?} is not in {reported}");
    }
    let compared = library.run(["compare", "e:nop", "e:openai/m", "--json"]);
    assert_eq!(compared.exits(0).json()["pairs"][0]["tasks"], 2);
    let again = library.run(["resume", "e", "--json"]).exits(0).json();
    assert_eq!(again["attempts"], report["attempts"]);
}

#[test]
fn one_model_is_asked_by_two_agents() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = serve(|request| match (request.tools.is_empty(), request.turns) {
        _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
        (true, _) => Reaction::say("{\"thought\": \"t\", \"answer\": \"Done.\"}"),
        (false, _) => Reaction::say("Done."),
    });
    let file = environment.path("two.toml");
    let url = server.base_url();
    let text = format!(
        "experiment = \"two\"\nagent = [\"mcpmark\", \"react\"]\ncompact-at = 90000\n\
         [[models]]\nname = \"openai/m\"\nbase-url = \"{url}\"\n"
    );
    write_files(&environment.path(""), &[("two.toml", &text)]);
    let output = library.run(["run", "--config", file.to_str().unwrap(), "-j", "1"]);
    let output = output.exits(0);
    for words in ["openai/m, mcpmark", "openai/m, react"] {
        assert!(output.stdout.contains(words), "{output:?}");
    }
    let reported = library.run(["report", "two"]).exits(0).stdout;
    assert!(reported.contains("openai/m, react"), "{reported}");
    is_shown_nowhere(&environment, "no secret", &[]);
}

#[test]
fn a_dry_run_tells_what_each_participant_costs() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    let server = idle();
    let prices = environment.path("prices.csv");
    std::fs::write(&prices, "openai/m,1,1,1\n").unwrap();
    let url = server.base_url();
    let args = [
        "run",
        "--base-url",
        &url,
        "--dry-run",
        "--agent",
        "nop",
        "--model",
        "openai/m",
        "--prices",
        prices.to_str().unwrap(),
    ];
    let told = library.run(args).exits(0).stdout;
    for words in [
        "4 attempts of 2 tasks (k = 1) by 1 model and 1 agent without a model",
        "agent: nop\n",
        "agent: mcpmark\n",
        // The cost of two attempts, not of four.
        "total: about 0.61 USD",
    ] {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
}

#[test]
fn agents_that_do_not_fit_what_is_named_are_refused() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let mut transcript = String::new();
    for args in [
        &["--agent", "nop", "--agent", "nop"][..],
        &["--agent", "nop", "--agent", "react"],
        &["--agent", "nop", "--agent", "random", "--compact-at", "9"],
        &["--agent", "nop", "--agent", "replay"],
        &["--agent", "nop", "--from", "abc"],
    ] {
        let refused = library.run(["run"].iter().chain(args)).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(
        "agents_that_do_not_fit_what_is_named_are_refused",
        transcript
    );
    write_files(
        &environment.path(""),
        &[("x.toml", "agent = [\"nop\", \"nobody\"]\n")],
    );
    let file = environment.path("x.toml");
    let refused = library
        .run(["run", "--config", file.to_str().unwrap()])
        .exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/x.toml: line 1: unknown variant `nobody`, expected one of `oracle`, `nop`, `random`, `mcpmark`, `react`, `replay`, `command`, `client`, `manual`");
}

#[test]
fn a_stored_experiment_of_one_agent_goes_on() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    let server = idle();
    let args = ["--model", "openai/m", "--experiment", "e", "-k", "2"];
    let report = run(&library, &server, &args).exits(0).json();
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let participant = report["spec"]["participants"][0].clone();
    let change = json!({
        "participants": null, "agent": "mcpmark", "agent_settings": {},
        "models": [participant["model"]],
    });
    let changed = "UPDATE experiments SET spec = json_patch(spec, ?1)";
    journal.execute(changed, [change.to_string()]).unwrap();
    let last = "DELETE FROM checks; DELETE FROM messages; DELETE FROM model_calls; DELETE FROM tool_calls;
        UPDATE attempts SET grade = NULL; DELETE FROM grades; DELETE FROM attempts WHERE position = 2;
        UPDATE attempts SET outcome = 'invalid-task';";
    journal.execute_batch(last).unwrap();
    drop(journal);
    environment.sum_rows();
    let runs = library.run(["runs"]).exits(0).stdout;
    assert!(runs.contains("openai/m"), "{runs}");
    let resumed = library.run(["resume", "e", "--json"]).exits(4).json();
    assert_eq!(plan(&resumed), plan(&report));
    assert_eq!(resumed["attempts"][2]["passed"], true);
    assert_eq!(resumed["attempts"][3]["outcome"], "invalid-task");
}

#[test]
fn tokens_and_times_are_shown_by_turn() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
        0 => Reaction::call("list_directory", &json!({"path": "."})),
        _ => Reaction::say("Done."),
    });
    let args = ["--agent", "nop", "--model", "openai/m", "-j", "1"];
    let report = run(&library, &server, &args).exits(0).json();
    let shown = |index: usize, more: &[&str]| {
        let id = report["attempts"][index]["id"].as_str().unwrap();
        library.run(["show", id].iter().chain(more)).exits(0)
    };
    let text = shown(1, &[]).stdout;
    let turns: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("turn "))
        .collect();
    assert_eq!(turns.len(), 2, "{text}");
    for (turn, words) in turns.iter().zip(["turn 1  ", "turn 2  "]) {
        assert!(
            turn.starts_with(words) && turn.contains(" tokens in"),
            "{turn}"
        );
        assert!(turn.contains(" out, model "), "{turn}");
    }
    let attempt = shown(1, &["--json"]).json();
    let turns = attempt["by_turn"].as_array().unwrap();
    let sum = |key: &str| -> u64 {
        turns
            .iter()
            .map(|it| it["usage"][key].as_u64().unwrap())
            .sum()
    };
    assert_eq!(turns.len(), 2);
    assert_eq!(sum("input"), attempt["usage"]["input"].as_u64().unwrap());
    assert_eq!(sum("output"), attempt["usage"]["output"].as_u64().unwrap());
    assert!(turns[0]["tool_us"].as_u64().unwrap() > 0 && turns[1]["tool_us"] == 0);
    // An agent without a model has no token counts.
    let text = shown(0, &[]).stdout;
    assert!(!text.contains("tokens in"), "{text}");
}
