//! Servers of others: programs, and those that are reached over HTTP.

mod configuration;
mod failures;
mod http;
mod secrets;
mod stuck;
mod wrappers;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use mcpmark_model_server::Reaction;
use serde_json::{Value, json};

use crate::environment::{Environment, Output};
use crate::models::serve;

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

/// Response of a valid server. Its one tool returns the headers of the request.
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
