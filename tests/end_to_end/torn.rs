//! An experiment that is killed repeatedly has the same results as one that is never interrupted.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use mcpmark_model_server::{Conduct, Reaction, Server, Solutions, chance};
use serde_json::Value;

use crate::environment::Environment;
use crate::models::{calls, serve, solutions};

/// One task for each conduct of the scripted model, from several worlds.
const TASKS: [&str; 12] = [
    "filesystem/conference/call-sheet",
    "filesystem/conference/who-owes",
    "filesystem/food-bank/active-agencies",
    "filesystem/food-bank/volunteer-hours",
    "filesystem/household/electricity-check",
    "filesystem/law-office/conflict-check",
    "filesystem/lending-library/double-cards",
    "filesystem/lending-library/running-times",
    "filesystem/tide-station/docs-index",
    "filesystem/tide-station/public-issues",
    "filesystem/tide-station/translation-gaps",
    "filesystem/village-festival/stall-balances",
];

/// Time limit in seconds. Only attempts that the model keeps waiting reach it.
const TIME_LIMIT: &str = "10";

/// Number of kills, unless `MCPMARK_TEST_KILLS` sets it.
const KILLS: u64 = 20;

/// Starts two models: the steady one solves most tasks, the shaky one fails in another way at each. The conduct of an
/// attempt depends only on its model, its task and its sampling seed.
fn two_models(solutions: Solutions) -> Server {
    serve(move |request| {
        let drawn = chance((&request.model, &request.instruction, request.seed));
        let place = solutions.place(&request.instruction).unwrap_or(0);
        let conduct = match request.model.as_str() {
            "steady" if drawn < 0.8 => Conduct::Solve,
            "steady" => Conduct::StopHalfway,
            _ if drawn < 0.7 => Conduct::ALL[place],
            _ => Conduct::Solve,
        };
        let wait = Duration::from_millis(10);
        Reaction::After(wait, Box::new(conduct.react(request, &solutions)))
    })
}

fn arguments<'a>(name: &'a str, url: &'a str, prices: &'a str) -> Vec<&'a str> {
    let models = [
        "run",
        "--model",
        "openai/steady",
        "--model",
        "openai/shaky",
        "-k",
        "4",
        "-j",
        "8",
    ];
    let limits = [
        "--limit-turns",
        "30",
        "--limit-time",
        TIME_LIMIT,
        "--limit-output-tokens",
        "500000",
    ];
    let rest = [
        "--sampling-seed",
        "7",
        "--base-url",
        url,
        "--prices",
        prices,
        "--experiment",
        name,
        "--json",
    ];
    [&models[..], &limits, &rest, &TASKS].concat()
}

/// Returns the results of each attempt.
fn numbers(report: &Value) -> Vec<Value> {
    let attempts = report["attempts"].as_array().unwrap().iter();
    let keys = [
        "task", "model", "k", "outcome", "passed", "score", "ended", "turns", "usage", "cost_usd",
        "state",
    ];
    attempts
        .map(|attempt| keys.iter().map(|key| attempt[key].clone()).collect())
        .collect()
}

/// Removes from a report its name, ids, times of the host, and the cost of abandoned tries.
fn lasting(mut report: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(entries) => {
                let passing = ["begun", "experiment", "spent", "seconds", "agent_us", "id"];
                entries.retain(|key, _| !passing.contains(&key.as_str()));
                entries.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut report);
    report
}

#[expect(clippy::print_stdout, reason = "a seed that fails is wanted again")]
#[test]
fn a_run_that_is_killed_again_and_again_comes_to_the_same_numbers() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let kills: u64 = number("MCPMARK_TEST_KILLS").unwrap_or(KILLS);
    let seed: u64 = number("MCPMARK_TEST_SEED").unwrap_or(1);
    println!("MCPMARK_TEST_SEED={seed}");
    let environment = Environment::new();
    let server = two_models(solutions(&environment, &TASKS));
    let url = server.base_url();
    let prices = "openai/steady,2,0.5,10\nopenai/shaky,1,0.25,5\n";
    let prices = environment.directory("prices", &[("p.csv", prices)]);
    let prices = prices.join("p.csv");
    let arguments = |name| arguments(name, &url, prices.to_str().unwrap());
    // Attempts that end with a model error have no grade.
    let undisturbed = environment.run(arguments("whole")).exits(5).json();
    let report = |name| {
        let args = ["report", name, "--format", "json"];
        lasting(environment.run(args).exits(0).json())
    };
    let classes: BTreeSet<_> = calls(&environment, "SELECT ended FROM attempts")
        .into_iter()
        .collect();
    let ends = [
        "completed",
        "context-overflow",
        "model-error",
        "time-limit",
        "token-limit",
        "turn-limit",
    ];
    assert_eq!(classes, ends.map(str::to_owned).into());
    let text = report("whole").to_string();
    for class in [
        "implicit",
        "abandoned",
        "premature-stop",
        "malformed-calls",
        "context-overflow",
        "turn-limit",
        "time-limit",
        "budget-limit",
    ] {
        assert!(text.contains(&format!("\"{class}\"")), "{class}: {text}");
    }

    let mut first = environment.command(arguments("torn"));
    let mut command = &mut first;
    let mut resume = environment.command(["resume", "torn", "--json", "--no-preflight"]);
    let (mut cut_off, mut acting) = (0, 0);
    for number in 0..kills {
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        let named =
            || calls(&environment, "SELECT name FROM experiments").contains(&"torn".to_owned());
        while !named() {
            std::thread::sleep(Duration::from_millis(20));
        }
        // Some kills come before the first attempt, and some during the last.
        let moment = Duration::from_secs_f64(0.04 + chance(("kill", seed, number)) * 1.5);
        std::thread::sleep(moment);
        let _ = child.kill();
        let killed = child.wait().unwrap().code().is_none();
        let left = calls(
            &environment,
            "SELECT a.task FROM attempts a JOIN experiments e ON e.id = a.experiment
             WHERE e.name = 'torn' AND a.status = 'running'",
        );
        assert!(
            killed || left.is_empty(),
            "kill {number}: it ended by itself and left {left:?} behind"
        );
        cut_off += u64::from(killed);
        // Some kills hit acting agents, others come before any agent acts.
        acting += u64::from(killed && !left.is_empty());
        command = &mut resume;
    }
    println!("{kills} kills: {cut_off} cut a run off, {acting} of them while agents acted");
    assert!(acting > 0, "no agent acted when its run was killed");
    // Attempts that three kills have cut off are made again only with `--retry-died`.
    let torn = environment
        .run(["resume", "torn", "--json", "--retry-died"])
        .exits(5)
        .json();
    assert_eq!(numbers(&torn), numbers(&undisturbed));
    assert_eq!(report("torn"), report("whole"));
    let graded = calls(
        &environment,
        "SELECT count(*) || ' of ' || count(DISTINCT position) FROM attempts a
         JOIN experiments e ON e.id = a.experiment
         WHERE e.name = 'torn' AND a.outcome = 'graded'",
    );
    let expected = undisturbed["summary"]["graded"].as_u64().unwrap();
    assert_eq!(
        graded,
        [format!("{expected} of {expected}")],
        "nothing is graded twice"
    );
    if let Some(page) = std::env::var_os("MCPMARK_TEST_PAGE") {
        let args = ["report", "torn", "--format", "html", "-o"];
        let args = args.map(Into::into).into_iter().chain([page]);
        environment.run(args).exits(0);
    }
}
