//! A model that tries to exhaust the memory of the machine, next to one that works.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use mcpmark_model_server::{Reaction, Request, Saying, Server};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, text};
use crate::library::Library;
use crate::models::{serve, solutions};

const TASK: &str = "filesystem/village-festival/stall-balances";

/// Memory budget of the process in these tests, in bytes. It is far less than the calls below ask for.
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

/// Returns the calls of a model that exhausts memory: texts that double, patterns with many alternatives, and large
/// files.
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
            let content = "0123456789abcde\n".repeat(1 << 17);
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

/// Starts a server in which `greedy` exhausts memory and `honest` solves the task.
fn server(environment: &Environment) -> Server {
    let solutions = solutions(environment, &[TASK]);
    serve(move |request: &Request| match request.model.as_str() {
        "greedy" => greed(request.turns),
        _ => solutions.step(request, 0),
    })
}

/// Waits for the process to end, and returns its peak of unshared memory, in bytes.
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

/// Reports whether the memory of a process can be measured here. If not, notes that the test is skipped.
fn tells_memory() -> bool {
    let tells = fs::exists("/proc/self/status").unwrap_or(false);
    if !tells {
        skip(Need::Proc, "the memory of a process");
    }
    tells
}

/// Runs a command with the memory budget. Asserts that some attempts fail and that the process stays below twice the
/// budget.
fn keeps_to_budget(command: &mut Command) {
    let mut child = command
        .env("MCPMARK_MEMORY_BYTES", BUDGET.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let peak = peak(&mut child);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "some attempts failed");
    assert!(peak < 2 * BUDGET, "{peak} bytes of a budget of {BUDGET}");
}

#[test]
fn a_model_that_takes_memory_is_told_and_the_other_is_untouched() {
    if !tells_memory() {
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
    keeps_to_budget(&mut command);

    let report = environment.run(["runs", "greed", "--json"]).exits(0).json();
    let attempts = report["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 4);
    for attempt in attempts {
        let is_honest = attempt["model"] == "openai/honest";
        assert_eq!(attempt["outcome"], "graded", "{attempt}");
        assert_eq!(attempt["passed"], is_honest, "{attempt}");
        assert_eq!(attempt["state"] == json!(alone), is_honest, "{attempt}");
    }
    // The greedy model got errors for the doubled text, the patterns and the long result.
    let greedy = attempts.iter().find(|it| it["model"] == "openai/greedy");
    let greedy = text(&greedy.unwrap()["id"]);
    let shown = environment.run(["show", &greedy, "--full"]).exits(0).stdout;
    // Edits end at the quota of the world or at the memory of the process, depending on what runs at the same time.
    let edits = ["the quota of", "needs more memory"];
    assert!(edits.iter().any(|it| shown.contains(it)), "{shown}");
    for limit in ["alternatives", "for one tool result"] {
        assert!(shown.contains(limit), "{limit}");
    }
    environment.run(["resume", "greed"]).exits(1);
}

/// Writes one long file, and reads it a hundred times in one reply.
fn hoard(turn: usize) -> Reaction {
    match turn {
        0 => {
            let content = "0123456789abcde\n".repeat((7 << 20) / 16);
            say(vec![(
                "write_file",
                json!({"path": "long.txt", "content": content}),
            )])
        }
        1 => say(vec![("read_text_file", json!({"path": "long.txt"})); 100]),
        _ => Reaction::say("Done."),
    }
}

#[test]
fn results_that_a_conversation_keeps_count_for_its_memory() {
    if !tells_memory() {
        return;
    }
    let environment = Environment::new();
    let server = serve(|request: &Request| hoard(request.turns));
    let url = server.base_url();
    let mut command = environment.command([
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/hoarder",
        "--max-result-bytes",
        "none",
        "--experiment",
        "hoard",
        TASK,
    ]);
    keeps_to_budget(&mut command);
    let report = environment.run(["runs", "hoard", "--json"]).exits(0).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "memory-limit", "{attempt}");
    assert_eq!(attempt["outcome"], "graded", "{attempt}");
}

/// The budget is less than the process uses without any call, so a call that runs long enough is always stopped.
#[test]
fn attempts_stopped_for_memory_are_graded_and_others_continue() {
    if !tells_memory() {
        return;
    }
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let search = library.long_search();
    let server = serve(
        move |request: &Request| match (request.model.as_str(), request.turns) {
            ("lingers", 0) => Reaction::call("search_files", &search),
            _ => Reaction::say("Done."),
        },
    );
    let url = server.base_url();
    let mut command = library.command([
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/lingers",
        "--model",
        "openai/quick",
        "--json",
        "filesystem/office/easy",
    ]);
    command.env("MCPMARK_MEMORY_BYTES", (16 << 20).to_string());
    let report = Output::of(&mut command).exits(0).json();
    let attempts = report["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2);
    for attempt in attempts {
        let is_stopped = attempt["model"] == "openai/lingers";
        let ended = if is_stopped {
            "memory-limit"
        } else {
            "completed"
        };
        assert_eq!(
            (&attempt["ended"], &attempt["outcome"]),
            (&json!(ended), &json!("graded")),
            "{attempt}"
        );
        let shown = library.run(["show", &text(&attempt["id"])]).exits(0).stdout;
        let told = "the tool `search_files` was stopped: the process used";
        assert_eq!(shown.contains(told), is_stopped, "{shown}");
    }
}

#[test]
fn a_reply_has_a_bounded_number_of_calls() {
    let environment = Environment::new();
    let server = serve(|request: &Request| match request.turns {
        0 => say(vec![("list_directory", json!({"path": "."})); 300]),
        _ => Reaction::say("Done."),
    });
    let url = server.base_url();
    let report = environment.run([
        "run",
        "--base-url",
        &url,
        "--model",
        "openai/many",
        "--json",
        TASK,
    ]);
    let report = report.exits(1).json();
    let attempt = text(&report["attempts"][0]["id"]);
    let shown = environment.run(["show", &attempt]).exits(0).stdout;
    let refused = shown.matches("may have at most 256 calls").count();
    assert_eq!(refused, 44, "{shown}");
}
