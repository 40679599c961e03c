//! Models, called by real HTTP clients and simulated by a scripted server on loopback.

mod additions;
mod agents;
mod compaction;
mod endpoints;
mod errors;
mod limits;
mod requests;
mod results;
mod secrets;
mod strict;
mod told;

use std::path::Path;
use std::time::Duration;

use mcpmark_model_server::{Api, Conduct, Reaction, Request, Saying, Server, Solutions};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output};

const TASKS: [&str; 3] = [
    "filesystem/village-festival/inbox-filing",
    "filesystem/village-festival/saturday-draft",
    "filesystem/village-festival/stall-balances",
];
const TASK: &str = TASKS[2];

/// Runs the oracle on the tasks and returns its calls.
pub(crate) fn solutions(environment: &Environment, tasks: &[&str]) -> Solutions {
    let mut solutions = Solutions::default();
    let args = [
        "run",
        "--agent",
        "oracle",
        "--experiment",
        "oracle",
        "--json",
    ];
    let args: Vec<_> = args.iter().chain(tasks).copied().collect();
    let report = environment.run(args).exits(0).json();
    for attempt in report["attempts"].as_array().unwrap() {
        let id = attempt["id"].as_str().unwrap();
        assert!(solutions.add(&environment.run(["show", id, "--json"]).exits(0).json()));
    }
    solutions
}

pub(crate) fn serve(script: impl Fn(&Request) -> Reaction + Send + Sync + 'static) -> Server {
    Server::start(script).unwrap()
}

pub(crate) fn run(environment: &Environment, server: &Server, args: &[&str]) -> Output {
    let url = server.base_url();
    let own = ["run", "--base-url", &url, "--json"];
    environment.run(own.iter().chain(args))
}

pub(crate) fn calls(environment: &Environment, what: &str) -> Vec<String> {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let mut query = journal.prepare(what).unwrap();
    let rows = query.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Asserts that a secret occurs in no output about the journal, in no export and in no file of the home.
pub(crate) fn is_shown_nowhere(environment: &Environment, canary: &str, variables: &[&str]) {
    let ids = calls(environment, "SELECT id FROM attempts");
    let says_nothing = |args: &[&str]| {
        let mut command = environment.command(args);
        for variable in variables {
            command.env(variable, canary);
        }
        let output = Output::of(&mut command);
        assert!(!format!("{output:?}").contains(canary), "{output:?}");
    };
    for id in &ids {
        says_nothing(&["show", id, "--full"]);
        says_nothing(&["show", id, "--json"]);
    }
    // Exports are written below the home, where the search for files at the end finds them.
    let out = |name: String| environment.home().join(name).to_str().unwrap().to_owned();
    let names = calls(environment, "SELECT name FROM experiments");
    for name in &names {
        says_nothing(&["runs", name, "--json"]);
        for format in ["text", "md", "json", "csv", "html"] {
            let file = out(format!("{name}.{format}"));
            says_nothing(&["report", name, "--format", format, "-o", &file]);
            assert!(Path::new(&file).is_file(), "{file}");
        }
        for format in ["mcpmark", "sft", "atif", "jsonl"] {
            let target = out(format!("{name}-{format}"));
            let args = ["export", name, "--format", format, "-o", &target];
            says_nothing(&args);
        }
    }
    // The database file contains long texts only compressed, so the rows are searched separately.
    let journal = mcpmark_experiment::Journal::open(&environment.home().join("journal.db"));
    let journal = journal.unwrap();
    for name in &names {
        let mut rows = Vec::new();
        journal.export_rows(name, &mut rows).unwrap();
        let rows = String::from_utf8(rows).unwrap();
        assert!(!rows.is_empty() && !rows.contains(canary));
    }
    assert!(Path::new(&out(format!("{}-atif", names[0]))).exists());
    let mut files = vec![environment.home()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes
            .windows(canary.len())
            .any(|window| window == canary.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn models_act_and_everything_is_counted() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &TASKS);
    let server = serve(move |request| {
        let conduct = match request.model.as_str() {
            "good" => Conduct::Solve,
            _ => Conduct::StopHalfway,
        };
        match conduct.react(request, &solutions) {
            Reaction::Say(saying) => Reaction::Say(Saying {
                usage: Some([1000, 400, 100, 10]),
                reasoning: Some("Let me see.".to_owned()),
                ..saying
            }),
            other => other,
        }
    });
    let prices = environment.directory("prices", &[("prices.csv", "openai/good,2,0.5,10\n")]);
    let prices = prices.join("prices.csv");
    let mut args = vec!["--model", "openai/good", "--model", "openai/bad", "-k", "2"];
    args.extend(["--prices", prices.to_str().unwrap(), "--experiment", "two"]);
    args.extend(TASKS);
    let output = run(&environment, &server, &args).exits(1);
    assert!(
        output
            .stderr
            .contains("model openai/bad: its price is unknown"),
        "{}",
        output.stderr
    );
    let report = output.json();
    assert_eq!(
        report["summary"],
        json!({"attempts": 12, "graded": 12, "passed": 6})
    );
    for attempt in report["attempts"].as_array().unwrap() {
        let good = attempt["model"] == "openai/good";
        assert_eq!(attempt["passed"], good, "{attempt}");
        assert_eq!(
            (&attempt["agent"], &attempt["ended"]),
            (&json!("mcpmark"), &json!("completed"))
        );
        let turns = attempt["turns"].as_u64().unwrap();
        assert_eq!(attempt["usage"]["input"], 1000 * turns);
        assert_eq!(attempt["usage"]["cached"], 400 * turns);
        assert_eq!(attempt["usage"]["output"], 100 * turns);
        assert_eq!(attempt["usage"]["reasoning"], 10 * turns);
        if good {
            // 600 uncached tokens at 2, 400 cached ones at 0.50, and 100 output tokens at 10 dollars per million.
            let cost = attempt["cost_usd"].as_f64().unwrap();
            assert!((cost - 0.0024 * turns as f64).abs() < 1e-12, "{attempt}");
        } else {
            assert_eq!(attempt["cost_usd"], Value::Null);
        }
    }
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    let roles: Vec<_> = shown["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["role"])
        .collect();
    assert_eq!(roles[..3], ["user", "system", "assistant"]);
    assert_eq!(shown["messages"][2]["content"]["reasoning"], "Let me see.");
    // The tool set is stored once, regardless of the number of attempts.
    assert_eq!(calls(&environment, "SELECT digest FROM tool_sets").len(), 1);
    let bodies = server.requests();
    let second = bodies.iter().find(|request| request.turns == 1).unwrap();
    let last = second.body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "tool");
    assert!(!last["content"].to_string().contains("isError"), "{last}");
}

#[test]
fn every_interface_carries_calls_and_reasoning() {
    for (model, flags, api) in [
        ("openai/m", &["--api", "responses"][..], Api::Responses),
        ("openai/m", &["--api", "chat"][..], Api::Chat),
        (
            "anthropic/claude-test",
            &["--max-output-tokens", "4000"][..],
            Api::Messages,
        ),
    ] {
        let environment = Environment::new();
        let solutions = solutions(&environment, &[TASK]);
        let server = serve(move |request| match solutions.step(request, 0) {
            Reaction::Say(saying) if request.tools != ["ping"] => Reaction::Say(Saying {
                reasoning: Some("A thought of mine.".to_owned()),
                ..saying
            }),
            other => other,
        });
        let args: Vec<_> = ["--model", model, TASK]
            .iter()
            .chain(flags)
            .copied()
            .collect();
        let report = run(&environment, &server, &args).exits(0).json();
        assert_eq!(report["summary"]["passed"], 1, "{model}");
        assert!(
            report["attempts"][0]["usage"]["input"].as_u64() > Some(0),
            "{report}"
        );
        let requests = server.requests();
        assert!(requests.iter().all(|request| request.api == api));
        let last = requests.last().unwrap().body.to_string();
        assert!(
            last.contains("A thought of mine."),
            "reasoning goes back: {model} {last}"
        );
    }
}

#[test]
fn keys_are_seen_nowhere() {
    const CANARY: &str = "sk-canary-5f1e9a77d2";
    let environment = Environment::new();
    let server = serve(|request| {
        let key = request.key.clone().unwrap_or_default();
        assert_eq!(key, CANARY);
        match request.turns {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            0 => Reaction::call("list_directory", &json!({"path": "."})),
            1 if request.model == "echo" => Reaction::say(format!("Your key is {key}.")),
            _ => Reaction::error(400, "bad", &format!("you sent {key}")),
        }
    });
    let url = server.base_url();
    for model in ["openai/echo", "openai/fail", "anthropic/fail"] {
        let args = [
            "run",
            TASK,
            "--model",
            model,
            "--base-url",
            &url,
            "--max-output-tokens",
            "999",
            "--api-key-env",
            "MY_KEY",
        ];
        let mut command = environment.command(args);
        command.env("MY_KEY", CANARY);
        let output = Output::of(&mut command);
        assert!(!format!("{output:?}").contains(CANARY), "{output:?}");
    }
    assert_eq!(calls(&environment, "SELECT id FROM attempts").len(), 3);
    is_shown_nowhere(&environment, CANARY, &["OPENAI_API_KEY"]);
}

#[test]
fn many_attempts_run_at_once() {
    let environment = Environment::new();
    let solved = solutions(&environment, &[TASK]);
    let server = serve(solved.solved_with(1.0, Duration::from_millis(200)));
    let args = ["--model", "openai/m", "-k", "64", "-j", "64", TASK];
    let report = run(&environment, &server, &args).exits(0).json();
    assert_eq!(
        report["summary"],
        json!({"attempts": 64, "graded": 64, "passed": 64})
    );
    assert!(server.most_at_once() > 16, "{}", server.most_at_once());
    let server = serve(|_| Reaction::say("ok"));
    let args = [
        "--model",
        "openai/m",
        "-k",
        "16",
        "-j",
        "16",
        "--max-model-calls",
        "2",
        TASK,
    ];
    run(&environment, &server, &args).exits(1);
    assert!(server.most_at_once() <= 2, "{}", server.most_at_once());
}
