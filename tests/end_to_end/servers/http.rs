//! Servers that are reached over HTTP.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_model_server::Reaction;
use mcpmark_test_support::{Need, skip};
use serde_json::json;

use super::{JSON, Post, TASK, notes, peer, run_with, show_first};
use crate::environment::Environment;
use crate::models::{is_shown_nowhere, serve};
use crate::npm;

#[test]
fn a_server_over_http_gets_its_headers_and_they_are_seen_nowhere() {
    const CANARY: &str = "tk-canary-7c\"1b\\9";
    let environment = Environment::new();
    let url = peer(|post| notes(post, "2025-06-18"));
    let config = format!(
        "[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n\
         headers = {{ X-Notes-Key = \"NOTES_KEY\" }}\ntools = [\"remember\"]\nversion = \"1.2.3\"\n"
    );
    let keys = [("NOTES_TOKEN", CANARY), ("NOTES_KEY", CANARY)];
    let output = run_with(&environment, &config, &keys, &[]).exits(1);
    assert!(!format!("{output:?}").contains("canary"), "{output:?}");
    let report = output.json();
    let shown = show_first(&environment, &report);
    let said = shown["calls"][0]["result"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(said.contains("authorization: [redacted]"), "{said}");
    assert!(said.contains("x-notes-key: [redacted]"), "{said}");
    let forgotten = shown["calls"][1]["error"].as_str().unwrap();
    assert!(
        forgotten.contains("no tool named \"forget\""),
        "{forgotten}"
    );
    let messages = shown["messages"].to_string();
    assert!(
        messages.contains("server notes: notes 1.2.3, with remember"),
        "{messages}"
    );
    is_shown_nowhere(&environment, "canary", &["NOTES_TOKEN", "NOTES_KEY"]);
}

#[test]
fn a_server_over_http_that_cannot_be_used_is_named_before_anything_is_spent() {
    let environment = Environment::new();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/mcp", nobody.local_addr().unwrap());
    drop(nobody);
    let echo = |post: &Post| format!("{{\"error\": {:?}}}", post.headers);
    let mut transcript = String::new();
    for url in [
        closed,
        peer(move |post| (401, JSON, echo(post))),
        peer(move |post| (403, "text/plain", echo(post))),
        peer(move |post| (404, "text/plain", echo(post))),
        peer(|_| (307, "text/plain", String::new())),
        peer(|_| (503, "text/plain", String::new())),
        peer(|_| (200, "text/html", "<p>Hello".to_owned())),
        peer(move |post| (200, JSON, echo(post))),
        peer(|post| notes(post, "1999-01-01")),
    ] {
        let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
        let keys = [("NOTES_TOKEN", "tk-canary-1234")];
        let output = run_with(&environment, &config, &keys, &[]).exits(2);
        transcript += &output.transcript();
        assert!(!format!("{output:?}").contains("canary"), "{output:?}");
    }
    insta::assert_snapshot!(
        "a_server_over_http_that_cannot_be_used_is_named_before_anything_is_spent",
        transcript
    );
    let mut transcript = String::new();
    for config in [
        "url = \"http://example.org/mcp\"",
        "url = \"https://example.org/mcp\"\nbearer = \"tk-canary.1\"",
        "url = \"http://127.0.0.1:9/mcp\"\nbearer = \"NOTES_TOKEN\"",
        "command = [\"x\"]\nurl = \"http://127.0.0.1:9/mcp\"",
    ] {
        let config = format!("[servers.notes]\n{config}\n");
        let refused = run_with(&environment, &config, &[], &[]).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --json --mcp-config [dir]/config/servers.toml
    error: [dir]/config/servers.toml: line 1: `url`: the connection to http://example.org/mcp is not encrypted; use https, or set plain-http = true

    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --json --mcp-config [dir]/config/servers.toml
    error: [dir]/config/servers.toml: line 1: `bearer` is not the name of an environment variable; write the name of a variable, not its value

    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --json --mcp-config [dir]/config/servers.toml
    error: server notes: the environment variable NOTES_TOKEN is not set
    hint: nothing was run

    $ mcpmark run filesystem/village-festival/stall-balances --model openai/m --base-url http://127.0.0.1:[port]/v1 --json --mcp-config [dir]/config/servers.toml
    error: [dir]/config/servers.toml: line 1: `command` and `url` exclude each other
    ");
    assert!(!environment.home().join("journal.db").exists());
}

const EVERYTHING: &str = "2026.8.31";

/// A process that goes with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The reference server of the protocol, over HTTP; or why it cannot be had.
fn everything() -> Result<(Running, String), String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("differential")
        .join(format!("everything-{EVERYTHING}"));
    let name = "@modelcontextprotocol/server-everything";
    let manifest = json!({"private": true, "dependencies": {name: EVERYTHING}});
    let program = npm::install(&home, &manifest, &format!("{name}/dist/index.js"))?;
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = free.map_err(|error| error.to_string())?.port();
    let child = Command::new("node")
        .arg(program)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let running = Running(child.map_err(|error| error.to_string())?);
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if began.elapsed() > Duration::from_secs(30) {
            return Err("it does not listen".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok((running, format!("http://127.0.0.1:{port}/mcp")))
}

#[test]
fn the_reference_server_is_reached_over_http() {
    let (_running, url) = match everything() {
        Ok(running) => running,
        Err(reason) => {
            skip(
                Need::Npm,
                format!("server-everything {EVERYTHING}: {reason}"),
            );
            return;
        }
    };
    let environment = Environment::new();
    let dir = environment.directory(
        "config",
        &[(
            "servers.toml",
            &format!("[servers.all]\nurl = \"{url}\"\ntools = [\"echo\", \"get-sum\"]\n"),
        )],
    );
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("echo", &json!({"message": "well met"})),
        1 => Reaction::call("get-sum", &json!({"a": 19, "b": 23})),
        _ => Reaction::say("Done."),
    });
    let url = server.base_url();
    let file = dir.join("servers.toml");
    let args = [
        "run",
        TASK,
        "--model",
        "openai/m",
        "--base-url",
        &url,
        "--json",
        "--mcp-config",
    ];
    let report = environment
        .run(args.into_iter().chain([file.to_str().unwrap()]))
        .exits(1)
        .json();
    let shown = show_first(&environment, &report);
    let said = |call: usize| shown["calls"][call]["result"]["content"][0]["text"].clone();
    assert_eq!(said(0), "Echo: well met", "{}", shown["calls"]);
    assert!(said(1).as_str().unwrap().contains("42"), "{}", said(1));
}
