//! Process of an agent program, with its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::output::Output;
use super::place::Place;

/// Program with all processes of its group. They are killed on drop.
pub(crate) struct Process {
    group: Arc<Group>,
    ended: CancellationToken,
    waiting: Option<JoinHandle<io::Result<ExitStatus>>>,
    reading: Vec<JoinHandle<()>>,
    stdout: Arc<Mutex<Output>>,
    stderr: Arc<Mutex<Output>>,
}

/// Process group; `None` after its leader is reaped, because its id may then be reused.
struct Group(Mutex<Option<Pid>>);

impl Group {
    fn kill(&self) {
        let group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = *group {
            // All processes may have ended already.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Exit status and output of a program.
#[derive(Debug)]
pub(crate) struct Exit {
    /// Exit code; `None` if a signal ended the program.
    pub(crate) status: Option<i32>,
    signal: Option<i32>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
}

impl Exit {
    /// Describes the end of the program. `was_killed` states that the program was killed at the end of the attempt.
    pub(crate) fn how(&self, was_killed: bool) -> String {
        match (self.status, self.signal) {
            (_, Some(9)) if was_killed => "was killed".to_owned(),
            (Some(0), _) => "ended".to_owned(),
            (Some(status), _) => format!("ended with exit status {status}"),
            (None, Some(signal)) => format!("was terminated by signal {signal}"),
            (None, None) => "has an unknown exit status".to_owned(),
        }
    }

    /// Returns a colon and the last line of standard error, or else of standard output; empty if there is no line.
    pub(crate) fn last_words(&self) -> String {
        /// Maximum number of characters of the line.
        const TOLD: usize = 300;
        let line = self.stderr.last_line().or_else(|| self.stdout.last_line());
        line.map_or_else(String::new, |line| {
            format!(": {}", line.chars().take(TOLD).collect::<String>())
        })
    }
}

impl Process {
    /// Starts a program in the directory of `place`. Its environment contains only `HOME`, `variables` and the
    /// variables of `place`.
    ///
    /// # Errors
    ///
    /// Returns an error if the program does not exist or cannot be started.
    pub(crate) fn start(
        command: &[String],
        place: &Place,
        variables: &[(String, String)],
    ) -> io::Result<Self> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(place.path())
            .env_clear()
            .env("HOME", place.path())
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .envs(place.variables())
            .stdin(place.instruction()?)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let group = Arc::new(Group(Mutex::new(Some(Pid::from_child(&child)))));
        let ended = CancellationToken::new();
        let (stdout, stderr) = (Arc::default(), Arc::default());
        let mut reading = Vec::new();
        for (pipe, kept) in [
            (child.stdout.take().map(OwnedFd::from), &stdout),
            (child.stderr.take().map(OwnedFd::from), &stderr),
        ] {
            let pipe = pipe.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
            let pipe = pipe::Receiver::from_owned_fd(pipe)?;
            let kept: Arc<Mutex<Output>> = Arc::clone(kept);
            reading.push(tokio::spawn(async move { Output::read(pipe, &kept).await }));
        }
        let waiting = {
            let (group, ended) = (Arc::clone(&group), ended.clone());
            tokio::task::spawn_blocking(move || wait(child, &group, &ended))
        };
        Ok(Self {
            group,
            ended,
            waiting: Some(waiting),
            reading,
            stdout,
            stderr,
        })
    }

    /// Returns a token that is cancelled when the program has ended.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Kills all running processes of the group.
    pub(crate) fn kill(&self) {
        self.group.kill();
    }

    /// Waits for the end of the program, and at most `timeout` for the rest of its output.
    pub(crate) async fn finish(&mut self, timeout: Duration) -> Exit {
        let status = match self.waiting.take() {
            Some(waiting) => waiting.await.ok().and_then(Result::ok),
            None => None,
        };
        let read = async {
            for reading in &mut self.reading {
                let _ = reading.await;
            }
        };
        // A process that left the group may keep the pipes open.
        let _ = tokio::time::timeout(timeout, read).await;
        Exit {
            status: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            stdout: Output::take(&self.stdout),
            stderr: Output::take(&self.stderr),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
        for reading in &self.reading {
            reading.abort();
        }
    }
}

/// Waits for the end of a program, and kills the rest of its group.
fn wait(mut child: Child, group: &Group, ended: &CancellationToken) -> io::Result<ExitStatus> {
    let leader = WaitId::Pid(Pid::from_child(&child));
    // The leader is not reaped before the group is killed, so that its id is not reused.
    while let Err(rustix::io::Errno::INTR) = waitid(
        leader.clone(),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    ) {}
    group.kill();
    group.forget();
    let status = child.wait();
    ended.cancel();
    status
}
