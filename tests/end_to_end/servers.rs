//! Servers of others: programs, and those that are reached over HTTP.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcpmark_model_server::Reaction;
use mcpmark_test_support::{Need, skip};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::environment::{Environment, Output};
use crate::library::Library;
use crate::models::{calls, is_shown_nowhere, serve};
use crate::npm;
use crate::programs::has_gone;

const TASK: &str = "filesystem/village-festival/stall-balances";

/// An MCP server in the shell alone, for its environment is empty.
const NOTES: &str = r#"
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1.2.3"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"remember","inputSchema":{"type":"object"}},{"name":"forget","inputSchema":{"type":"object"}}]}';;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"token='$NOTES_TOKEN' home='$HOME'"}]}';;
    *) continue;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done
"#;

#[test]
fn tools_of_other_servers_stand_beside_those_of_the_world() {
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("remember", &json!({})),
        1 => Reaction::call("forget", &json!({})),
        _ => Reaction::say("Done."),
    });
    let config = |version: &str| {
        format!(
            "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\nenv = [\"NOTES_TOKEN\"]\n\
             tools = [\"remember\"]\nversion = \"{version}\"\n",
            environment.path("notes/server.sh").display()
        )
    };
    let (right, wrong) = (config("1.2.3"), config("2.0.0"));
    let clash = right
        .replace("server.sh", "clash.sh")
        .replace("tools = [\"remember\"]\n", "");
    let dir = environment.directory(
        "notes",
        &[
            ("server.sh", NOTES),
            ("right.toml", &right),
            ("wrong.toml", &wrong),
            ("clash.sh", &NOTES.replace("forget", "write_file")),
            ("clash.toml", &clash),
            (
                "false.toml",
                "[servers.notes]\ncommand = [\"/bin/false\"]\n",
            ),
        ],
    );
    let url = server.base_url();
    let run = |file: &str, token: &str, more: &[&str]| {
        let file = dir.join(file);
        let file = file.to_str().unwrap();
        let args = [
            "run",
            TASK,
            "--model",
            "openai/m",
            "--base-url",
            &url,
            "--mcp-config",
            file,
            "--json",
        ];
        let mut command = environment.command(args.iter().chain(more));
        command.env_remove("NOTES_TOKEN");
        if !token.is_empty() {
            command.env("NOTES_TOKEN", token);
        }
        Output::of(&mut command)
    };
    let canary = "tk-canary-55d0";
    let report = run("right.toml", canary, &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    assert_eq!(
        shown["calls"][0]["result"]["content"][0]["text"],
        "token=[redacted] home="
    );
    is_shown_nowhere(&environment, canary, &["NOTES_TOKEN"]);
    let error = shown["calls"][1]["error"].as_str().unwrap();
    assert!(
        error.contains("there is no tool named \"forget\""),
        "{error}"
    );
    let messages = shown["messages"].to_string();
    assert!(
        messages.contains("server notes: notes 1.2.3, with remember"),
        "{messages}"
    );
    let offered = &server.requests().last().unwrap().tools.clone();
    assert!(offered.contains(&"remember".to_owned()) && offered.contains(&"write_file".to_owned()));
    assert!(
        shown["messages"]
            .to_string()
            .contains("remember: an empty `properties` was added")
    );

    let clash =
        "server notes: tool \"write_file\" already exists in the world or in another server";
    let fault = |output: Output| {
        let report = output.exits(5).says(&["mcpmark resume"]).json();
        report["attempts"][0]["fault"]["message"].to_string()
    };
    let output = run("clash.toml", "t", &[]).exits(2);
    output.says(&[clash, "select the tools of this server with `tools = […]`"]);
    let late = fault(run("clash.toml", "t", &["--no-preflight"]));
    assert!(late.contains("write_file"), "{late}");
    run("false.toml", "t", &[])
        .exits(2)
        .says(&["server notes: /bin/false exited before it responded (exit status 1)"]);

    let message = "server notes has version \"1.2.3\", but the configuration requires \"2.0.0\"";
    run("wrong.toml", "t", &[]).exits(2).says(&[message]);
    let report = run("wrong.toml", "t", &["--no-preflight"]).exits(5).json();
    let fault = report["attempts"][0]["fault"]["message"].as_str().unwrap();
    assert!(fault.contains(message), "{fault}");
    for more in [&[][..], &["--no-preflight"]] {
        let unset = "server notes: the environment variable NOTES_TOKEN is not set";
        run("right.toml", "", more).exits(2).says(&[unset]);
    }
}

#[test]
fn tools_that_only_some_worlds_of_a_kind_have_clash_before_anything_is_run() {
    let environment = Environment::new();
    let server = serve(|request| {
        if request.tools == ["ping"] {
            Reaction::call("ping", &json!({}))
        } else {
            Reaction::say("Done.")
        }
    });
    let script = environment.path("notes/server.sh");
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let dir = environment.directory(
        "notes",
        &[
            ("server.sh", &NOTES.replace("forget", "list_workflows")),
            ("servers.toml", &config),
        ],
    );
    let (file, url) = (dir.join("servers.toml"), server.base_url());
    let run = |task: &str| {
        environment.run([
            "run",
            task,
            "--model",
            "openai/m",
            "--base-url",
            &url,
            "--mcp-config",
            file.to_str().unwrap(),
            "--json",
        ])
    };
    run("github/fallow/outages").exits(2).says(&[
        "server notes: tool \"list_workflows\" already exists in the world or in another server",
        "nothing was run",
    ]);
    assert_eq!(
        environment.run(["runs", "--json"]).exits(0).json(),
        json!([])
    );
    // Where no workflow runs, no tool tells of any.
    run("github/quay/left-branches").exits(1);
}

/// A request to the scripted server.
struct Post {
    method: String,
    headers: String,
    body: Value,
}

/// An MCP server over streamable HTTP that answers what it is told to: a status, a content type
/// and a body. It runs until the process ends.
fn peer(script: impl Fn(&Post) -> (u16, &'static str, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let script = std::sync::Arc::new(script);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let script = std::sync::Arc::clone(&script);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(&stream);
                while let Some(post) = read(&mut reader) {
                    let (status, kind, body) = script(&post);
                    let head = format!(
                        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\nmcp-session-id: s-1\r\n\
                         location: http://127.0.0.1:9/\r\ncontent-length: {}\r\n\r\n",
                        body.len()
                    );
                    if (&stream).write_all((head + &body).as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    url
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Post> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let wanted = name.eq_ignore_ascii_case("content-length");
        wanted.then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Post {
        method: head.split(' ').next().unwrap().to_owned(),
        headers: head,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// What a good server answers. Its one tool says which headers it got.
fn notes(post: &Post, version: &str) -> (u16, &'static str, String) {
    let id = &post.body["id"];
    let result = match post.body["method"].as_str() {
        _ if post.method == "GET" => return (405, JSON, String::new()),
        Some("initialize") => json!({
            "protocolVersion": version, "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1.2.3"},
        }),
        Some("tools/list") => json!({"tools": [
            {"name": "remember", "inputSchema": {"type": "object"}},
            {"name": "forget", "inputSchema": {"type": "object"}},
        ]}),
        Some("tools/call") => {
            json!({"content": [{"type": "text", "text": format!("you sent {}", post.headers)}]})
        }
        Some("ping") => json!({}),
        _ => return (202, JSON, String::new()),
    };
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    match post.body["method"].as_str() {
        Some("initialize") => (200, JSON, message),
        _ => (200, EVENTS, format!("data: {message}\n\n")),
    }
}

/// Server whose tool `remember` gets this response, as an event or as a plain body.
fn peer_of_remember(
    status: u16,
    kind: &'static str,
    body: impl Fn(&Post) -> String + Send + Sync + 'static,
) -> String {
    peer(move |post| {
        if post.body["params"]["name"] != "remember" {
            return notes(post, "2025-06-18");
        }
        let body = body(post);
        let body = if kind == EVENTS {
            format!("data: {body}\n\n")
        } else {
            body
        };
        (status, kind, body)
    })
}

/// Runs a task with the servers of a configuration, by a model that remembers and forgets.
fn run_with(
    environment: &Environment,
    config: &str,
    keys: &[(&str, &str)],
    more: &[&str],
) -> Output {
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("remember", &json!({})),
        1 => Reaction::call("forget", &json!({})),
        _ => Reaction::say("Done."),
    });
    let dir = environment.directory("config", &[("servers.toml", config)]);
    let file = dir.join("servers.toml");
    let url = server.base_url();
    let args = [
        "run",
        TASK,
        "--model",
        "openai/m",
        "--base-url",
        &url,
        "--json",
    ];
    let config = ["--mcp-config", file.to_str().unwrap()];
    let mut command = environment.command(args.iter().chain(&config).chain(more));
    command.envs(keys.iter().copied());
    Output::of(&mut command)
}

/// Returns the output of `show` for the first attempt of a report.
fn show_first(environment: &Environment, report: &Value) -> Value {
    let id = report["attempts"][0]["id"].as_str().unwrap();
    environment.run(["show", id, "--json"]).exits(0).json()
}

/// Checks that the first call to a server fails with this message, and that the next call and the attempt go on.
fn assert_fails_alone(url: &str, message: &str, case: &str) {
    let environment = Environment::new();
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let report = run_with(&environment, &config, &[], &[]).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{case}: {attempt}");
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains(message), "{case}: {error}");
    assert_eq!(shown["calls"][1]["is_error"], false, "{case}: {shown}");
}

/// Runs a task with the models `stuck` and `works` at the same time, and returns their attempts.
fn run_stuck_and_works(library: &Library, url: &str, more: &[&str]) -> [Value; 2] {
    let models = ["openai/stuck", "openai/works"];
    let args = [
        "run",
        "filesystem/office/easy",
        "--model",
        models[0],
        "--model",
        models[1],
        "-j",
        "2",
        "--base-url",
        url,
        "--json",
    ];
    let report = library.run(args.iter().chain(more)).exits(0).json();
    models.map(|model| {
        let mut attempts = report["attempts"].as_array().unwrap().iter();
        attempts.find(|it| it["model"] == model).unwrap().clone()
    })
}

/// An experiment's file has the servers too: it keeps them as they are written, with variables for
/// secrets, and is read as strictly as a file of servers alone.
#[test]
fn the_file_of_an_experiment_names_servers() {
    const CANARY: &str = "tk-canary-93e7";
    let environment = Environment::new();
    let server = serve(|request| match request.turns {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        0 => Reaction::call("remember", &json!({})),
        _ => Reaction::say("Done."),
    });
    let notes = peer(|post| notes(post, "2025-06-18"));
    let file = format!(
        "experiment = \"with-notes\"\ntasks = [\"{TASK}\"]\n\n\
         [[models]]\nname = \"openai/m\"\nbase-url = \"{}\"\n\n\
         [servers.notes]\nurl = \"{notes}\"\nbearer = \"NOTES_TOKEN\"\ntools = [\"remember\"]\n",
        server.base_url()
    );
    let elsewhere = "[servers.notes]\ncommand = [\"/nowhere/notes\"]\n";
    let dir = environment.directory(
        "config",
        &[
            ("experiment.toml", &file),
            ("servers.toml", elsewhere),
            ("token.toml", &format!("{file}token = \"{CANARY}\"\n")),
            (
                "value.toml",
                &file.replace("\"NOTES_TOKEN\"", "\"tk-canary.1\""),
            ),
        ],
    );
    let run = |file: &str, more: &[&str]| {
        let file = dir.join(file);
        let args = ["run", "--json", "--config", file.to_str().unwrap()];
        let mut command = environment.command(args.iter().chain(more));
        Output::of(command.env("NOTES_TOKEN", CANARY))
    };
    for (file, more, message) in [
        ("token.toml", vec![], "unknown field `token`"),
        ("value.toml", vec![], "write the name of a variable"),
        (
            "experiment.toml",
            vec!["--mcp-config", dir.join("servers.toml").to_str().unwrap()],
            "/nowhere/notes",
        ),
    ] {
        let output = run(file, &more).exits(2).says(&[message]);
        assert!(!format!("{output:?}").contains("tk-canary.1"), "{output:?}");
    }
    let report = run("experiment.toml", &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    let said = shown["calls"][0]["result"]["content"][0]["text"].to_string();
    assert!(said.contains("authorization: [redacted]"), "{said}");
    let specs = calls(&environment, "SELECT spec FROM experiments");
    let spec: Value = serde_json::from_str(specs.last().unwrap()).unwrap();
    assert_eq!(
        spec["participants"][0]["agent_settings"]["servers"]["notes"],
        json!({"url": notes, "bearer": "NOTES_TOKEN", "tools": ["remember"], "version": null})
    );
    is_shown_nowhere(&environment, CANARY, &["NOTES_TOKEN"]);
}

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
fn a_secret_that_a_server_recodes_is_seen_nowhere() {
    const CANARY: &str = "tk-canary/5f1e9a77d2";
    let environment = Environment::new();
    let escaped = CANARY.replace('/', "\\/");
    let nested = json!({"inner": json!({"token": CANARY}).to_string()}).to_string();
    let percent = CANARY.replace('/', "%2F");
    let base64 = STANDARD.encode(CANARY);
    let forms = [escaped, nested, percent, base64];
    let said = forms.join(" or ");
    let url = peer(move |post| match post.body["method"].as_str() {
        Some("tools/call") => {
            let result = json!({"content": [{"type": "text", "text": said}]});
            let answer = json!({"jsonrpc": "2.0", "id": post.body["id"], "result": result});
            (200, JSON, answer.to_string())
        }
        _ => notes(post, "2025-06-18"),
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
    let output = run_with(&environment, &config, &[("NOTES_TOKEN", CANARY)], &[]).exits(1);
    let report = output.json();
    let shown = show_first(&environment, &report);
    let result = shown["calls"][0]["result"]["content"][0]["text"].to_string();
    assert_eq!(
        result.matches("[redacted]").count(),
        forms.len(),
        "{result}"
    );
    for form in forms {
        is_shown_nowhere(&environment, &form, &["NOTES_TOKEN"]);
    }
    is_shown_nowhere(&environment, "5f1e9a77d2", &["NOTES_TOKEN"]);
}

#[test]
fn a_server_over_http_that_cannot_be_used_is_named_before_anything_is_spent() {
    let environment = Environment::new();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/mcp", nobody.local_addr().unwrap());
    drop(nobody);
    let echo = |post: &Post| format!("{{\"error\": {:?}}}", post.headers);
    for (url, message) in [
        (closed, "cannot connect: Connection refused"),
        (
            peer(move |post| (401, JSON, echo(post))),
            "the server responded with HTTP 401;",
        ),
        (
            peer(move |post| (403, "text/plain", echo(post))),
            "the server responded with HTTP 403;",
        ),
        (
            peer(move |post| (404, "text/plain", echo(post))),
            "the server responded with HTTP 404",
        ),
        (
            peer(|_| (307, "text/plain", String::new())),
            "the server responded with HTTP 307",
        ),
        (
            peer(|_| (503, "text/plain", String::new())),
            "the server responded with HTTP 503",
        ),
        (
            peer(|_| (200, "text/html", "<p>Hello".to_owned())),
            "the response is not MCP: its content type is text/html",
        ),
        (
            peer(move |post| (200, JSON, echo(post))),
            "the response is not MCP",
        ),
        (
            peer(|post| notes(post, "1999-01-01")),
            "unsupported protocol version \"1999-01-01\"",
        ),
    ] {
        let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
        let keys = [("NOTES_TOKEN", "tk-canary-1234")];
        let output = run_with(&environment, &config, &keys, &[]).exits(2);
        let output = output.says(&["server notes", message, "nothing was run"]);
        assert!(!format!("{output:?}").contains("canary"), "{output:?}");
    }
    for (config, message) in [
        (
            "url = \"http://example.org/mcp\"",
            "use https, or set plain-http = true",
        ),
        (
            "url = \"https://example.org/mcp\"\nbearer = \"tk-canary.1\"",
            "write the name of a variable",
        ),
        (
            "url = \"http://127.0.0.1:9/mcp\"\nbearer = \"NOTES_TOKEN\"",
            "NOTES_TOKEN is not set",
        ),
        (
            "command = [\"x\"]\nurl = \"http://127.0.0.1:9/mcp\"",
            "exclude each other",
        ),
    ] {
        let config = format!("[servers.notes]\n{config}\n");
        run_with(&environment, &config, &[], &[])
            .exits(2)
            .says(&[message]);
    }
    assert!(!environment.home().join("journal.db").exists());
}

#[test]
fn a_server_that_goes_away_in_mid_run_is_no_failure_of_the_model() {
    let environment = Environment::new();
    let is_gone = AtomicBool::new(false);
    let url = peer(move |post| {
        if post.body["method"] == "tools/call" {
            is_gone.store(true, Ordering::Relaxed);
        }
        if is_gone.load(Ordering::Relaxed) {
            return (502, "text/plain", "gone".to_owned());
        }
        notes(post, "2025-06-18")
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let report = run_with(&environment, &config, &[], &[]).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["outcome"], "infra-error");
    let fault = attempt["fault"]["message"].as_str().unwrap();
    assert!(
        fault.contains("cannot send the call to the mcp server: HTTP 502")
            && fault.contains("server notes cannot be started again"),
        "{fault}"
    );
}

/// An agent chooses the arguments of a call, so what they make a server respond must not void its grade.
#[test]
fn a_call_whose_response_cannot_be_used_fails_alone() {
    let deep = |post: &Post| {
        let (open, close) = ("[".repeat(200), "]".repeat(200));
        format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"structuredContent":{{"x":{open}{close}}}}}}}"#,
            post.body["id"]
        )
    };
    let parse_error =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;
    let other_id = r#"{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}"#;
    let responds = "; the server still responds";
    let cases: [(u16, &str, &str, &str); 15] = [
        (401, "text/plain", "who are you", responds),
        (403, "text/html", "blocked by a rule", responds),
        (404, "text/plain", "no such session", responds),
        (502, "text/plain", "the worker died", responds),
        (504, "text/plain", "too slow", responds),
        (200, "text/html", "an error page", "content type text/html"),
        (200, JSON, other_id, "not the response to this call"),
        (200, EVENTS, "", responds),
        (200, EVENTS, "no message", responds),
        (413, "text/html", "too large", "HTTP 413"),
        (429, "text/plain", "slow down", "HTTP 429"),
        (500, "text/plain", "a bug", "HTTP 500"),
        (400, JSON, parse_error, "Parse error"),
        (200, JSON, "deep", "is not a valid message"),
        (200, EVENTS, "deep", "is not a valid message"),
    ];
    for (status, kind, body, message) in cases {
        let url = peer_of_remember(status, kind, move |post| {
            if body == "deep" {
                deep(post)
            } else {
                body.to_owned()
            }
        });
        assert_fails_alone(&url, message, &format!("{status} {kind}"));
    }
}

/// A program that exits during a call was perhaps made to exit by the arguments, so it is started again.
#[test]
fn a_program_that_a_call_ends_is_started_again() {
    let environment = Environment::new();
    let ends = NOTES.replace(
        r#"*'"tools/call"'*)"#,
        r#"*'"name":"remember"'*) exit 3;; *'"tools/call"'*)"#,
    );
    let script = environment.path("notes/server.sh");
    environment.directory("notes", &[("server.sh", &ends)]);
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let report = run_with(&environment, &config, &[], &[]).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["ended"], "completed", "{attempt}");
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains("the server was started again"), "{error}");
    assert_eq!(shown["calls"][1]["is_error"], false, "{shown}");
}

/// Writes a wrapper that starts a helper and then the server, as `npx` does. The helper does not end with its input.
/// Returns the configuration, and the file to which each start adds the id of the helper.
fn wrapper(environment: &Environment, server: &str) -> (String, PathBuf) {
    let (dir, helpers) = (environment.path("notes"), environment.path("helpers"));
    let script = format!(
        "sleep 1000 &\necho $! >> '{}'\n/bin/sh '{}'\nexit\n",
        helpers.display(),
        dir.join("server.sh").display()
    );
    let files = [("wrapper.sh", script.as_str()), ("server.sh", server)];
    environment.directory("notes", &files);
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        dir.join("wrapper.sh").display()
    );
    (config, helpers)
}

#[test]
fn a_wrapper_ends_with_all_that_it_has_started() {
    let environment = Environment::new();
    let (config, helpers) = wrapper(&environment, NOTES);
    let report = run_with(&environment, &config, &[], &[]).exits(1).json();
    let shown = show_first(&environment, &report);
    assert_eq!(shown["calls"][0]["is_error"], false, "{shown}");
    let helpers = fs::read_to_string(helpers).unwrap();
    assert_eq!(helpers.lines().count(), 2, "preflight and attempt");
    for helper in helpers.lines() {
        has_gone(helper.parse().unwrap());
    }
}

#[test]
fn ctrl_c_during_a_preflight_ends_a_wrapper_with_all_that_it_has_started() {
    let environment = Environment::new();
    let (config, helpers) = wrapper(&environment, "sleep 1000\n");
    let dir = environment.directory("config", &[("servers.toml", &config)]);
    let file = dir.join("servers.toml");
    let args = ["run", TASK, "--model", "openai/m", "--mcp-config"];
    let mut command = environment.command(args.iter().chain(&[file.to_str().unwrap()]));
    command.args(["--base-url", "http://127.0.0.1:9/v1"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let helper = loop {
        match fs::read_to_string(&helpers) {
            Ok(text) if text.ends_with('\n') => break text.trim().parse().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
        assert!(child.try_wait().unwrap().is_none(), "the run has ended");
    };
    // Only to this process, whereas a terminal signals the process group.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    has_gone(helper);
}

/// A server that accepts connections and is silent after it was lost is gone, however long a call may take.
#[test]
fn a_lost_server_that_stays_silent_gives_no_grade() {
    let environment = Environment::new();
    let is_gone = AtomicBool::new(false);
    let url = peer(move |post| {
        if is_gone.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if post.body["method"] == "tools/call" {
            is_gone.store(true, Ordering::Relaxed);
            return (502, "text/plain", "gone".to_owned());
        }
        notes(post, "2025-06-18")
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\n");
    let more = ["--limit-tool-time", "5"];
    let report = run_with(&environment, &config, &[], &more).exits(5).json();
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["outcome"], "infra-error");
    let fault = attempt["fault"]["message"].as_str().unwrap();
    for words in ["HTTP 502", "server notes cannot be started again", "30 s"] {
        assert!(fault.contains(words), "{fault}");
    }
}

/// A secret is redacted before a response is cut for an error message, so that no part of it is left at the cut.
#[test]
fn no_part_of_a_secret_is_quoted_from_a_response() {
    const SECRET: &str = "canary-0123456789-abcdefghij";
    let environment = Environment::new();
    let url = peer_of_remember(500, "text/plain", |_| {
        format!("{}{SECRET}", "x".repeat(290))
    });
    let config = format!("[servers.notes]\nurl = \"{url}\"\nbearer = \"NOTES_TOKEN\"\n");
    let report = run_with(&environment, &config, &[("NOTES_TOKEN", SECRET)], &[]).json();
    let shown = show_first(&environment, &report);
    let error = shown["calls"][0]["error"].to_string();
    assert!(error.contains("HTTP 500"), "{error}");
    assert!(!error.contains("canary"), "{error}");
}

/// A parsed value takes many times the memory of its text, so a response of more values than a message may have is not
/// parsed, whether it is an event or a plain body.
#[test]
fn a_response_of_too_many_values_is_never_parsed() {
    for kind in [EVENTS, JSON] {
        let url = peer_of_remember(200, kind, |post| {
            let values = "[0],".repeat(3_000_000);
            format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"structuredContent":{{"x":[{values}0]}}}}}}"#,
                post.body["id"]
            )
        });
        assert_fails_alone(&url, "JSON values, and may have 1000000", kind);
    }
}

/// A tool of a server that is never answered holds up its own attempt alone, by whichever limit.
#[test]
fn a_call_that_is_never_answered_ends_by_its_limit_and_other_attempts_go_on() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let silent = NOTES.replace(
        r#"*'"tools/call"'*)"#,
        r#"*'"name":"forget"'*) continue;; *'"tools/call"'*)"#,
    );
    let script = environment.path("notes/server.sh");
    let config = format!(
        "[servers.notes]\ncommand = [\"/bin/sh\", \"{}\"]\n",
        script.display()
    );
    let dir = environment.directory(
        "notes",
        &[("server.sh", &silent), ("servers.toml", &config)],
    );
    let server = serve(|request| match (request.model.as_str(), request.turns) {
        _ if request.tools == ["ping"] => Reaction::say("ok"),
        ("stuck", 0) => Reaction::call("forget", &json!({})),
        ("works", 0) => Reaction::call("remember", &json!({})),
        _ => Reaction::say("Done."),
    });
    let (file, url) = (dir.join("servers.toml"), server.base_url());
    for (limit, ended, told) in [
        ("--limit-time", "time-limit", "5 s were used"),
        ("--limit-tool-time", "completed", "no result after 5 s"),
    ] {
        let file = file.to_str().unwrap();
        let more = ["--mcp-config", file, limit, "5"];
        let [stuck, works] = run_stuck_and_works(&library, &url, &more);
        assert_eq!(
            (&stuck["ended"], &works["ended"]),
            (&json!(ended), &json!("completed"))
        );
        // The final state is graded all the same.
        assert_eq!(
            (&stuck["passed"], &works["passed"]),
            (&json!(true), &json!(true))
        );
        let show = |attempt: &Value| {
            let id = attempt["id"].as_str().unwrap();
            library.run(["show", id, "--json"]).exits(0).json()
        };
        let error = show(&stuck)["calls"][0]["error"].to_string();
        assert!(error.contains(told), "{error}");
        assert_eq!(show(&works)["calls"][0]["is_error"], false);
    }
}

#[test]
fn a_long_call_of_a_world_ends_by_its_limit_and_other_attempts_go_on() {
    let environment = Environment::bare();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let search = library.long_search();
    let server = serve(
        move |request| match (request.model.as_str(), request.turns) {
            _ if request.tools == ["ping"] => Reaction::say("ok"),
            ("stuck", 0) => Reaction::call("search_files", &search),
            ("works", 0) => Reaction::call("list_directory", &json!({"path": "letters"})),
            _ => Reaction::say("Done."),
        },
    );
    let url = server.base_url();
    for (limit, ended, told) in [
        ("--limit-time", "time-limit", "3 s were used"),
        ("--limit-tool-time", "completed", "no result after 3 s"),
    ] {
        let [stuck, works] = run_stuck_and_works(&library, &url, &[limit, "3"]);
        assert_eq!(stuck["ended"], ended);
        assert_eq!(
            stuck["passed"], true,
            "the final state is graded all the same"
        );
        assert_eq!(
            (&works["ended"], &works["passed"]),
            (&json!("completed"), &json!(true))
        );
        let id = stuck["id"].as_str().unwrap();
        let shown = library.run(["show", id, "--json"]).exits(0).json();
        let error = shown["calls"][0]["error"].to_string();
        assert!(error.contains(told), "{error}");
    }
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
