//! Several endpoints in one experiment, and limits of the requests to each.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mcpmark_model_server::{Reaction, Server};
use serde_json::json;

use super::{TASK, serve};
use crate::environment::{Environment, Output};

fn keys(server: &Server) -> BTreeSet<Option<String>> {
    let requests = server.requests();
    requests.into_iter().map(|request| request.key).collect()
}

fn key(key: &str) -> BTreeSet<Option<String>> {
    [Some(key.to_owned())].into()
}

#[test]
fn each_endpoint_gets_its_own_key() {
    let (local, team) = ("sk-local-1111", "sk-team-222222");
    for by_file in [true, false] {
        let environment = Environment::new();
        let servers = [
            serve(|_| Reaction::say("ok")),
            serve(|_| Reaction::say("ok")),
        ];
        let urls = [servers[0].base_url(), servers[1].base_url()];
        let file = format!(
            "tasks = [\"{TASK}\"]\n\
             [[models]]\nname = \"openai/a\"\nbase-url = \"{}\"\napi-key-env = \"LOCAL_KEY\"\n\
             [[models]]\nname = \"openai/b\"\nbase-url = \"{}\"\napi-key-env = \"TEAM_KEY\"\n",
            urls[0], urls[1]
        );
        let config = environment.directory("config", &[("e.toml", &file)]);
        let config = config.join("e.toml");
        let mut args = vec!["run", "--json"];
        if by_file {
            args.extend(["--config", config.to_str().unwrap()])
        } else {
            args.extend([
                TASK,
                "--model",
                "openai/a",
                "--base-url",
                &urls[0],
                "--api-key-env",
                "LOCAL_KEY",
                "--model",
                "openai/b",
                "--base-url",
                &urls[1],
                "--api-key-env",
                "TEAM_KEY",
            ])
        }
        let mut command = environment.command(args);
        command.env("LOCAL_KEY", local).env("TEAM_KEY", team);
        command.env("OPENAI_API_KEY", "sk-nobody-3333");
        let report = Output::of(&mut command).exits(1).json();
        assert_eq!(
            report["summary"],
            json!({"attempts": 2, "graded": 2, "passed": 0})
        );
        assert_eq!(keys(&servers[0]), key(local));
        assert_eq!(keys(&servers[1]), key(team));
        let asked = |server: &Server| server.requests().pop().unwrap().model;
        assert_eq!(
            (asked(&servers[0]), asked(&servers[1])),
            ("a".to_owned(), "b".to_owned())
        );
    }
}

#[test]
fn addresses_that_fit_no_model_are_refused() {
    let environment = Environment::new();
    let url = "http://127.0.0.1:9/v1";
    let args = [
        "run",
        TASK,
        "--dry-run",
        "--model",
        "openai/a",
        "--model",
        "openai/b",
        "--model",
        "openai/c",
    ];
    let twice = ["--base-url", url, "--base-url", url];
    let refused = environment.run(args.iter().chain(&twice)).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: --base-url is given 2 times for 3 models; give it once for all models, or once per model in the same order");
    environment
        .run(args.iter().chain(&["--base-url", url]))
        .exits(0);
}

#[test]
fn requests_to_one_model_are_bounded_beside_those_to_all() {
    let environment = Environment::new();
    let slow = || Reaction::After(Duration::from_millis(400), Box::new(Reaction::say("ok")));
    let (narrow, open) = (serve(move |_| slow()), serve(move |_| slow()));
    // The same model at the same address is one endpoint, even with two settings.
    let file = format!(
        "tasks = [\"{TASK}\"]\nattempts = 6\njobs = 18\nmax-model-calls = 8\n\
         [[models]]\nname = \"openai/a\"\nbase-url = \"{0}\"\nmax-calls = 2\n\
         [[models]]\nname = \"openai/a\"\nbase-url = \"{0}\"\nmax-calls = 5\ntemperature = 0.5\n\
         [[models]]\nname = \"openai/b\"\nbase-url = \"{1}\"\n",
        narrow.base_url(),
        open.base_url()
    );
    let config = environment.directory("config", &[("e.toml", &file)]);
    let config = config.join("e.toml");
    let config = config.to_str().unwrap();
    let report = environment
        .run(["run", "--config", config, "--json"])
        .exits(1)
        .json();
    assert_eq!(report["summary"]["graded"], 18);
    assert_eq!(narrow.most_at_once(), 2);
    assert!(
        (3..=6).contains(&open.most_at_once()),
        "{}",
        open.most_at_once()
    );
    // Request limits are not settings of an attempt.
    let settings =
        "SELECT DISTINCT model_settings FROM attempts WHERE model_settings LIKE '%call%'";
    assert!(super::calls(&environment, settings).is_empty());
    let dry = environment
        .run(["run", "--config", config, "--dry-run"])
        .exits(0);
    assert!(
        dry.stdout.contains("    at most 2 concurrent requests\n"),
        "{}",
        dry.stdout
    );

    let server = serve(move |_| slow());
    let args = [
        "--model",
        "openai/m",
        "-k",
        "8",
        "-j",
        "8",
        "--max-calls",
        "3",
        TASK,
    ];
    super::run(&environment, &server, &args).exits(1);
    assert_eq!(server.most_at_once(), 3);
    let mut transcript = String::new();
    for key in ["max-calls", "requests-per-minute"] {
        let text = format!("[[models]]\nname = \"openai/m\"\n{key} = 0\n");
        let file = environment
            .directory("wrong", &[("e.toml", &text)])
            .join("e.toml");
        let args = ["run", TASK, "--dry-run", "--config", file.to_str().unwrap()];
        let refused = environment.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run filesystem/village-festival/stall-balances --dry-run --config [dir]/wrong/e.toml
    error: model openai/m: max-calls is 0, but must be at least 1

    $ mcpmark run filesystem/village-festival/stall-balances --dry-run --config [dir]/wrong/e.toml
    error: model openai/m: requests-per-minute is 0, but must be at least 1
    ");
}

#[test]
fn waiting_for_the_rate_takes_no_time_of_an_attempt() {
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        0..3 => Reaction::call("list_directory", &json!({"path": "."})),
        _ => Reaction::say("Done."),
    });
    // Four requests, two seconds apart, take six seconds: three times the time limit of the attempt.
    let args = [
        "--model",
        "openai/m",
        "--no-preflight",
        "--requests-per-minute",
        "30",
        "--limit-time",
        "2",
        TASK,
    ];
    let began = Instant::now();
    let report = super::run(&environment, &server, &args).exits(1).json();
    assert_eq!(report["attempts"][0]["ended"], "completed");
    assert_eq!(server.requests().len(), 4);
    assert!(
        began.elapsed() >= Duration::from_secs(6),
        "{:?}",
        began.elapsed()
    );
}
