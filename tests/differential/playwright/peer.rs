//! The published server without isolation, on sites that a loopback address serves.

use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use mcpmark_playwright::sites::ServedSites;
use mcpmark_playwright::{Installation, Site};
use mcpmark_service::{SessionLimits, ToolClient, ToolOutput, WorldState};
use mcpmark_snapshot::{Blobs, Node, ScratchSpace, Store, Tree, TreePath};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use tokio::net::{TcpListener, UnixStream};

use crate::forum::Forum;
use crate::support::{CALL_LIMIT, CLOCK, entries, tree};

/// Process with its process group and its browser, which are killed on drop.
struct Server {
    process: Child,
    /// Directory in which the browser has its profile.
    home: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.process);
        let _ = kill_process_group(group, Signal::KILL);
        let _ = self.process.wait();
        // The browser has a process group of its own, and does not end with the server.
        for browser in browsers(&self.home) {
            let _ = kill_process(browser, Signal::KILL);
        }
    }
}

/// Returns the processes of the browser whose profile is in a directory.
fn browsers(home: &Path) -> Vec<Pid> {
    let profile = home.join("playwright_chromiumdev_profile");
    let profile = format!("--user-data-dir={}", profile.display());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).into_owned();
        let is_browser = command.split('\0').any(|word| word.starts_with(&profile));
        Pid::from_raw(id).filter(|_| is_browser)
    });
    ids.collect()
}

pub(crate) struct Peer {
    client: ToolClient,
    served: ServedSites,
    store: Arc<Store>,
    server: Server,
    home: tempfile::TempDir,
}

impl Peer {
    pub(crate) async fn start(programs: &Path) -> Self {
        let home = tempfile::tempdir().expect("a directory");
        let store = Arc::new(Store::open(home.path().join("store")).expect("a store"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let world = WorldState {
            tree: tree(&store, &entries()),
            store: Arc::clone(&store),
            seed: 7,
            clock: CLOCK,
            profile: None,
            limits: SessionLimits::default(),
            scratch: ScratchSpace::plain(home.path()),
        };
        let forum: Arc<dyn Site> = Arc::new(Forum);
        let served = ServedSites::start(world, Some(&forum), listener).expect("a valid world");
        let installation = Installation::find(programs).expect("the programs");
        let rules = format!(
            "--host-resolver-rules=MAP forum.test:80 127.0.0.1:{port}, MAP help.test:80 127.0.0.1:{port}, \
             MAP *.test 127.0.0.1:1, MAP * ~NOTFOUND"
        );
        let config = json!({
            "browser": {
                "browserName": "chromium",
                "isolated": true,
                "launchOptions": {
                    "channel": "chromium",
                    "executablePath": installation.browser(),
                    "headless": true,
                    "chromiumSandbox": false,
                    "args": [rules],
                },
                "contextOptions": {
                    "locale": "en-US",
                    "timezoneId": "UTC",
                    "viewport": { "width": 1280, "height": 720 },
                },
            },
            "outputDir": home.path(),
        });
        let file = home.path().join("config.json");
        std::fs::write(&file, config.to_string()).expect("a file");
        let (near, far) = StdStream::pair().expect("a socket");
        near.set_nonblocking(true).expect("a socket");
        let reading = far.try_clone().expect("a socket");
        let server = Command::new(installation.node())
            .arg(installation.packages().join("@playwright/mcp/cli.js"))
            .arg("--config")
            .arg(&file)
            .current_dir(home.path())
            // Variables of this machine, such as those about colours, change its answers.
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(reading)))
            .stdout(Stdio::from(std::os::fd::OwnedFd::from(far)))
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("the published server");
        let server = Server {
            process: server,
            home: home.path().to_owned(),
        };
        let stream = UnixStream::from_std(near).expect("a socket");
        let client = ToolClient::over(Box::new(stream)).await;
        Self {
            client: client.expect("the handshake"),
            served,
            store,
            server,
            home,
        }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let arguments = arguments.as_object().cloned().expect("an object");
        let called = self.client.call(tool, arguments, CALL_LIMIT).await;
        called.expect("an answer")
    }

    /// Captures the state with the address of the current tab.
    pub(crate) async fn capture(&self) -> Tree {
        let code = json!({ "function": "() => location.href" });
        let text = self.call("browser_evaluate", code).await.text();
        let line = text
            .strip_prefix("### Result\n")
            .and_then(|text| text.lines().next());
        let address: Option<String> = line.and_then(|line| serde_json::from_str(line).ok());
        self.served.capture(address.as_deref()).expect("a state")
    }

    pub(crate) fn read(&self, tree: &Tree, path: &str) -> String {
        let Some(Node::File(file)) = tree.get(&TreePath::parse(path).expect("a path")) else {
            panic!("{path} is not a file of the state");
        };
        String::from_utf8(self.store.read(&file.content).expect("a blob")).expect("text")
    }

    pub(crate) async fn stop(self) {
        drop(self.client);
        drop(self.server);
        // Killed processes take a moment to end.
        let mut waits = 0;
        while !browsers(self.home.path()).is_empty() {
            assert!(waits < 300, "the browser still runs");
            waits += 1;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}
