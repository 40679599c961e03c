//! Child processes with a clean environment, a time limit and line-wise output.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::children::Group;
use super::{BuildError, environment};

/// Command to run with the clean environment.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(&'static str, OsString)>,
    pub(crate) dir: PathBuf,
    pub(crate) limit: Option<Duration>,
}

/// Exit status and output of a program.
#[derive(Debug, Clone)]
pub(crate) struct Finished {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Line of output, from standard output or standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Line {
    Out(String),
    Err(String),
}

impl Call {
    pub(crate) fn new(program: impl AsRef<OsStr>, dir: &Path) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            dir: dir.to_owned(),
            limit: None,
        }
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name, value.as_ref().to_owned()));
        self
    }

    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Formats the command as typed in a shell, without quoting.
    pub(crate) fn typed(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.args);
        words
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Runs the program until it exits or reaches the time limit, and calls `progress` for each line of output.
    pub(crate) fn run(&self, progress: &mut dyn FnMut(&Line)) -> Result<Finished, BuildError> {
        self.try_run(progress).map_err(|source| BuildError::Start {
            program: self.program.to_string_lossy().into_owned(),
            source,
        })
    }

    fn try_run(&self, progress: &mut dyn FnMut(&Line)) -> io::Result<Finished> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.dir)
            .env_clear()
            .envs(environment::clean())
            .envs(self.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let (sender, lines) = mpsc::channel();
        if let Some(pipe) = group.leader.stdout.take() {
            let sender = sender.clone();
            thread::spawn(move || each_line(pipe, |line| sender.send(Line::Out(line)).is_ok()));
        }
        if let Some(pipe) = group.leader.stderr.take() {
            thread::spawn(move || each_line(pipe, |line| sender.send(Line::Err(line)).is_ok()));
        }
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        loop {
            let left = deadline.map_or(Duration::MAX, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            match lines.recv_timeout(left) {
                Ok(line) => {
                    progress(&line);
                    match line {
                        Line::Out(line) => stdout.push_str(&line),
                        Line::Err(line) => stderr.push_str(&line),
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = group.wait()?;
                    return Ok(Finished {
                        success: status.success(),
                        stdout,
                        stderr,
                    });
                }
                Err(RecvTimeoutError::Timeout) => {
                    group.kill()?;
                    let limit = self.limit.unwrap_or_default().as_secs();
                    stderr.push_str(&format!("stopped: exceeded the limit of {limit} s"));
                    return Ok(Finished {
                        success: false,
                        stdout,
                        stderr,
                    });
                }
            }
        }
    }
}

impl Finished {
    /// Returns the first error line of standard error, or else its last line, truncated to 240 characters.
    pub(crate) fn complaint(&self) -> String {
        const LONGEST: usize = 240;
        let lines = || {
            self.stderr
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
        };
        let line = lines()
            .find(|line| line.starts_with("error"))
            .or_else(|| lines().next_back());
        match line.map(|line| (line, line.char_indices().nth(LONGEST))) {
            None => "no reason given".to_owned(),
            Some((line, None)) => line.to_owned(),
            Some((line, Some((end, _)))) => format!("{}…", &line[..end]),
        }
    }
}

fn each_line(pipe: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut reader = BufReader::new(pipe);
    let mut bytes = Vec::new();
    while matches!(reader.read_until(b'\n', &mut bytes), Ok(count) if count > 0) {
        if !take(String::from_utf8_lossy(&bytes).into_owned()) {
            return;
        }
        bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Call {
        Call::new("sh", Path::new("/")).args(["-c", script])
    }

    #[test]
    fn both_streams_are_read_to_the_end() {
        let mut progress = Vec::new();
        // More output than a pipe buffer holds, on both streams.
        let script = "i=0; while [ $i -lt 20000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done; exit 3";
        let finished = shell(script)
            .run(&mut |line| progress.push(line.clone()))
            .unwrap();
        assert!(!finished.success);
        let errors = progress.iter().filter(|line| matches!(line, Line::Err(_)));
        assert_eq!(
            (
                finished.stdout.lines().count(),
                errors.count(),
                progress.len()
            ),
            (20_000, 20_000, 40_000)
        );
        assert_eq!(finished.complaint(), "err 19999");
    }

    #[test]
    fn a_limit_stops_the_program() {
        let finished = shell("exec sleep 600")
            .limit(Duration::from_millis(1))
            .run(&mut |_| {})
            .unwrap();
        assert!(!finished.success);
        assert!(
            finished
                .complaint()
                .starts_with("stopped: exceeded the limit of"),
            "{finished:?}"
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Call::new("no-such-program", Path::new("/"))
            .run(&mut |_| {})
            .unwrap_err();
        assert_eq!(error.to_string(), "cannot start no-such-program");
    }
}
