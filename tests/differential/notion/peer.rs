//! The published server as a child process, and a client of its standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

/// Time within which the server must answer.
const LIMIT: Duration = Duration::from_secs(60);

/// Running server. It is killed on drop.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    /// Lines of the output, which a thread reads. It ends with the output.
    lines: Receiver<String>,
    id: u64,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Starts the server for an API at this address. It sends this version of the API with each request, or those of its
    /// OpenAPI document.
    pub(crate) fn start(server: &Path, address: &str, version: Option<&str>) -> Self {
        let mut command = Command::new("node");
        command.env_remove("OPENAPI_MCP_HEADERS");
        match version {
            Some(version) => {
                let headers =
                    json!({"Authorization": "Bearer ntn_test", "Notion-Version": version});
                command.env("OPENAPI_MCP_HEADERS", headers.to_string());
            }
            None => {
                command.env("NOTION_TOKEN", "ntn_test");
            }
        }
        let mut child = command
            .arg(server)
            .env("BASE_URL", address)
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Node.js starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let all = output.lines().map_while(Result::ok);
            all.map(|line| sender.send(line)).all(|sent| sent.is_ok())
        });
        let mut peer = Self {
            child,
            input,
            lines,
            id: 0,
        };
        let client = json!({"name": "test", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client});
        peer.request("initialize", &hello);
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        peer
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let line = self.lines.recv_timeout(LIMIT);
            let line =
                line.unwrap_or_else(|error| panic!("no answer to {method} {parameters}: {error}"));
            let message: Value = serde_json::from_str(&line).expect("a message");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool. Returns the text of the result, or the message of a protocol error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let message = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        if let Some(error) = message.get("error") {
            return format!(
                "protocol error: {}",
                error["message"].as_str().unwrap_or_default()
            );
        }
        let blocks = message["result"]["content"].as_array().expect("content");
        assert!(
            message["result"].get("isError").is_none(),
            "a flag that the server does not set"
        );
        blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect()
    }
}
