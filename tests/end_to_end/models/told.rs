//! Input of a model: its system prompt and its tools.

use std::path::Path;

use mcpmark_model_server::{Reaction, Request};
use serde_json::json;

use super::{TASK, calls, run, serve};
use crate::environment::{Environment, Output};

fn system(request: &Request) -> &str {
    request.body["messages"][0]["content"].as_str().unwrap()
}

/// Runs one attempt in which the model ends at once, and returns the last request.
fn asked(environment: &Environment, args: &[&str]) -> Request {
    let server = serve(|request| {
        if request.tools.is_empty() {
            Reaction::say(r#"{"thought": "t", "answer": "Done."}"#)
        } else {
            Reaction::say("Done.")
        }
    });
    let args: Vec<_> = ["--model", "openai/m", TASK]
        .iter()
        .chain(args)
        .copied()
        .collect();
    run(environment, &server, &args).exits(1);
    server.requests().pop().unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_system_prompt_replaces_that_of_the_agent_and_is_kept() {
    let environment = Environment::new();
    let prompt = "Arbeite sorgfältig.\nAnswer \"in short\".\n";
    let text = format!(
        "tasks = [\"{TASK}\"]\nsystem-prompt = \"short.md\"\n[[models]]\nname = \"openai/m\"\n"
    );
    let dir = environment.directory("prompts", &[("short.md", prompt), ("e.toml", &text)]);
    let file = dir.join("short.md");
    let request = asked(&environment, &["--system-prompt", path(&file)]);
    assert_eq!(system(&request), prompt);
    let react = asked(
        &environment,
        &["--system-prompt", path(&file), "--agent", "react"],
    );
    let (own, form) = system(&react).split_at(prompt.len());
    assert_eq!(own, prompt);
    assert!(
        form.contains("Each of your replies is one JSON object"),
        "{form}"
    );

    let server = serve(|_| Reaction::say("Done."));
    let config = dir.join("e.toml");
    run(&environment, &server, &["--config", path(&config)]).exits(1);
    assert_eq!(system(&server.requests().pop().unwrap()), prompt);
    let settings = "SELECT DISTINCT agent_settings ->> '$.system-prompt' FROM attempts";
    assert_eq!(calls(&environment, settings), [prompt]);

    let id = &calls(
        &environment,
        "SELECT id FROM attempts WHERE agent = 'mcpmark'",
    )[0];
    let long = "word ".repeat(100);
    std::fs::write(&file, &long).unwrap();
    asked(
        &environment,
        &["--system-prompt", path(&file), "--experiment", "long"],
    );
    let shown = environment.run(["show", "latest"]).exits(0).stdout;
    assert!(shown.contains("… (500 bytes)"), "{shown}");
    let shown = environment.run(["show", id, "--json"]).exits(0).json();
    assert_eq!(shown["agent_settings"]["system-prompt"], prompt);
    assert_eq!(shown["messages"][1]["content"]["text"], prompt);
}

#[test]
fn only_tools_that_match_are_offered() {
    let environment = Environment::new();
    let offered = |args: &[&str]| asked(&environment, args).tools;
    let reading = ["read_text_file", "read_media_file", "read_multiple_files"];
    let read = offered(&["--tools", "read_*"]);
    assert!(
        reading
            .iter()
            .all(|tool| read.iter().any(|name| name == tool)),
        "{read:?}"
    );
    assert!(
        read.iter().all(|tool| tool.starts_with("read_")),
        "{read:?}"
    );
    let rest = offered(&["--tools", "!read_*", "--tools", "!*director*"]);
    assert!(rest.iter().any(|tool| tool == "write_file"), "{rest:?}");
    assert!(
        !rest
            .iter()
            .any(|tool| tool.starts_with("read_") || tool.contains("director")),
        "{rest:?}"
    );
    let settings = "SELECT agent_settings ->> '$.tools' FROM attempts ORDER BY started_ms";
    assert_eq!(
        calls(&environment, settings),
        [r#"["read_*"]"#, r#"["!read_*","!*director*"]"#]
    );
    // A call of a tool that is not offered fails like that of an unknown tool.
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::call("ping", &json!({})),
        0 => Reaction::call("write_file", &json!({"path": "a", "content": ""})),
        _ => Reaction::say("Done."),
    });
    let args = ["--model", "openai/m", "--tools", "list_directory", TASK];
    run(&environment, &server, &args).exits(1);
    let error = &calls(
        &environment,
        "SELECT error FROM tool_calls WHERE error IS NOT NULL",
    )[0];
    assert_eq!(
        error,
        "there is no tool named \"write_file\"; there are list_directory"
    );
}

#[test]
fn prompts_and_globs_that_cannot_be_used_are_refused() {
    let environment = Environment::new();
    let long = "x".repeat((64 << 10) + 1);
    let dir = environment.directory("prompts", &[("empty.md", " \n"), ("long.md", &long)]);
    std::fs::write(dir.join("latin1.md"), b"gr\xfc\xdfe").unwrap();
    let mut transcript = String::new();
    let mut refused = |args: &[&str]| {
        let own = [
            "run",
            TASK,
            "--dry-run",
            "--base-url",
            "http://127.0.0.1:9/v1",
        ];
        let args = own.iter().chain(args);
        let refused = Output::of(&mut environment.command(args)).exits(2);
        transcript += &refused.transcript();
    };
    let model = ["--model", "openai/m"];
    for name in ["empty.md", "long.md", "latin1.md", "none.md"] {
        let file = dir.join(name);
        refused(&[&model[..], &["--system-prompt", path(&file)]].concat());
    }
    for glob in ["delete_*", "!delete_*", "!*", "read_["] {
        refused(&[&model[..], &["--tools", glob]].concat());
    }
    refused(&["--agent", "nop", "--tools", "read_*"]);
    insta::assert_snapshot!(
        "prompts_and_globs_that_cannot_be_used_are_refused",
        transcript
    );
    assert!(!environment.home().join("journal.db").exists());
}
