//! Limits of attempts and of experiments.

use std::time::Duration;

use mcpmark_model_server::{Conduct, Reaction, Saying};
use serde_json::json;

use super::{TASK, run, serve, solutions};
use crate::environment::Environment;

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
    // An attempt has eight turns, each of which costs a dollar.
    let output = run(&environment, &server, &args).exits(6);
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
    // The second attempt was cancelled after four dollars and made again. Its cost counts, too.
    let attempts = report["attempts"].as_array().unwrap();
    let costs = attempts.iter().map(|one| one["cost_usd"].as_f64().unwrap());
    assert_eq!(costs.sum::<f64>(), 24.0);
    assert_eq!(report["spent_usd"], 28.0);
    let args = ["report", "dear", "--format", "json"];
    let whole = environment.run(args).exits(0).json();
    assert_eq!(whole["spent"]["usd"], report["spent_usd"]);
    let again = environment.run(["resume", "dear"]).exits(0);
    assert!(
        again.stdout.contains("3 attempts, 3 passed, 28.00 USD"),
        "{}",
        again.stdout
    );
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
    // An attempt has eight turns of a thousand tokens each.
    let args = ["--model", "openai/m", "-k", "3", "-j", "1", TASK];
    let limit = ["--limit-tokens", "12000", "--experiment", "long"];
    let args: Vec<_> = args.into_iter().chain(limit).collect();
    let output = run(&environment, &server, &args).exits(6);
    insta::assert_snapshot!(output.message(), @r"
    warning: model openai/m: did not call the tool of the test request; if it cannot call tools, use --agent react
    warning: model openai/m: its price is unknown, so its cost is not computed; set prices with --prices FILE
    1/3 pass filesystem/village-festival/stall-balances  openai/m  [id]  7 calls
    2/3 cancelled filesystem/village-festival/stall-balances #2  openai/m  [id]  4 calls
    the experiment's limit of 12000 tokens is reached; continue with `mcpmark resume long --limit-tokens N`
    ");
    assert_eq!(output.json()["summary"]["graded"], 1);
    let args = ["resume", "long", "--limit-tokens", "100000", "--json"];
    let report = environment.run(args).exits(0).json();
    assert_eq!(report["summary"]["passed"], 3);

    let args = ["--model", "openai/slow", "--limit-run-time", "2", TASK];
    let output = run(&environment, &server, &args).exits(6);
    insta::assert_snapshot!(output.message(), @r"
    warning: model openai/slow: did not call the tool of the test request; if it cannot call tools, use --agent react
    warning: model openai/slow: its price is unknown, so its cost is not computed; set prices with --prices FILE
    1/1 cancelled filesystem/village-festival/stall-balances  openai/slow  [id]  0 calls
    the experiment's limit of 2 s is reached; continue with `mcpmark resume [name]`
    ");
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
        // The reply to the preflight has token counts, later replies have none.
        let args: Vec<_> = ["--model", "openai/m", TASK].iter().chain(limit).collect();
        let args: Vec<_> = args.into_iter().copied().collect();
        let report = run(&environment, &server, &args).exits(5).json();
        let message = &report["attempts"][0]["fault"]["message"];
        let message = message.as_str().unwrap();
        assert!(
            message.contains("does not report its token usage"),
            "{message}"
        );
    }
    let args = ["--model", "openai/silent", "--limit-tokens", "9", TASK];
    let output = run(&environment, &server, &args).exits(2);
    insta::assert_snapshot!(output.message(), @r"
    error: model openai/silent: its replies do not report token usage, so limits on tokens and cost cannot be enforced
    hint: limit turns or time instead: --limit-turns, --limit-run-time
    ");
    let args = ["--model", "openai/silent", TASK];
    run(&environment, &server, &args).exits(1);
}

#[test]
fn time_in_the_queue_is_not_the_attempts_own() {
    let environment = Environment::new();
    // Each attempt makes three requests of 0.7 s: 2.1 s for one attempt, and 8.4 s for four that take turns.
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
