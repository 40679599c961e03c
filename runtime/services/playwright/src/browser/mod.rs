//! The MCP server with its browser, in namespaces of its own.

mod config;
mod installation;
mod isolation;

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mcpmark_service::{ServiceError, ToolClient};
use mcpmark_snapshot::{Scratch, scratch_parent};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

pub use self::installation::{
    BROWSER_VARIABLE, Installation, InstallationError, MissingPrograms, PACKAGE_VARIABLE,
    SERVER_VERSION,
};
pub use self::isolation::check_isolation;
use self::isolation::{is_root, unshare};
use crate::sites::{Sites, SitesListener, serve};

const GUARD: &str = include_str!("guard.sh");
const SUPERVISOR: &str = include_str!("supervisor.sh");
const FORWARD: &str = include_str!("forward.js");

/// User id of the server if this process runs as root.
const SERVER_ID: u32 = 65534;
/// Size of the private file system, in bytes: files of the agent, profile and cache of the browser, shared memory.
const DISK_BYTES: u64 = 1 << 30;
/// Maximum number of processes and threads of the server's user.
const MAX_PROCESSES: u64 = 4096;
/// Maximum size of the data of one process, in bytes.
const PROCESS_BYTES: u64 = 3 << 30;
/// Time limit of the handshake with the server.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Time within which all processes must have ended.
const STOP_LIMIT: Duration = Duration::from_secs(30);
/// Time between two checks of a process.
const POLL: Duration = Duration::from_millis(2);
/// Size of the part of the log that errors contain, in bytes.
const LOG_TAIL: usize = 4096;
/// Maximum length of the directory of a socket, whose path may have 107 bytes.
const MAX_DIRECTORY: usize = 80;

/// Errors of starting the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowserError {
    /// Machine without the namespaces that the browser needs.
    #[error(
        "cannot isolate the browser: {0}; expected a machine with user namespaces, because pages and tools could reach \
         files and networks of this machine otherwise"
    )]
    NotIsolated(&'static str),
    /// Directory of the session that cannot be written.
    #[error("cannot use the directory {directory} of a browser", directory = directory.display())]
    Directory {
        /// Directory.
        directory: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Supervisor that cannot be started.
    #[error("cannot start sh")]
    Start(#[source] io::Error),
    /// Server that does not answer.
    #[error("the MCP server of the browser does not answer: {log}")]
    NotReady {
        /// Last messages of the server.
        log: String,
        /// Cause.
        source: ServiceError,
    },
    /// Server with other tools than the pinned ones.
    #[error(
        "the tools of @playwright/mcp {SERVER_VERSION} differ from the pinned list: {0}; install the published package again"
    )]
    Tools(String),
}

/// Settings that all browsers of a session share.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) installation: Installation,
    /// Time at which the clock of pages starts, in seconds since 1970-01-01 UTC.
    pub(crate) clock: i64,
    /// Time of the machine at which the session was opened.
    pub(crate) opened: SystemTime,
    /// Parent of the private directory. `None` means the default of this machine.
    pub(crate) scratch: Option<PathBuf>,
}

/// Running MCP server. All processes are killed and all files removed on drop.
#[derive(Debug)]
pub(crate) struct Browser {
    guard: Child,
    /// `None` after the end was requested.
    life: Option<ChildStdin>,
    scratch: Scratch,
    serving: JoinHandle<()>,
}

impl Browser {
    /// Starts the server and connects to it. Must be called within a Tokio runtime.
    pub(crate) async fn start(
        settings: &Settings,
        sites: &Sites,
    ) -> Result<(Self, ToolClient), BrowserError> {
        check_isolation().map_err(BrowserError::NotIsolated)?;
        let scratch = scratch(settings.scratch.as_deref())?;
        let at = scratch.path().to_owned();
        let directory = |source| BrowserError::Directory {
            directory: at.clone(),
            source,
        };
        let log = prepare(&at, settings, &sites.hosts()).map_err(directory)?;
        let socket = at.join("run/sites");
        let listener = UnixListener::bind(&socket).map_err(directory)?;
        // The directory, and so the socket, cannot be reached by other users of this machine.
        fs::set_permissions(&socket, Permissions::from_mode(0o666)).map_err(directory)?;
        let (near, far) = StdStream::pair().map_err(BrowserError::Start)?;
        near.set_nonblocking(true).map_err(BrowserError::Start)?;
        let mut guard = command(&at, settings, far.into(), log)
            .spawn()
            .map_err(BrowserError::Start)?;
        let life = guard.stdin.take();
        let browser = Self {
            guard,
            life,
            scratch,
            serving: serve(SitesListener::Unix(listener), sites.clone()),
        };
        let stream = UnixStream::from_std(near).map_err(BrowserError::Start)?;
        let connecting = ToolClient::over(Box::new(stream));
        let connected = tokio::time::timeout(START_LIMIT, connecting).await;
        let connected = connected.unwrap_or_else(|_| {
            let seconds = START_LIMIT.as_secs();
            Err(ServiceError::Handshake(format!(
                "no answer within {seconds} s"
            )))
        });
        match connected {
            Ok(client) => Ok((browser, client)),
            Err(source) => Err(BrowserError::NotReady {
                log: browser.log(),
                source,
            }),
        }
    }

    /// Returns the last messages of the server.
    fn log(&self) -> String {
        let text = fs::read(self.scratch.path().join("log")).unwrap_or_default();
        let start = text.len().saturating_sub(LOG_TAIL);
        String::from_utf8_lossy(text.get(start..).unwrap_or_default())
            .trim()
            .to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.serving.abort();
        // The end of the standard input ends the scripts, and with them all processes.
        drop(self.life.take());
        let began = Instant::now();
        while matches!(self.guard.try_wait(), Ok(None)) {
            if began.elapsed() > STOP_LIMIT {
                let _ = kill_process_group(Pid::from_child(&self.guard), Signal::KILL);
                let _ = self.guard.wait();
                return;
            }
            std::thread::sleep(POLL);
        }
    }
}

/// Creates the private directory, at a place whose path is short enough for a socket.
fn scratch(parent: Option<&Path>) -> Result<Scratch, BrowserError> {
    let mut parent = scratch_parent(parent);
    if parent.as_os_str().len() > MAX_DIRECTORY {
        parent = scratch_parent(None);
    }
    Scratch::new(&parent).map_err(|source| BrowserError::Directory {
        directory: parent,
        source,
    })
}

/// Writes the files of the private directory, and returns the log.
fn prepare(at: &Path, settings: &Settings, hosts: &[String]) -> io::Result<File> {
    for name in ["etc", "room", "run"] {
        let dir = at.join(name);
        fs::create_dir(&dir)?;
        // The directory above is private. In the namespaces, the server's user reads them.
        fs::set_permissions(&dir, Permissions::from_mode(0o755))?;
    }
    let etc = at.join("etc");
    let config = config::server(&settings.installation.browser, hosts);
    fs::write(etc.join("config.json"), config.to_string())?;
    fs::write(etc.join("hosts"), config::hosts(hosts))?;
    fs::write(etc.join("forward.js"), FORWARD)?;
    fs::write(etc.join("clock.js"), config::clock(shift(settings)))?;
    File::create(at.join("log"))
}

/// Returns the difference between the clocks of the world and of the machine, in milliseconds.
fn shift(settings: &Settings) -> i64 {
    let opened = settings.opened.duration_since(UNIX_EPOCH);
    let opened = opened.map_or(0, |time| time.as_millis());
    let world = settings.clock.saturating_mul(1000);
    world.saturating_sub(i64::try_from(opened).unwrap_or(i64::MAX))
}

fn command(at: &Path, settings: &Settings, messages: OwnedFd, log: File) -> Command {
    let installation = &settings.installation;
    let server = if is_root() {
        SERVER_ID.to_string()
    } else {
        String::new()
    };
    let visible = visible([&installation.node, &installation.browser]);
    let mut command = Command::new("sh");
    command
        .args(["-c", GUARD, "sh"])
        .args(unshare())
        .args(["sh", "-c", SUPERVISOR, "sh"])
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("LC_ALL", "C")
        .env("SCRATCH", at)
        .env("BYTES", DISK_BYTES.to_string())
        .env("PROCESSES", MAX_PROCESSES.to_string())
        .env("MEMORY", PROCESS_BYTES.to_string())
        .env("SERVER", server)
        .env("NODE", &installation.node)
        .env("PACKAGES", &installation.packages)
        .env("VISIBLE", visible)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::from(messages))
        .stderr(log)
        .process_group(0);
    command
}

/// Returns the directories of programs outside of `/usr`, one a line.
fn visible(programs: [&PathBuf; 2]) -> std::ffi::OsString {
    let dirs = programs.into_iter().filter_map(|program| program.parent());
    let dirs: Vec<_> = dirs
        .filter(|dir| !dir.starts_with("/usr"))
        .map(Path::as_os_str)
        .collect();
    dirs.join(std::ffi::OsStr::new("\n"))
}
