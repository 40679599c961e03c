//! Models: asked through real HTTP clients, by a server on loopback that plays scripts.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
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

/// What the oracle does in some tasks.
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
            .contains("the price of openai/bad is not known"),
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
            // 600 at 2, 400 at 0.50 and 100 at 10 dollars a million.
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
    // What the model saw of the tools stands once, whatever the number of attempts.
    assert_eq!(calls(&environment, "SELECT digest FROM tool_sets").len(), 1);
    let bodies = server.requests();
    let second = bodies.iter().find(|request| request.turns == 1).unwrap();
    let last = second.body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "tool");
    assert!(!last["content"].to_string().contains("isError"), "{last}");
}

#[test]
fn errors_that_pass_are_tried_again_and_each_try_is_kept() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let number = AtomicUsize::new(0);
    let server = serve(move |request| {
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        let soon = |reaction: Reaction| reaction.with_header("retry-after-ms", "1");
        match number.fetch_add(1, Ordering::SeqCst) {
            0 => Reaction::Truncate(Saying::default()),
            1 => soon(Reaction::error(429, "rate_limit", "slow down")),
            2 => soon(Reaction::error(529, "overloaded_error", "busy")),
            3 => soon(Reaction::error(500, "server_error", "oh no")),
            _ => solutions.step(request, 0),
        }
    });
    let report = run(&environment, &server, &["--model", "openai/m", TASK])
        .exits(0)
        .json();
    assert_eq!(report["summary"]["passed"], 1);
    let tries = calls(
        &environment,
        "SELECT try || ' ' || status || ' ' || coalesce(error_kind, '') FROM model_calls
         WHERE turn = 1 ORDER BY seq",
    );
    assert_eq!(
        tries,
        [
            "1 retry connection",
            "2 retry rate-limit",
            "3 retry overloaded",
            "4 retry server",
            "5 ok "
        ]
    );
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let shown = environment.run(["show", id]).exits(0).stdout;
    for line in [
        "model       openai/m {\"base-url\":",
        "tokens      ",
        "cost        not known\n",
        "try 1 of a request for turn 1: connection: the reply broke off\n",
        "try 2 of a request for turn 1: rate-limit: the provider sent an error (429): slow down\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let (before, _) = shown.split_once("\nturn 1\n").unwrap();
    assert!(before.contains("try 4 of a request for turn 1"), "{before}");
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(shown["requests"].as_array().unwrap().len(), 12);
    let second = &shown["requests"][1];
    assert_eq!(
        (&second["try"], &second["status"], &second["error_kind"]),
        (&json!(2), &json!("retry"), &json!("rate-limit"))
    );
    assert_eq!(shown["model_settings"]["base-url"], server.base_url());
    let digests = calls(
        &environment,
        "SELECT request_digest FROM model_calls WHERE turn = 1",
    );
    assert_eq!(
        BTreeSet::from_iter(&digests).len(),
        1,
        "the same request each time"
    );
}

#[test]
fn errors_that_stay_end_the_attempt_without_a_grade() {
    let environment = Environment::new();
    let server = serve(|request| Conduct::Broken.react(request, &Solutions::default()));
    let output = run(&environment, &server, &["--model", "openai/m", TASK]).exits(5);
    let attempt = &output.json()["attempts"][0];
    assert_eq!(
        (&attempt["ended"], &attempt["outcome"]),
        (&json!("model-error"), &json!("infra-error"))
    );
    assert_eq!(attempt["passed"], Value::Null);
    let message = attempt["fault"]["message"].as_str().unwrap();
    assert!(message.contains("no such parameter"), "{message}");
    let asked = server.requests().len();
    assert_eq!(asked, 3, "a bad request is not made again");
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
fn what_a_model_gets_wrong_it_is_told() {
    let environment = Environment::new();
    let server = serve(|request| match request.model.as_str() {
        "mumble" => Conduct::Mumble.react(request, &Solutions::default()),
        _ => Conduct::Invent.react(request, &Solutions::default()),
    });
    let args = [
        "--model",
        "openai/mumble",
        "--model",
        "openai/invent",
        "--experiment",
        "w",
        TASK,
    ];
    let report = run(&environment, &server, &args).exits(1).json();
    for attempt in report["attempts"].as_array().unwrap() {
        let shown = environment
            .run(["show", attempt["id"].as_str().unwrap(), "--json"])
            .exits(0)
            .json();
        let error = shown["calls"][0]["error"].as_str().unwrap();
        let expected = match attempt["model"].as_str().unwrap() {
            "openai/mumble" => "; call the tool again; you sent: {\"path\": ",
            _ => "there is no tool named \"save_everything\"; there are ",
        };
        assert!(error.contains(expected), "{error}");
        assert_eq!(attempt["ended"], "completed");
    }
    let malformed = calls(
        &environment,
        "SELECT model || ' ' || malformed_calls FROM attempts WHERE model IS NOT NULL ORDER BY 1",
    );
    assert_eq!(malformed, ["openai/invent 0", "openai/mumble 4"]);
    let told = server.requests().last().unwrap().body.to_string();
    assert!(
        told.contains("there is no tool named") || told.contains("cannot be read"),
        "{told}"
    );
}

#[test]
fn limits_end_attempts_and_what_they_did_is_graded() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let server = serve(move |request| match request.model.as_str() {
        "wander" => Conduct::Wander.react(request, &solutions),
        "spend" => Conduct::Spend.react(request, &solutions),
        "slow" if request.tools != ["ping"] => {
            Reaction::After(Duration::from_secs(60), Box::new(Reaction::say("late")))
        }
        "overflow" => Conduct::Overflow.react(request, &solutions),
        _ => Reaction::say("ok"),
    });
    let prices = environment.directory("prices", &[("p.csv", "openai/spend,1,1,1\n")]);
    let prices = prices.join("p.csv");
    for (model, flags, ended) in [
        ("openai/wander", &["--limit-turns", "5"][..], "turn-limit"),
        (
            "openai/spend",
            &["--limit-output-tokens", "500000"][..],
            "token-limit",
        ),
        (
            "openai/spend",
            &[
                "--limit-attempt-cost",
                "0.5",
                "--prices",
                prices.to_str().unwrap(),
            ][..],
            "cost-limit",
        ),
        ("openai/slow", &["--limit-time", "2"][..], "time-limit"),
        ("openai/overflow", &[][..], "context-overflow"),
    ] {
        let args: Vec<_> = ["--model", model, TASK]
            .iter()
            .chain(flags)
            .copied()
            .collect();
        let report = run(&environment, &server, &args).exits(1).json();
        let attempt = &report["attempts"][0];
        assert_eq!(
            (&attempt["ended"], &attempt["passed"]),
            (&json!(ended), &json!(false)),
            "{model}"
        );
    }
}

#[test]
fn an_experiment_stops_at_its_limit_and_goes_on_with_a_higher_one() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let server = serve(
        move |request| match Conduct::Solve.react(request, &solutions) {
            Reaction::Say(saying) => Reaction::Say(Saying {
                usage: Some([1_000_000, 0, 0, 0]),
                ..saying
            }),
            other => other,
        },
    );
    let prices = environment.directory("prices", &[("p.csv", "openai/m,1,1,1\n")]);
    let prices = prices.join("p.csv");
    let args = [
        "--model",
        "openai/m",
        "-k",
        "3",
        "-j",
        "1",
        "--limit-cost",
        "12",
        "--prices",
        prices.to_str().unwrap(),
        "--experiment",
        "dear",
        TASK,
    ];
    // An attempt is eight turns of a dollar each.
    let output = run(&environment, &server, &args).exits(5);
    assert!(
        output
            .stderr
            .contains("the experiment's limit of 12.00 USD is reached"),
        "{}",
        output.stderr
    );
    assert_eq!(
        output.json()["summary"],
        json!({"attempts": 3, "graded": 1, "passed": 1})
    );
    let args = ["resume", "dear", "--limit-cost", "100", "--json"];
    let report = environment.run(args).exits(0).json();
    assert_eq!(
        report["summary"],
        json!({"attempts": 3, "graded": 3, "passed": 3})
    );
}

#[test]
fn a_conversation_that_grows_long_is_summed_up_and_kept_whole() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    let server = serve(move |request| {
        if request.tools.is_empty() {
            return Reaction::say("Three calls were made.");
        }
        if request.tools == ["ping"] {
            return Reaction::say("ok");
        }
        let step = count.fetch_add(1, Ordering::SeqCst);
        let ahead = step - request.turns;
        let tokens = if step == 2 { 50_000 } else { 10 };
        match solutions.step(request, ahead) {
            Reaction::Say(saying) => Reaction::Say(Saying {
                usage: Some([tokens, 0, 10, 0]),
                ..saying
            }),
            other => other,
        }
    });
    let args = ["--model", "openai/m", "--compact-at", "40000", TASK];
    let report = run(&environment, &server, &args).exits(0).json();
    assert_eq!(report["summary"]["passed"], 1);
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    let text = environment.run(["show", id]).exits(0).stdout;
    // The summary, and not the calls of the turn after it.
    assert!(
        text.contains("compaction\n  Three calls were made.\nturn 4\n"),
        "{text}"
    );
    let messages = shown["messages"].as_array().unwrap();
    let compaction = messages.iter().find(|m| m["role"] == "compaction").unwrap();
    let content = &compaction["content"];
    assert_eq!(content["summary"], "Three calls were made.");
    // The system prompt, the instruction, three replies and their results; then three messages.
    assert_eq!(content["history"].as_array().unwrap().len(), 8);
    let asked = content["request"]["text"].as_str().unwrap();
    assert!(asked.starts_with("## user\n"), "{asked}");
    assert!(asked.contains("## result of "), "{asked}");
    assert_eq!(content["kept"].as_array().unwrap().len(), 3);
    assert_eq!(
        messages.iter().filter(|m| m["role"] == "assistant").count(),
        8
    );
    let purposes = calls(
        &environment,
        "SELECT DISTINCT purpose FROM model_calls ORDER BY 1",
    );
    assert_eq!(purposes, ["compaction", "turn"]);
}

/// A server whose model takes requests of so many bytes, and looks around until it was asked for a
/// summary. `then` answers what comes after the summary.
fn narrow(
    bytes: usize,
    summary: impl Fn() -> Reaction + Send + Sync + 'static,
    then: impl Fn() -> Reaction + Send + Sync + 'static,
) -> Server {
    let summed_up = AtomicUsize::new(0);
    serve(move |request| {
        let too_long = || {
            Reaction::error(
                400,
                "context_length_exceeded",
                "This model's maximum context length is exceeded.",
            )
        };
        // Without tools, a request is for a summary.
        match request.body["messages"].to_string().len() > bytes {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            true => too_long(),
            false if request.tools.is_empty() => {
                summed_up.fetch_add(1, Ordering::SeqCst);
                summary()
            }
            false if summed_up.load(Ordering::SeqCst) > 0 => then(),
            false => Reaction::call("directory_tree", &json!({"path": "."})),
        }
    })
}

#[test]
fn a_conversation_that_overflows_is_cut_until_its_summary_fits() {
    let environment = Environment::new();
    let server = narrow(
        12_000,
        || Reaction::say("I have looked around."),
        || Reaction::say("All done."),
    );
    // The threshold is out of reach: it is the error that has it summed up.
    let args = ["--model", "openai/m", "--compact-at", "900000000", TASK];
    let report = run(&environment, &server, &args).exits(1).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{attempt}");
    let id = attempt["id"].as_str().unwrap();
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(shown["answer"], "All done.");
    let messages = shown["messages"].as_array().unwrap();
    let compaction = messages.iter().find(|m| m["role"] == "compaction").unwrap();
    let content = &compaction["content"];
    let asked = content["request"]["text"].as_str().unwrap();
    assert!(asked.contains("bytes left out]"), "{asked}");
    assert!(content["history"].to_string().len() > 12_000);
    let instruction = messages[0]["content"]["text"].as_str().unwrap();
    assert!(asked.contains(instruction), "what is asked for stays whole");
}

#[test]
fn what_goes_wrong_after_a_compaction_is_no_failure_of_the_model() {
    let fine = || Reaction::say("I have looked around.");
    let refused = || {
        Reaction::Say(Saying {
            text: "I cannot.".to_owned(),
            refused: true,
            ..Saying::default()
        })
    };
    let overflow = || Reaction::error(400, "context_length_exceeded", "still too long");
    let locked = || Reaction::error(401, "invalid_api_key", "the key was revoked");
    type Act = fn() -> Reaction;
    let table: [(Act, Act, &str, &str); 4] = [
        (fine, locked, "model-error", "auth: "),
        (fine, overflow, "context-overflow", "still too long"),
        (|| Reaction::say(" "), fine, "model-error", "is empty"),
        (refused, fine, "model-error", "was refused"),
    ];
    for (summary, then, ended, detail) in table {
        let environment = Environment::new();
        let server = narrow(12_000, summary, then);
        let args = ["--model", "openai/m", "--compact-at", "900000000", TASK];
        let report = run(&environment, &server, &args).json();
        let attempt = &report["attempts"][0];
        assert_eq!(attempt["ended"], ended, "{attempt}");
        let id = attempt["id"].as_str().unwrap();
        let shown = environment.run(["show", id, "--json"]).exits(0).json();
        let said = shown["ended_detail"].as_str().unwrap();
        assert!(said.contains(detail), "{said}");
        let graded = ended == "context-overflow";
        assert_eq!(attempt["outcome"] == "graded", graded, "{attempt}");
    }
}

#[test]
fn time_in_the_queue_is_not_the_attempts_own() {
    let environment = Environment::new();
    // Each attempt asks three times for 0.7 s each: 2.1 s by itself, and 8.4 s for four that take
    // turns.
    let server = serve(|request| {
        let then = match request.turns {
            _ if request.tools == ["ping"] => return Reaction::say("ok"),
            0 | 1 => Reaction::call("list_directory", &json!({"path": "."})),
            _ => Reaction::say("Done."),
        };
        Reaction::After(Duration::from_millis(700), Box::new(then))
    });
    let args = ["--model", "openai/m", "-k", "4", "-j", "4", TASK];
    let limits = ["--max-model-calls", "1", "--limit-time", "6"];
    let args: Vec<_> = args.into_iter().chain(limits).collect();
    let report = run(&environment, &server, &args).exits(1).json();
    for attempt in report["attempts"].as_array().unwrap() {
        assert_eq!(attempt["ended"], "completed", "{attempt}");
    }
    assert_eq!(server.most_at_once(), 1);
}

#[test]
fn errors_that_take_too_long_leave_no_grade() {
    let environment = Environment::new();
    let server = serve(|request| {
        let limited = |after: &str| {
            Reaction::error(429, "rate_limit", "slow down").with_header("retry-after", after)
        };
        match request.model.as_str() {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            "patient" => limited("3600"),
            "dated" => limited("Tue, 31 Dec 2999 23:59:59 GMT"),
            other => panic!("nobody asks {other}"),
        }
    });
    for model in ["openai/patient", "openai/dated"] {
        let args = ["--model", model, "--limit-time", "5", TASK];
        let report = run(&environment, &server, &args).exits(5).json();
        let attempt = &report["attempts"][0];
        assert_eq!(attempt["ended"], "model-error", "{attempt}");
        let message = attempt["fault"]["message"].as_str().unwrap();
        assert!(message.contains("left alone for"), "{message}");
    }
    // It is asked once each: to ask again would be in vain.
    let asked = server.requests();
    let asked = asked.iter().filter(|request| request.tools != ["ping"]);
    assert_eq!(asked.count(), 2);

    let tries = AtomicUsize::new(0);
    let server = serve(move |request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        _ if tries.fetch_add(1, Ordering::SeqCst) == 0 => Reaction::error(503, "busy", "busy"),
        _ => Reaction::After(Duration::from_secs(60), Box::new(Reaction::say("late"))),
    });
    let args = ["--model", "openai/m", "--limit-time", "3", TASK];
    let report = run(&environment, &server, &args).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "model-error", "{attempt}");
    let message = attempt["fault"]["message"].as_str().unwrap();
    assert!(message.contains("ran out at try 2"), "{message}");
}

#[test]
fn an_experiment_stops_at_its_tokens_and_its_time() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let server = serve(
        move |request| match (request.model.as_str(), solutions.step(request, 0)) {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            ("slow", _) => {
                Reaction::After(Duration::from_secs(60), Box::new(Reaction::say("late")))
            }
            (_, Reaction::Say(saying)) => Reaction::Say(Saying {
                usage: Some([900, 0, 100, 0]),
                ..saying
            }),
            (_, other) => other,
        },
    );
    // An attempt is eight turns of a thousand tokens each.
    let args = ["--model", "openai/m", "-k", "3", "-j", "1", TASK];
    let limit = ["--limit-tokens", "12000", "--experiment", "long"];
    let args: Vec<_> = args.into_iter().chain(limit).collect();
    let output = run(&environment, &server, &args).exits(5);
    let output = output.says(&[
        "the experiment's limit of 12000 tokens is reached",
        "mcpmark resume long --limit-tokens N",
    ]);
    assert_eq!(output.json()["summary"]["graded"], 1);
    let args = ["resume", "long", "--limit-tokens", "100000", "--json"];
    let report = environment.run(args).exits(0).json();
    assert_eq!(report["summary"]["passed"], 3);

    let args = ["--model", "openai/slow", "--limit-run-time", "2", TASK];
    let output = run(&environment, &server, &args).exits(5);
    let output = output.says(&["the experiment's limit of 2 s is reached"]);
    assert_eq!(output.json()["attempts"][0]["outcome"], "cancelled");
}

#[test]
fn no_limit_rests_on_tokens_that_nobody_counts() {
    let environment = Environment::new();
    let server = serve(|request| {
        Reaction::Say(Saying {
            text: "Done.".to_owned(),
            no_usage: request.model == "silent" || request.tools != ["ping"],
            ..Saying::default()
        })
    });
    let prices = environment.directory("prices", &[("p.csv", "openai/m,1,1,1\n")]);
    let prices = prices.join("p.csv");
    let cost = ["--limit-cost", "1", "--prices", prices.to_str().unwrap()];
    for limit in [
        &cost[..],
        &["--limit-tokens", "1000"],
        &["--limit-input-tokens", "1000"],
        &["--limit-output-tokens", "1000"],
    ] {
        // It said how many in its sign of life, and says it no more.
        let args: Vec<_> = ["--model", "openai/m", TASK].iter().chain(limit).collect();
        let args: Vec<_> = args.into_iter().copied().collect();
        let report = run(&environment, &server, &args).exits(5).json();
        let message = &report["attempts"][0]["fault"]["message"];
        let message = message.as_str().unwrap();
        assert!(message.contains("how many tokens it took"), "{message}");
    }
    let args = ["--model", "openai/silent", "--limit-tokens", "9", TASK];
    let output = run(&environment, &server, &args).exits(2);
    output.says(&["does not say how many tokens", "--limit-run-time"]);
    let args = ["--model", "openai/silent", TASK];
    run(&environment, &server, &args).exits(1);
}

#[test]
fn a_model_may_write_its_calls_in_text() {
    let environment = Environment::new();
    let solutions = solutions(&environment, &[TASK]);
    let server = serve(move |request| {
        assert!(request.tools.is_empty());
        let known = solutions.calls_of_any(&request.instruction);
        let Some((instruction, calls)) = known else {
            return Reaction::say("ok");
        };
        assert!(request.instruction.starts_with(instruction));
        match (request.turns, calls.get(request.turns.saturating_sub(1))) {
            (0, _) => Reaction::say("I would like to look around first."),
            (_, Some((tool, arguments))) => Reaction::say(
                json!({"thought": "next", "action": {"tool": tool, "arguments": arguments}})
                    .to_string(),
            ),
            (_, None) => {
                Reaction::say("```json\n{\"thought\": \"done\", \"answer\": \"All done.\"}\n```")
            }
        }
    });
    let args = ["--agent", "react", "--model", "openai/m", TASK];
    let report = run(&environment, &server, &args).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["agent"], &attempt["passed"]),
        (&json!("react"), &json!(true))
    );
    let shown = environment
        .run(["show", attempt["id"].as_str().unwrap(), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["answer"], "All done.");
    assert_eq!(
        calls(
            &environment,
            "SELECT malformed_calls || '' FROM attempts WHERE agent = 'react'"
        ),
        ["1"]
    );
}

#[test]
fn an_attempt_is_played_again() {
    let environment = Environment::new();
    solutions(&environment, &[TASK]);
    let oracle = environment
        .run(["runs", "oracle", "--json"])
        .exits(0)
        .json();
    let id = oracle["attempts"][0]["id"].as_str().unwrap();
    let args = ["run", "--agent", "replay", "--from", id, "--json"];
    let report = environment.run(args).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(
        (&attempt["agent"], &attempt["task"]),
        (&json!("replay"), &json!(TASK))
    );
    assert_eq!(attempt["state"], oracle["attempts"][0]["state"]);
    let shown = environment
        .run(["show", attempt["id"].as_str().unwrap(), "--json"])
        .exits(0)
        .json();
    let detail = shown["ended_detail"].as_str().unwrap();
    assert!(detail.starts_with("0 of 7 results differ"), "{detail}");
}

#[test]
fn a_replay_says_what_has_changed_errors_among_it() {
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("read_text_file", &json!({"path": "nothing.txt"})),
        1 => Reaction::call("list_directory", &json!({"path": "."})),
        2 => Reaction::call("invented", &json!({})),
        3 => Reaction::call("read_text_file", &json!({})),
        _ => Reaction::say("Done."),
    });
    let report = run(&environment, &server, &["--model", "openai/m", TASK]).exits(1);
    let report = report.json();
    let id = report["attempts"][0]["id"].as_str().unwrap();
    let replayed = || {
        let args = ["run", "--agent", "replay", "--from", id, "--json"];
        let report = environment.run(args).json();
        let again = report["attempts"][0]["id"].as_str().unwrap();
        environment.run(["show", again, "--json"]).exits(0).json()
    };
    let same = replayed();
    assert_eq!(
        same["ended_detail"], "0 of 4 results differ",
        "{}",
        same["messages"]
    );
    // The errors were others, as if the world or a server had been.
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    let changed = journal.execute(
        "UPDATE tool_calls SET error = 'there are no tools today'
         WHERE attempt = ?1 AND result IS NULL AND error IS NOT NULL",
        [id],
    );
    let errors = changed.unwrap();
    assert!(errors >= 1);
    let changed = journal.execute(
        "UPDATE tool_calls SET result = replace(result, 'nothing.txt', 'something.txt')
         WHERE attempt = ?1 AND name = 'read_text_file' AND result LIKE '%nothing.txt%'",
        [id],
    );
    let differ = errors + changed.unwrap();
    let other = replayed();
    let detail = format!("{differ} of 4 results differ");
    assert_eq!(other["ended_detail"], detail, "{}", other["messages"]);
    let messages = other["messages"].to_string();
    assert!(messages.contains("there are no tools today"), "{messages}");
}

#[test]
fn what_cannot_work_is_said_before_anything_is_spent() {
    let environment = Environment::new();
    let server = serve(|request| match request.model.as_str() {
        "locked" => Reaction::error(401, "invalid_api_key", "no such key"),
        "toolless" => Reaction::error(400, "bad", "toolless does not support tools"),
        "nowhere" => Reaction::error(404, "model_not_found", "there is no such model"),
        _ => Reaction::say("ok"),
    });
    let url = server.base_url();
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let unreachable = format!("openai/m at {closed}: nobody answers");
    let at = |model: &'static str| vec!["--model", model, "--base-url", &url];
    for (args, message) in [
        (vec!["--model", "gpt-5"], "write it as provider/name"),
        (
            vec!["--model", "opnai/gpt-5"],
            "known are anthropic, deepseek, gemini",
        ),
        (vec!["--model", "openai/gpt-5"], "OPENAI_API_KEY is not set"),
        (
            vec!["--model", "openai/m", "--base-url", &closed],
            &unreachable,
        ),
        (
            vec!["--model", "openai/m", "--base-url", "localhost:1"],
            "is no base URL",
        ),
        (
            vec![
                "--model",
                "openai/m",
                "--base-url",
                "http://127.0.0.1/v1?key=k",
            ],
            "\"http://127.0.0.1/v1?…\" is no base URL: it has a part after `?`",
        ),
        (at("openai/locked"), "no such key"),
        (at("openai/toolless"), "does not support tools"),
        (at("openai/nowhere"), "there is no such model"),
        (
            [at("openai/m"), vec!["--limit-cost", "1"]].concat(),
            "the price of openai/m is not known",
        ),
        (
            [at("openai/m"), vec!["--temperature", "7"]].concat(),
            "temperature is 7; it may be 0 to 2",
        ),
        (
            [at("openai/m"), vec!["--limit-turns", "0"]].concat(),
            "the limit turns is 0; it may be 1 or more",
        ),
        (
            [at("openai/m"), vec!["--compact-at", "0"]].concat(),
            "compact-at is 0; it may be 1 or more",
        ),
        (
            [at("openai/m"), vec!["--agent", "oracle"]].concat(),
            "--agent oracle asks no model",
        ),
        (
            [at("openai/m"), vec!["--limit-cost", "-1"]].concat(),
            "\"-1\" is no amount in US dollars",
        ),
        (
            [at("openai/m"), vec!["--limit-turns", "-1"]].concat(),
            "invalid value '-1' for '--limit-turns <N>'",
        ),
        (vec!["--agent", "mcpmark"], "name one with --model"),
        (vec!["--agent", "replay"], "name it with --from"),
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
fn what_a_provider_does_in_mid_run_is_told_apart() {
    let environment = Environment::new();
    let server = serve(|request| {
        let soon = |reaction: Reaction| reaction.with_header("retry-after-ms", "1");
        match (request.model.as_str(), request.turns) {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            (_, 0) => Reaction::call("list_directory", &json!({"path": "."})),
            ("limited", _) => soon(Reaction::error(429, "rate_limit", "slow down")),
            ("busy", _) => soon(Reaction::error(503, "unavailable", "try later")),
            ("overloaded", _) => soon(Reaction::error(529, "overloaded_error", "busy")),
            ("locked", _) => Reaction::error(401, "invalid_api_key", "the key was revoked"),
            ("endless", _) => Reaction::say("x".repeat(70 << 20)),
            ("huge", 1) => Reaction::Say(Saying {
                calls: vec![(
                    "write_file".to_owned(),
                    json!({"path": "huge.txt", "content": "y".repeat(12 << 20)}).to_string(),
                )],
                ..Saying::default()
            }),
            _ => Reaction::say("Done."),
        }
    });
    // The kind that ends it, the tries of the second turn, and what came of the attempt.
    for (model, kind, tries, outcome) in [
        ("limited", "rate-limit", "3", "infra-error"),
        ("busy", "overloaded", "3", "infra-error"),
        ("overloaded", "overloaded", "3", "infra-error"),
        ("locked", "auth", "1", "infra-error"),
        ("endless", "reply-too-long", "1", "infra-error"),
        ("huge", "", "1", "graded"),
    ] {
        let name = format!("openai/{model}");
        let args = [
            "--model",
            &name,
            "--retries",
            "2",
            "--experiment",
            model,
            TASK,
        ];
        let exit = if outcome == "graded" { 1 } else { 5 };
        let report = run(&environment, &server, &args).exits(exit).json();
        let attempt = &report["attempts"][0];
        assert_eq!(attempt["outcome"], outcome, "{attempt}");
        let query = format!(
            "SELECT coalesce(error_kind, '') || ' ' || c.try FROM model_calls c
             JOIN attempts a ON a.id = c.attempt
             WHERE a.model = '{name}' AND c.turn = 2 ORDER BY c.seq DESC LIMIT 1"
        );
        let last = calls(&environment, &query);
        assert!(
            last[0].starts_with(kind) && last[0].ends_with(tries),
            "{model}: {last:?}"
        );
        let fault = attempt["fault"]["message"].as_str().unwrap_or_default();
        if model == "endless" {
            assert!(fault.contains("longer than 64 MiB"), "{fault}");
        }
        assert!(fault.len() < 2000, "{} bytes", fault.len());
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
        ];
        let mut command = environment.command(args);
        for variable in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
            command.env(variable, CANARY);
        }
        let output = Output::of(&mut command);
        assert!(!format!("{output:?}").contains(CANARY), "{output:?}");
    }
    assert_eq!(calls(&environment, "SELECT id FROM attempts").len(), 3);
    is_shown_nowhere(&environment, CANARY, &["OPENAI_API_KEY"]);
}

/// Looks through all that shows a journal or leaves it, and through every file of the home.
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
    // Everything that leaves the journal. The home is looked through below, these among it.
    let out = |name: String| environment.home().join(name).to_str().unwrap().to_owned();
    let names = calls(environment, "SELECT name FROM experiments");
    for name in &names {
        says_nothing(&["runs", name, "--json"]);
        for format in ["text", "md", "json", "csv", "html"] {
            let file = out(format!("{name}.{format}"));
            says_nothing(&["report", name, "--format", format, "-o", &file]);
            assert!(Path::new(&file).is_file(), "{file}");
        }
        for format in ["mcpmark", "sft", "atif"] {
            let target = out(format!("{name}-{format}"));
            let args = ["export", name, "--format", format, "-o", &target];
            says_nothing(&args);
        }
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
            .contains("2 attempts of 1 task, 2 each by 1 model"),
        "{}",
        dry.stdout
    );
    for line in [
        "  filesystem: 1 task\n",
        "  agent: mcpmark\n",
        "  at the same time: ",
        "  openai/m: about 0.29 USD",
        "  together: about 0.29 USD\n",
        "taken as 7 turns, 140000 tokens in and 3500 out",
        "\"temperature\":0.5",
        "  limits of an attempt: 7 turns, 3600 s, 60 s a tool call, 0.50 USD\n",
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
    for (model, message) in [("openia/m", "known are"), ("openai/m", "OPENAI_API_KEY")] {
        let mut command = environment.command(["run", TASK, "--model", model, "--dry-run"]);
        let output = Output::of(command.env_remove("OPENAI_API_KEY"));
        output.exits(2).says(&[message]);
    }
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
    for (wrong, message) in [
        ("\ntaks = []\n", "exp.toml: line 2: unknown field `taks`"),
        ("[limits]\ncost = true\n", "an amount in US dollars"),
        (
            "[limits]\ncost = -1.5\n",
            "\"-1.5\" is no amount in US dollars",
        ),
        ("[limits]\nrun-time = 0\n", "the limit run-time is 0"),
    ] {
        let wrong = environment.directory("wrong", &[("exp.toml", wrong)]);
        let wrong = wrong.join("exp.toml");
        let output = environment
            .run(["run", "--config", wrong.to_str().unwrap()])
            .exits(2);
        assert!(output.stderr.lines().count() <= 2, "{}", output.stderr);
        output.says(&[message]);
    }
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
        // 15 turns of 20,000 and 500 tokens, twice.
        (
            &[][..],
            &["openai/m: about 0.63 USD", "together: about 0.63 USD\n"][..],
        ),
        (
            &["--limit-input-tokens", "1000", "--limit-turns", "4"],
            &["about 0.01 USD", "4 turns, 1000 tokens in and 2000 out"],
        ),
        (
            &["--model", "openai/n"],
            &["openai/n: about 6.15 USD", "together: about 6.78 USD\n"],
        ),
        (
            &["--model", "openai/n", "--limit-attempt-cost", "0.5"],
            &["openai/n: about 1.00 USD", "together: about 1.63 USD\n"],
        ),
        (
            &["--model", "openai/n", "--limit-cost", "2"],
            &["together: about 2.00 USD, where the experiment's limit ends it\n"],
        ),
        // A tenth of what both would take.
        (
            &["--model", "openai/n", "--limit-tokens", "123000"],
            &["together: about 0.68 USD, where the experiment's limit ends it\n"],
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
                "openai/x: the price is not known",
                "together: about 0.63 USD, and the unknown cost of 1 model\n",
                "agent: react, summed up at 9000 tokens\n",
                "at the same time: 3 attempts, 3 requests, ",
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
fn what_the_environment_or_a_provider_lacks_is_said_without_asking() {
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
    for dry in [&["--dry-run"][..], &["--no-preflight"]] {
        let run = |args: &[&str]| {
            let all = ["run", TASK].iter().chain(args).chain(dry);
            Output::of(
                environment
                    .command(all)
                    .env("DEEPSEEK_API_KEY", "sk-nothing")
                    .env_remove("NO_SUCH_TOKEN"),
            )
            .exits(2)
        };
        run(&["--mcp-config", servers])
            .says(&["server t: the environment variable NO_SUCH_TOKEN is not set"]);
        run(&[
            "--model",
            "deepseek/deepseek-chat",
            "--reasoning-effort",
            "medium",
        ])
        .says(&["model deepseek/deepseek-chat: ", "leave that setting out"]);
    }
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
fn what_was_sent_is_shown_and_unreadable_replies_are_no_calls() {
    let environment = Environment::new();
    let server = serve(|request| match (request.tools.is_empty(), request.turns) {
        _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
        (true, 0) => Reaction::say("I would rather talk."),
        (true, 1) => Reaction::say("{\"thought\": \"t\", \"answer\": \"Done.\"}"),
        (false, 0) => Conduct::Mumble.react(request, &Solutions::default()),
        _ => Reaction::say("Done."),
    });
    let attempt = |agent: &str| {
        let args = [
            "--agent",
            agent,
            "--model",
            "openai/m",
            "--experiment",
            agent,
            TASK,
        ];
        let report = run(&environment, &server, &args).exits(1).json();
        report["attempts"][0]["id"].as_str().unwrap().to_owned()
    };
    let shown = |id: &str| {
        let json = environment.run(["show", id, "--json"]).exits(0).json();
        (json, environment.run(["show", id]).exits(0).stdout)
    };
    let page = |experiment: &str| {
        let args = ["report", experiment, "--format", "html"];
        environment.run(args).exits(0).stdout
    };
    let exported = |experiment: &str| {
        let dir = environment.path(&format!("atif-{experiment}"));
        let mut command = environment.command(["export", experiment, "--format", "atif", "-o"]);
        Output::of(command.arg(&dir)).exits(0);
        let file = std::fs::read_dir(dir).unwrap().next().unwrap().unwrap();
        std::fs::read_to_string(file.path()).unwrap()
    };

    let (json, text) = shown(&attempt("mcpmark"));
    let sent = json["calls"][0]["arguments"].as_str().unwrap();
    assert!(serde_json::from_str::<Value>(sent).is_err(), "{sent}");
    assert_eq!(json["tool_calls"], 1);
    assert!(text.contains(sent), "{text}");
    let error = json["calls"][0]["error"].as_str().unwrap();
    assert!(error.ends_with(&format!("you sent: {sent}")), "{error}");
    let escaped = sent.replace('"', "&quot;");
    let page_of_calls = page("mcpmark");
    assert!(page_of_calls.contains(&escaped) || page_of_calls.contains(sent));
    assert!(exported("mcpmark").contains(&Value::from(sent).to_string()));

    let (json, text) = shown(&attempt("react"));
    assert_eq!(
        (&json["tool_calls"], &json["turns"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(json["failure"]["class"], "malformed-calls");
    for words in [
        "I would rather talk.",
        "told\n",
        "That reply cannot be used: ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    for text in [page("react"), exported("react")] {
        assert!(text.contains("I would rather talk."), "{text}");
        assert!(text.contains("That reply cannot be used: "), "{text}");
    }
    let counted = "SELECT tool_calls || ' ' || malformed_calls FROM attempts WHERE agent = 'react'";
    assert_eq!(calls(&environment, counted), ["0 1"]);
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
        said("the price of openai/m is not known"),
        1,
        "{}",
        output.stderr
    );
    // Once for each setting that it was asked with.
    assert_eq!(
        said("was asked to call a tool and did not"),
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
        listed["spec"]["models"][1]["settings"]["reasoning-effort"],
        "high"
    );
}
