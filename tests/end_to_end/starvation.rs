//! A model that tries to take the memory of the machine, beside one that works.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use mcpmark_model_server::{Reaction, Request, Saying, Server};
use serde_json::{Value, json};

use crate::environment::{Environment, text};
use crate::models::{serve, solutions};
use crate::skip;

const TASK: &str = "filesystem/village-festival/stall-balances";

/// Memory of the process in the test, and far less than the calls below ask for.
const BUDGET: u64 = 512 << 20;

fn say(calls: Vec<(&str, Value)>) -> Reaction {
    let calls = calls
        .into_iter()
        .map(|(tool, arguments)| (tool.to_owned(), arguments.to_string()))
        .collect();
    Reaction::Say(Saying {
        calls,
        ..Saying::default()
    })
}

/// The calls of a model that wants all memory: texts that double, patterns that multiply, and large files.
fn greed(turn: usize) -> Reaction {
    match turn {
        0 => {
            let content = format!("{}X", "a".repeat(1_000));
            say(vec![(
                "write_file",
                json!({"path": "x.txt", "content": content}),
            )])
        }
        1 => {
            let double = json!({"oldText": "X", "newText": "$`X"});
            let edits = vec![double; 20];
            say(vec![(
                "edit_file",
                json!({"path": "x.txt", "edits": edits}),
            )])
        }
        2 => {
            let numbers: Vec<String> = (1..1_000).map(|number| number.to_string()).collect();
            let pattern = format!("{{{}}}{}", numbers.join(","), "b".repeat(4_000));
            let patterns = vec![pattern; 100];
            let arguments = json!({"path": ".", "excludePatterns": patterns});
            say(vec![("directory_tree", arguments)])
        }
        3..9 => {
            let path = format!("large-{turn}.txt");
            let content = "0123456789abcde\n".repeat(1 << 19);
            say(vec![(
                "write_file",
                json!({"path": path, "content": content}),
            )])
        }
        9 => {
            let paths: Vec<String> = (3..9).map(|turn| format!("large-{turn}.txt")).collect();
            let paths = [&paths[..], &paths[..], &paths[..], &paths[..]].concat();
            say(vec![("read_multiple_files", json!({"paths": paths}))])
        }
        _ => Reaction::say("Done."),
    }
}

/// `greedy` wants all memory, `honest` solves the task.
fn server(environment: &Environment) -> Server {
    let solutions = solutions(environment, &[TASK]);
    serve(move |request: &Request| match request.model.as_str() {
        "greedy" => greed(request.turns),
        _ => solutions.step(request, 0),
    })
}

/// The most memory of its own that the process had until its end, in bytes.
fn peak(child: &mut Child) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let kilobytes = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name));
            let number = line.and_then(|line| line.split_whitespace().nth(1));
            number.and_then(|number| number.parse::<u64>().ok())
        };
        let own = kilobytes("RssAnon:").unwrap_or(0) + kilobytes("RssShmem:").unwrap_or(0);
        peak = peak.max(own * 1024);
        thread::sleep(Duration::from_millis(10));
    }
    peak
}

#[test]
fn a_model_that_takes_memory_is_told_and_the_other_is_untouched() {
    if !fs::exists("/proc/self/status").unwrap_or(false) {
        skip::tool("/proc", "the memory of a process");
        return;
    }
    let environment = Environment::new();
    let server = server(&environment);
    let url = server.base_url();
    let alone = environment.run([
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/honest",
        "--json",
        TASK,
    ]);
    let alone = alone.exits(0).json();
    let alone = text(&alone["attempts"][0]["state"]);

    let mut command = environment.command([
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/greedy",
        "--model",
        "openai/honest",
        "-k",
        "2",
        "-j",
        "2",
        "--experiment",
        "greed",
        TASK,
    ]);
    command.env("MCPMARK_MEMORY_BYTES", BUDGET.to_string());
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let peak = peak(&mut child);
    assert_eq!(
        child.wait().unwrap().code(),
        Some(1),
        "some attempts failed"
    );
    assert!(peak < 2 * BUDGET, "{peak} bytes of a budget of {BUDGET}");

    let report = environment.run(["runs", "greed", "--json"]).exits(0).json();
    let attempts = report["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 4);
    for attempt in attempts {
        let is_honest = attempt["model"] == "openai/honest";
        assert_eq!(attempt["outcome"], "graded", "{attempt}");
        assert_eq!(attempt["passed"], is_honest, "{attempt}");
        assert_eq!(attempt["state"] == json!(alone), is_honest, "{attempt}");
    }
    // The greedy one was told of what asked for too much: doubled texts, patterns, and a long result.
    let greedy = attempts.iter().find(|it| it["model"] == "openai/greedy");
    let greedy = text(&greedy.unwrap()["id"]);
    let shown = environment.run(["show", &greedy, "--full"]).exits(0).stdout;
    // Whether the quota of the world or the memory of the process ends the edits depends on what goes on beside them.
    let edits = ["the quota of", "needs more memory"];
    assert!(edits.iter().any(|it| shown.contains(it)), "{shown}");
    for limit in ["alternatives", "for one tool result"] {
        assert!(shown.contains(limit), "{limit}");
    }
    environment.run(["resume", "greed"]).exits(1);
}
