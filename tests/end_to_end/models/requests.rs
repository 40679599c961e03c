//! Configuration files, dry runs, and warnings before a run costs anything.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use mcpmark_model_server::Reaction;
use serde_json::{Value, json};

use super::{TASK, calls, serve};
use crate::environment::{Environment, Output};

#[test]
fn impossible_requests_are_refused_before_anything_is_spent() {
    let environment = Environment::new();
    let server = serve(|request| match request.model.as_str() {
        "locked" => Reaction::error(401, "invalid_api_key", "no such key"),
        "toolless" => Reaction::error(400, "bad", "toolless does not support tools"),
        "page" => Reaction::Status {
            status: 200,
            headers: Vec::new(),
            body: "<!doctype html><p>Welcome</p>".to_owned(),
        },
        "nowhere" => Reaction::error(404, "model_not_found", "there is no such model"),
        _ => Reaction::say("ok"),
    });
    let url = server.base_url();
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let unreachable = format!("openai/m at {closed}: cannot connect");
    let at = |model: &'static str| vec!["--model", model, "--base-url", &url];
    for (args, message) in [
        (
            vec!["--model", "gpt-5"],
            "expected provider/name, such as openai/gpt-5",
        ),
        (
            vec!["--model", "opnai/gpt-5"],
            "expected one of anthropic, deepseek, gemini",
        ),
        (vec!["--model", "openai/gpt-5"], "OPENAI_API_KEY is not set"),
        (
            vec!["--model", "openai/m", "--base-url", &closed],
            &unreachable,
        ),
        (
            vec!["--model", "openai/m", "--base-url", "localhost:1"],
            "\"localhost:1\" is not a valid base URL: it must begin with http:// or https://",
        ),
        (
            vec![
                "--model",
                "openai/m",
                "--base-url",
                "http://127.0.0.1/v1?key=k",
            ],
            "\"http://127.0.0.1/v1?…\" is not a valid base URL: it has a query or fragment",
        ),
        (at("openai/locked"), "no such key"),
        (at("openai/toolless"), "does not support tools"),
        (at("openai/nowhere"), "there is no such model"),
        (
            at("openai/page"),
            "the reply is a web page, not JSON; check --base-url, which usually ends in /v1",
        ),
        (
            [at("openai/m"), vec!["--limit-cost", "1"]].concat(),
            "model openai/m: its price is unknown",
        ),
        (
            [at("openai/m"), vec!["--temperature", "7"]].concat(),
            "temperature is 7; expected a number from 0 to 2",
        ),
        (
            [at("openai/m"), vec!["--limit-turns", "0"]].concat(),
            "limit turns is 0, but must be at least 1",
        ),
        (
            [at("openai/m"), vec!["--compact-at", "0"]].concat(),
            "compact-at is 0, but must be at least 1",
        ),
        (
            [
                at("openai/m"),
                vec!["--agent", "oracle", "--agent", "oracle"],
            ]
            .concat(),
            "agent oracle is named twice",
        ),
        (
            [at("openai/m"), vec!["--limit-cost", "-1"]].concat(),
            "\"-1\" is not an amount in US dollars",
        ),
        (
            [at("openai/m"), vec!["--limit-turns", "-1"]].concat(),
            "invalid value '-1' for '--limit-turns <N>'",
        ),
        (
            vec!["--agent", "nop", "--temperature", "1", "--limit-cost", "5"],
            "--agent nop uses no model; omit --temperature, --limit-cost",
        ),
        (vec!["--agent", "mcpmark"], "name one with --model"),
        (vec!["--agent", "replay"], "--agent replay requires --from"),
        (
            vec!["--from", "3f"],
            "--from determines the task; omit filesystem/village-festival/",
        ),
    ] {
        let args: Vec<_> = ["run", TASK].into_iter().chain(args).collect();
        let output = Output::of(environment.command(&args).env_remove("OPENAI_API_KEY"));
        let output = output.exits(2);
        assert!(
            output.stderr.contains(message),
            "{args:?}: {}",
            output.stderr
        );
        let errors = output.stderr.lines().filter(|line| line.contains("error:"));
        assert_eq!(errors.count(), 1, "{}", output.stderr);
    }
    assert!(!environment.home().join("journal.db").exists());
}

#[test]
fn missing_keys_and_features_are_reported_without_a_request() {
    let environment = Environment::new();
    let servers = environment.directory(
        "servers",
        &[(
            "s.toml",
            "[servers.t]\nurl = \"http://127.0.0.1:9/mcp\"\nbearer = \"NO_SUCH_TOKEN\"\n",
        )],
    );
    let servers = servers.join("s.toml");
    let servers = servers.to_str().unwrap();
    let mut transcript = String::new();
    for dry in [&["--dry-run"][..], &["--no-preflight"]] {
        let run = |args: &[&str]| {
            let all = ["run", TASK].iter().chain(args).chain(dry);
            Output::of(
                environment
                    .command(all)
                    .env("DEEPSEEK_API_KEY", "sk-nothing")
                    .env("ANTHROPIC_API_KEY", "sk-nothing")
                    .env("OPENAI_API_KEY", "sk-two\nlines")
                    .env_remove("NO_SUCH_TOKEN"),
            )
            .exits(2)
        };
        let output = run(&["--mcp-config", servers]);
        transcript += &output.transcript();
        let output = run(&[
            "--model",
            "deepseek/deepseek-chat",
            "--reasoning-effort",
            "medium",
        ]);
        transcript += &output.transcript();
        let output = run(&["--model", "openai/gpt-5"]);
        transcript += &output.transcript();
        let haiku = "anthropic/claude-haiku-4-5";
        let narrow = ["--model", haiku, "--max-output-tokens", "1000"];
        let output = run(&[&narrow[..], &["--reasoning-effort", "high"]].concat());
        transcript += &output.transcript();
        let output = run(&["--model", "anthropic/claude-3-5-haiku-latest"]);
        transcript += &output.transcript();
    }
    insta::assert_snapshot!(
        "missing_keys_and_features_are_reported_without_a_request",
        transcript
    );
    let mut command = environment.command(["run", TASK, "--mcp-config", servers, "--dry-run"]);
    let listed = Output::of(command.env("NO_SUCH_TOKEN", "a-token"))
        .exits(0)
        .stdout;
    assert!(
        listed.contains("  server t: http://127.0.0.1:9/mcp\n"),
        "{listed}"
    );
    assert!(!listed.contains("a-token"), "{listed}");
    assert!(!environment.home().join("journal.db").exists());
}

#[test]
fn a_file_says_what_is_run_and_a_dry_run_says_what_it_costs() {
    let environment = Environment::new();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = serve(move |request| {
        seen.lock().unwrap().push(request.body.clone());
        Reaction::say("ok")
    });
    let file = format!(
        "tasks = [\"{TASK}\"]\nattempts = 2\nprices = \"p.csv\"\nseed = 3\n\
         [limits]\nturns = 7\ncost = 4\nattempt-cost = \"0.50\"\n\
         [[models]]\nname = \"openai/m\"\nbase-url = \"{}\"\ntemperature = 0.5\n\
         max-output-tokens = 99\n",
        server.base_url()
    );
    let dir = environment.directory(
        "config",
        &[("exp.toml", &file), ("p.csv", "openai/m,1,1,2")],
    );
    let config = dir.join("exp.toml");
    let config = config.to_str().unwrap();
    let dry = environment
        .run(["run", "--config", config, "--dry-run"])
        .exits(0);
    assert!(
        dry.stdout
            .contains("2 attempts of 1 task (k = 2) by 1 model"),
        "{}",
        dry.stdout
    );
    for line in [
        "  filesystem: 1 task\n",
        "  agent: mcpmark\n",
        "  concurrency: ",
        "  openai/m: about 0.29 USD",
        "  total: about 0.29 USD\n",
        "assuming 7 turns, 140000 input tokens and 3500 output tokens",
        "\"temperature\":0.5",
        "  limits of an attempt: 7 turns, 3600 s, 60 s per tool call, 0.50 USD\n",
        "  limits of the experiment: 4.00 USD\n",
    ] {
        assert!(dry.stdout.contains(line), "{line}: {}", dry.stdout);
    }
    let json = environment
        .run(["run", "--config", config, "--dry-run", "--json"])
        .exits(0)
        .json();
    assert_eq!(json["estimate"]["cost_usd"], json!(0.294));
    assert_eq!(json["spec"]["limits"]["turns"], 7);
    assert!(asked.lock().unwrap().is_empty());
    let mut transcript = String::new();
    for text in ["tasks = \"filesystem\"", "[models]\nname = \"openai/m\""] {
        let file = environment.directory("wrong", &[("e.toml", text)]);
        let file = file.join("e.toml");
        let args = ["run", "--config", file.to_str().unwrap()];
        let refused = environment.run(args).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run --config [dir]/wrong/e.toml
    error: [dir]/wrong/e.toml: line 1: invalid type: string "filesystem", expected a list, as in ["law-office"]

    $ mcpmark run --config [dir]/wrong/e.toml
    error: [dir]/wrong/e.toml: line 1: invalid type: map, expected a list of tables; write [[models]]
    "#);
    let mut transcript = String::new();
    for model in ["openia/m", "openai/m"] {
        let mut command = environment.command(["run", TASK, "--model", model, "--dry-run"]);
        let output = Output::of(command.env_remove("OPENAI_API_KEY"));
        let refused = output.exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run filesystem/village-festival/stall-balances --model openia/m --dry-run
    error: unknown provider "openia"; expected one of anthropic, deepseek, gemini, groq, llamacpp, mistral, moonshot, ollama, openai, openrouter, qwen, xai
    hint: for an OpenAI-compatible endpoint, use `--model openai/NAME --base-url URL`

    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --dry-run
    error: openai/m: the environment variable OPENAI_API_KEY is not set, but openai requires a key
    hint: export OPENAI_API_KEY=…
    "#);
    let args = ["run", "--config", config, "--experiment", "filed", "--json"];
    environment.run(args).exits(1);
    let body = asked.lock().unwrap().last().unwrap().clone();
    assert_eq!(
        (&body["temperature"], &body["max_tokens"]),
        (&json!(0.5), &json!(99))
    );
    let spec = &calls(
        &environment,
        "SELECT spec FROM experiments WHERE name = 'filed'",
    )[0];
    let spec: Value = serde_json::from_str(spec).unwrap();
    assert_eq!(spec["seed"], 3);
    assert_eq!(spec["limits"]["turns"], 7);
    assert_eq!(spec["prices"][0]["source"], "p.csv");
    let mut transcript = String::new();
    for wrong in [
        "\ntaks = []\n",
        "[limits]\ncost = true\n",
        "[limits]\ncost = -1.5\n",
        "[limits]\nrun-time = 0\n",
    ] {
        let wrong = environment.directory("wrong", &[("exp.toml", wrong)]);
        let wrong = wrong.join("exp.toml");
        let output = environment
            .run(["run", "--config", wrong.to_str().unwrap()])
            .exits(2);
        assert!(output.stderr.lines().count() <= 2, "{}", output.stderr);
        transcript += &output.transcript();
    }
    insta::assert_snapshot!(transcript, @r#"
    $ mcpmark run --config [dir]/wrong/exp.toml
    error: [dir]/wrong/exp.toml: line 2: unknown field `taks`, expected one of `experiment`, `tasks`, `tiers`, `tags`, `agent`, `command`, `agent-env`, `attempts`, `jobs`, `max-model-calls`, `max-grades`, `seed`, `compact-at`, `max-result-bytes`, `system-prompt`, `tools`, `retries`, `prices`, `limits`, `models`, `servers`

    $ mcpmark run --config [dir]/wrong/exp.toml
    error: [dir]/wrong/exp.toml: line 2: expected an amount in US dollars, like "2.50"

    $ mcpmark run --config [dir]/wrong/exp.toml
    error: "-1.5" is not an amount in US dollars; expected a number like 2.50, with at most nine decimals

    $ mcpmark run --config [dir]/wrong/exp.toml
    error: limit run-time is 0, but must be at least 1
    "#);
}

#[test]
fn an_estimate_ends_at_the_limits() {
    let environment = Environment::new();
    let prices = environment.directory(
        "prices",
        &[("p.csv", "openai/m,1,1,2\nopenai/n,10,10,10\n")],
    );
    let prices = prices.join("p.csv");
    let dry = |more: &[&str]| {
        let mut args = vec![
            "run",
            TASK,
            "--base-url",
            "http://127.0.0.1:9/v1",
            "--dry-run",
        ];
        args.extend(["-k", "2", "-j", "3", "--prices", prices.to_str().unwrap()]);
        args.extend(["--model", "openai/m"].iter().chain(more));
        environment.run(args).exits(0).stdout
    };
    for (more, lines) in [
        // 15 turns with 20,000 input tokens and 500 output tokens, for two attempts.
        (
            &[][..],
            &["openai/m: about 0.63 USD", "total: about 0.63 USD\n"][..],
        ),
        (
            &["--limit-input-tokens", "1000", "--limit-turns", "4"],
            &[
                "about 0.01 USD",
                "4 turns, 1000 input tokens and 2000 output tokens",
            ],
        ),
        (
            &["--model", "openai/n"],
            &["openai/n: about 6.15 USD", "total: about 6.78 USD\n"],
        ),
        (
            &["--model", "openai/n", "--limit-attempt-cost", "0.5"],
            &["openai/n: about 1.00 USD", "total: about 1.63 USD\n"],
        ),
        (
            &["--model", "openai/n", "--limit-cost", "2"],
            &["total: about 2.00 USD, bounded by the limit of the experiment\n"],
        ),
        // A tenth of the tokens that both models would use.
        (
            &["--model", "openai/n", "--limit-tokens", "123000"],
            &["total: about 0.68 USD, bounded by the limit of the experiment\n"],
        ),
        (
            &[
                "--model",
                "openai/x",
                "--agent",
                "react",
                "--compact-at",
                "9000",
            ],
            &[
                "openai/x: price unknown",
                "total: about 0.63 USD, plus the unknown cost of 1 model\n",
                "agent: react, compaction at 9000 tokens\n",
                "concurrency: 3 attempts, 3 requests, ",
            ],
        ),
    ] {
        let text = dry(more);
        for line in lines {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}

#[test]
fn efforts_are_told_apart_and_warnings_are_said_once() {
    let environment = Environment::new();
    let server = serve(|_| Reaction::say("ok"));
    let file = format!(
        "tasks = [\"{TASK}\"]\nexperiment = \"efforts\"\n\
         [[models]]\nname = \"openai/m\"\nreasoning-effort = \"low\"\nbase-url = \"{0}\"\n\
         [[models]]\nname = \"openai/m\"\nreasoning-effort = \"high\"\nbase-url = \"{0}\"\n",
        server.base_url()
    );
    let config = environment
        .directory("config", &[("e.toml", &file)])
        .join("e.toml");
    let output = environment
        .run(["run", "--config", config.to_str().unwrap()])
        .exits(1);
    for effort in ["low", "high"] {
        let named = format!("{TASK}  openai/m ({effort})");
        assert!(output.stdout.contains(&named), "{}", output.stdout);
    }
    let said = |what: &str| output.stderr.matches(what).count();
    assert_eq!(
        said("model openai/m: its price is unknown"),
        1,
        "{}",
        output.stderr
    );
    // One warning for each setting of the model.
    assert_eq!(
        said("did not call the tool of the test request"),
        2,
        "{}",
        output.stderr
    );
    let listed = environment
        .run(["runs", "efforts", "--json"])
        .exits(0)
        .json();
    let attempts = listed["attempts"].as_array().unwrap();
    let efforts: BTreeSet<_> = attempts.iter().map(|one| one["effort"].as_str()).collect();
    assert_eq!(efforts, BTreeSet::from([Some("high"), Some("low")]));
    assert_eq!(
        attempts[0]["model_settings"]["reasoning-effort"],
        attempts[0]["effort"]
    );
    assert_eq!(
        listed["spec"]["participants"][1]["model"]["settings"]["reasoning-effort"],
        "high"
    );
}
