//! Failed requests to models: retries, and errors that end an attempt.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcpmark_model_server::{Conduct, Reaction, Saying, Solutions};
use serde_json::{Value, json};

use super::{TASK, calls, run, serve, solutions};
use crate::environment::Environment;

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
        "cost        unknown\n",
        "try 1 of the request for turn 1: connection: the connection broke during the reply\n",
        "try 2 of the request for turn 1: rate-limit: the provider sent an error (429): slow down\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let (before, _) = shown.split_once("\nturn 1  ").unwrap();
    assert!(
        before.contains("try 4 of the request for turn 1"),
        "{before}"
    );
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
    assert!(message.contains("the key was revoked"), "{message}");
    let asked = server.requests().len();
    assert_eq!(asked, 3, "what stays refused is not asked again");
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
        assert!(
            message.contains("the provider requests a wait of"),
            "{message}"
        );
    }
    // One request each: a retry would come after the time limit.
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
fn errors_of_a_provider_during_a_run_are_told_apart() {
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
            ("picky", _) => Reaction::error(400, "invalid_image", "this is no image"),
            ("dense", _) => Reaction::say("[".repeat(300_000)),
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
    // Kind of the last error, number of its try in the second turn, and outcome of the attempt.
    for (model, kind, tries, outcome) in [
        ("limited", "rate-limit", "3", "infra-error"),
        ("busy", "overloaded", "3", "infra-error"),
        ("overloaded", "overloaded", "3", "infra-error"),
        ("locked", "auth", "1", "infra-error"),
        ("endless", "reply-too-long", "1", "graded"),
        ("dense", "reply-too-long", "1", "graded"),
        ("picky", "bad-request", "1", "graded"),
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
        // A model must not be able to end its attempt without a grade.
        match kind {
            "reply-too-long" => assert_eq!(attempt["ended"], "memory-limit", "{attempt}"),
            "bad-request" => assert_eq!(attempt["ended"], "context-overflow", "{attempt}"),
            _ => {}
        }
        assert!(fault.len() < 2000, "{} bytes", fault.len());
    }
}

#[test]
fn a_long_error_of_a_server_is_one_line_without_escapes() {
    let environment = Environment::new();
    let item = "{'type': 'string_type', 'loc': ('body', 'messages', 0, 'content'), 'msg': 'Input should be a valid \
                string', 'input': [{'type': 'text', 'text': 'You carry out a task'}]}";
    let message = format!(
        "24 validation errors:\n{}",
        format!("  {item}\n").repeat(24)
    );
    let server = serve(move |_| Reaction::error(500, "internal_server_error", &message));
    let output = run(&environment, &server, &["--model", "openai/m", TASK]).exits(2);
    let said = output.stderr;
    assert!(
        said.contains("24 validation errors: {'type': 'string_type', 'loc': ('body',"),
        "{said}"
    );
    assert!(said.contains("more characters)"), "{said}");
    assert!(!said.contains("\\n"), "{said}");
    assert!(said.len() < 1000, "{said}");
}
