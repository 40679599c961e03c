//! Shell scripts that run a server, and remove what belongs to it when this process ends.
//!
//! The scripts read commands from a pipe. The kernel closes the pipe when this process exits, however it does, so no
//! server survives it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use mcpmark_snapshot::{Scratch, scratch_parent};
use rustix::process::{Pid, Signal, kill_process_group};

use super::cgroup::{Cgroup, CgroupParent};
use super::isolation::{Isolation, clock_library, is_root, marks, unshare};
use super::visible::{Place, hidden, place, real};
use super::{ClusterError, Settings};
use crate::Installation;

const GUARD: &str = include_str!("guard.sh");
const ROOT: &str = include_str!("root.sh");
const SUPERVISOR: &str = include_str!("supervisor.sh");

/// User id of the server if this process runs as root, which PostgreSQL refuses.
pub(super) const SERVER_ID: u32 = 65534;
/// Time within which a server must accept connections.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Time within which the scripts must end, and within which a server must stop.
const STOP_LIMIT: Duration = Duration::from_secs(30);
/// Time between two checks of a server.
const POLL: Duration = Duration::from_millis(2);
/// Maximum length of the directory of a socket, whose path may have 107 bytes.
const MAX_DIRECTORY: usize = 80;
/// Size of the part of the log that errors contain, in bytes.
const LOG_TAIL: usize = 4096;

/// Use of a data directory by a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The server works in the directory.
    Direct,
    /// The server works in a private copy of the directory.
    Private,
}

/// Running scripts with their private directory.
#[derive(Debug)]
pub(super) struct Supervisor {
    path: PathBuf,
    /// `None` after the end was requested.
    commands: Option<ChildStdin>,
    /// `None` after the end was requested.
    scripts: Option<Scripts>,
    /// Maximum memory beyond the private file system, in bytes.
    memory_bytes: u64,
}

impl Supervisor {
    /// Starts the scripts for a data directory, without a server.
    pub(super) fn launch(
        installation: &Installation,
        data: &Path,
        way: Way,
        password: &str,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        let scratch = scratch(settings)?;
        let at = scratch.path();
        let made = ["run", "room", "status"]
            .iter()
            .try_for_each(|name| fs::create_dir(at.join(name)))
            .and_then(|()| File::create(at.join("log")));
        let log = made.map_err(|source| ClusterError::directory(at, source))?;
        let data = std::path::absolute(data).map_err(|e| ClusterError::directory(data, e))?;
        let is_isolated = settings.isolation.is_namespaces();
        let mut command = Command::new("sh");
        command.args(["-c", GUARD, "sh"]);
        if is_isolated {
            command.args(unshare());
            command.args(["sh", "-c", ROOT, "sh", SUPERVISOR]);
        } else {
            command.args(["sh", "-c", SUPERVISOR, "sh"]);
        }
        let way = match (way, settings.isolation) {
            (Way::Direct, _) => "direct",
            (Way::Private, Isolation::Namespaces { overlay: true }) => "overlay",
            (Way::Private, _) => "copy",
        };
        let hidden = hidden(&settings.hidden);
        let bin = real(installation.bin());
        // Without namespaces nothing is hidden.
        let place = if is_isolated {
            place(&bin, &hidden)?
        } else {
            Place::System
        };
        let (shown, moved) = match place {
            Place::System => Default::default(),
            Place::Own(prefix) => (prefix.into_os_string(), OsString::new()),
            Place::Hidden(prefix) => (OsString::new(), prefix.into_os_string()),
        };
        let server = if is_root() {
            SERVER_ID.to_string()
        } else {
            String::new()
        };
        // Without a namespace of its own, the library would leave shared memory behind.
        let clock = settings.clock.filter(|_| is_isolated).zip(clock_library());
        let (time, library) = clock.map_or_else(Default::default, |(time, library)| {
            (timestamp(time), library.into_os_string())
        });
        // Without the rights for a group, the limits of single processes and of the file system remain.
        let memory = settings.disk_bytes.saturating_add(settings.memory_bytes);
        let cgroup = CgroupParent::of_machine();
        let cgroup = cgroup.and_then(|parent| Cgroup::create(parent, memory).ok());
        let variables: [(&str, OsString); 17] = [
            ("ISOLATED", u8::from(is_isolated).to_string().into()),
            (
                "CGROUP",
                cgroup
                    .as_ref()
                    .map(Cgroup::dir)
                    .map(Into::into)
                    .unwrap_or_default(),
            ),
            ("SCRATCH", at.into()),
            ("DATA", data.into()),
            ("WAY", way.into()),
            ("MARKS", marks().into()),
            ("BYTES", settings.disk_bytes.to_string().into()),
            ("PROCESSES", settings.max_processes.to_string().into()),
            ("MEMORY", settings.process_bytes.to_string().into()),
            ("SERVER", server.into()),
            ("BIN", bin.into()),
            ("SHOWN", shown),
            ("MOVED", moved),
            ("HIDDEN", lines(&hidden)),
            ("CLOCK", library),
            ("TIME", time.into()),
            ("PASSWORD", password.into()),
        ];
        command
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .envs(variables)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0);
        let mut guard = command.spawn().map_err(|source| ClusterError::Start {
            program: "sh".into(),
            source,
        })?;
        let commands = guard.stdin.take();
        Ok(Self {
            path: at.to_owned(),
            commands,
            scripts: Some(Scripts {
                guard,
                cgroup,
                _scratch: scratch,
            }),
            memory_bytes: settings.memory_bytes,
        })
    }

    /// Returns the directory of the socket.
    pub(super) fn sockets(&self) -> PathBuf {
        self.path.join("run")
    }

    /// Raises the limit of memory for a private file system of another size.
    pub(super) fn allow(&self, disk_bytes: u64) {
        let scripts = self.scripts.as_ref();
        if let Some(cgroup) = scripts.and_then(|scripts| scripts.cgroup.as_ref()) {
            // With the former limit the server can still start, if its file system is not full.
            let _ = cgroup.limit(disk_bytes.saturating_add(self.memory_bytes));
        }
    }

    /// Sends a command and waits until it is done.
    pub(super) fn request(&mut self, command: &str) -> Result<(), ClusterError> {
        let status = self.path.join("status");
        for old in ["ready", "failed"] {
            // Usually there is none.
            let _ = fs::remove_file(status.join(old));
        }
        self.send(command)
            .map_err(|_| ClusterError::NotReady { log: self.log() })?;
        let began = Instant::now();
        loop {
            if status.join("ready").exists() {
                return Ok(());
            }
            let failed = ["failed", "ended"]
                .iter()
                .any(|end| status.join(end).exists());
            if failed || began.elapsed() > START_LIMIT {
                return Err(ClusterError::NotReady { log: self.log() });
            }
            std::thread::sleep(POLL);
        }
    }

    fn send(&mut self, command: &str) -> io::Result<()> {
        match &mut self.commands {
            Some(commands) => writeln!(commands, "{command}"),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Stops the server in an orderly way.
    pub(super) fn stop(mut self) -> Result<(), ClusterError> {
        let stop = |source| ClusterError::Stop { source };
        self.send("stop").map_err(stop)?;
        let ended = self.path.join("status/ended");
        let began = Instant::now();
        while !ended.exists() {
            if began.elapsed() > STOP_LIMIT {
                self.close();
                return Err(stop(io::ErrorKind::TimedOut.into()));
            }
            std::thread::sleep(POLL);
        }
        self.close();
        Ok(())
    }

    /// Ends the scripts, which kills a server, and waits until nothing is left of them.
    pub(super) fn close(mut self) {
        if let Some(scripts) = self.end() {
            scripts.wait();
        }
    }

    /// Requests the end of the scripts.
    fn end(&mut self) -> Option<Scripts> {
        // The end of the commands ends the scripts, and with them the server.
        drop(self.commands.take());
        self.scripts.take()
    }

    /// Returns the name of the bootstrap superuser that a repair has found.
    pub(super) fn administrator(&self) -> Option<String> {
        let output = fs::read_to_string(self.path.join("status/administrator")).ok()?;
        // The single-user mode prints each value as `1: rolname = "postgres" (typeid = ...)`.
        let (_, rest) = output.rsplit_once("rolname = \"")?;
        let (name, _) = rest.rsplit_once("\"\t(typeid")?;
        Some(name.to_owned())
    }

    /// Returns the last messages of the server.
    pub(super) fn log(&self) -> String {
        let text = fs::read(self.path.join("log")).unwrap_or_default();
        let start = text.len().saturating_sub(LOG_TAIL);
        String::from_utf8_lossy(text.get(start..).unwrap_or_default())
            .trim()
            .to_owned()
    }
}

impl Drop for Supervisor {
    /// Ends the scripts, and with them the server. A thread waits for them, because a drop must not block.
    fn drop(&mut self) {
        if let Some(scripts) = self.end() {
            // Without a thread they end as well, but as zombies of this process.
            let _ = std::thread::Builder::new().spawn(move || scripts.wait());
        }
    }
}

/// Processes of the scripts, with their private directory.
#[derive(Debug)]
struct Scripts {
    guard: Child,
    /// Group of the server, which the scripts remove.
    cgroup: Option<Cgroup>,
    /// Removed last.
    _scratch: Scratch,
}

impl Scripts {
    /// Waits until the scripts have ended, and kills them if they do not in time.
    fn wait(mut self) {
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

/// Creates the private directory, at a place whose path is short enough for sockets.
fn scratch(settings: &Settings) -> Result<Scratch, ClusterError> {
    let mut parent = scratch_parent(settings.scratch.as_deref());
    if parent.as_os_str().len() > MAX_DIRECTORY {
        parent = scratch_parent(None);
    }
    Scratch::new(&parent).map_err(|source| ClusterError::directory(&parent, source))
}

/// Joins paths with line feeds.
fn lines(paths: &[PathBuf]) -> OsString {
    let paths: Vec<&OsStr> = paths.iter().map(|path| path.as_os_str()).collect();
    paths.join(OsStr::new("\n"))
}

/// Returns a time as `YYYY-MM-DD hh:mm:ss` in UTC.
fn timestamp(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, so that the leap day is the last day of a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00"),
            (1_769_936_400, "2026-02-01 09:00:00"),
            (951_827_696, "2000-02-29 12:34:56"),
            (-1, "1969-12-31 23:59:59"),
        ] {
            assert_eq!(timestamp(seconds), expected);
        }
    }
}
