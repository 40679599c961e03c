//! JSON-RPC clients of the two servers: the published one and ours.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::{Service, Session, SessionLimits, WorldState};
use mcpmark_snapshot::{CopyMethod, ScratchSpace, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::runtime::Runtime;

use crate::worlds::{CLOCK, Spec, State};

/// Timeout of one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Server with a world.
pub(crate) trait Peer {
    /// Path of the world's root as the server sees it.
    fn root(&self) -> &str;

    /// Sends one line and returns the answer without its `jsonrpc` and `id`.
    fn exchange(&mut self, message: &str) -> Value;

    /// Returns the present state of the world.
    fn state(&mut self) -> State;

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.exchange(&message.to_string())
    }
}

pub(crate) fn handshake(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "differential", "version": "1"},
    })
}

fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

fn stripped(line: &str) -> Value {
    let mut answer: Value = serde_json::from_str(line).expect("a server speaks JSON");
    if let Some(answer) = answer.as_object_mut() {
        answer.shift_remove("jsonrpc");
        answer.shift_remove("id");
    }
    answer
}

/// Published server in a directory of its own.
pub(crate) struct Real {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    root: PathBuf,
    shown: String,
}

impl Real {
    pub(crate) fn start(script: &Path, root: &Path, version: Option<&str>) -> Self {
        fs::create_dir_all(root).expect("the scratch directory can be written");
        let root = root.canonicalize().expect("it was made a moment ago");
        let mut child = Command::new("node")
            .arg(script)
            .arg(&root)
            .current_dir(&root)
            .env("HOME", "/home/agent")
            .env("TZ", "UTC")
            .env("LC_ALL", "en_US.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node has been started before");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let shown = root.to_str().expect("the path is UTF-8").to_owned();
        let mut real = Self {
            child,
            input,
            lines,
            root,
            shown,
        };
        if let Some(version) = version {
            real.request("initialize", &handshake(version));
            real.send(&initialized().to_string());
        }
        real
    }

    /// Replaces the content of the server's directory.
    pub(crate) fn reset(&mut self, spec: &Spec) {
        crate::worlds::clear(&self.root);
        spec.write_to(&self.root);
    }

    fn send(&mut self, message: &str) {
        writeln!(self.input, "{message}").expect("the real server listens");
    }
}

impl Peer for Real {
    fn root(&self) -> &str {
        &self.shown
    }

    fn exchange(&mut self, message: &str) -> Value {
        self.send(message);
        let line = self.lines.recv_timeout(PATIENCE);
        stripped(&line.unwrap_or_else(|_| panic!("the real server is silent on {message}")))
    }

    fn state(&mut self) -> State {
        State::of_directory(&self.root)
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Our server, in this process.
pub(crate) struct Ours {
    runtime: Runtime,
    session: Box<dyn Session>,
    store: Arc<Store>,
    input: WriteHalf<DuplexStream>,
    lines: Lines<tokio::io::BufReader<ReadHalf<DuplexStream>>>,
}

impl Ours {
    pub(crate) fn start(
        profile: &str,
        (spec, limits): (&Spec, &SessionLimits),
        store: &Arc<Store>,
        scratch: &Path,
        version: Option<&str>,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be made");
        let world = WorldState {
            tree: spec.tree(store),
            store: Arc::clone(store),
            seed: 1,
            clock: CLOCK,
            profile: Some(profile.to_owned()),
            limits: limits.clone(),
            scratch: ScratchSpace::probe(scratch, CopyMethod::Auto).expect("copying always works"),
        };
        let (session, near) = runtime.block_on(async {
            let session = Filesystem.open(world).await.expect("the world is valid");
            let (near, far) = tokio::io::duplex(1 << 16);
            // The serving task ends with the session.
            drop(session.serve(Box::new(far)));
            (session, near)
        });
        let (output, input) = tokio::io::split(near);
        let lines = tokio::io::BufReader::new(output).lines();
        let mut ours = Self {
            runtime,
            session,
            store: Arc::clone(store),
            input,
            lines,
        };
        if let Some(version) = version {
            ours.request("initialize", &handshake(version));
            ours.send(&initialized().to_string());
        }
        ours
    }

    fn send(&mut self, message: &str) {
        let line = format!("{message}\n");
        let input = &mut self.input;
        self.runtime
            .block_on(input.write_all(line.as_bytes()))
            .expect("our server listens");
    }

    pub(crate) fn close(self) {
        let Self {
            runtime, session, ..
        } = self;
        runtime.block_on(session.close()).expect("the session ends");
    }
}

impl Peer for Ours {
    fn root(&self) -> &str {
        mcpmark_filesystem::ROOT
    }

    fn exchange(&mut self, message: &str) -> Value {
        let line = format!("{message}\n");
        let (input, lines) = (&mut self.input, &mut self.lines);
        let answer = self.runtime.block_on(async {
            // Reads the answer while the message is being sent, because a long message fills the pipe.
            let sent = input.write_all(line.as_bytes());
            let (sent, answer) =
                tokio::join!(sent, tokio::time::timeout(PATIENCE, lines.next_line()));
            sent.expect("our server listens");
            answer
        });
        match answer {
            Ok(Ok(Some(line))) => stripped(&line),
            other => panic!("our server gave {other:?} on {message}"),
        }
    }

    fn state(&mut self) -> State {
        let tree = self
            .runtime
            .block_on(self.session.capture())
            .expect("the world can be captured");
        State::of_tree(&tree, &self.store)
    }
}
