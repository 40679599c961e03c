//! Test environment: a home for each test, and the `mcpmark` binary started in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Timeout of a command. Commands that build guests wait for each other.
const PATIENCE: Duration = Duration::from_secs(1500);

/// Returns the path of the repository, the default library of tasks and worlds.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Directory of one test. Compiled guests are shared between tests, because they are found by digest.
pub(crate) struct Environment {
    dir: TempDir,
}

impl Environment {
    /// Creates an environment in which the guests of the repository, except cheats, are built.
    pub(crate) fn new() -> Self {
        components();
        Self::bare()
    }

    /// Creates an environment in which nothing is built.
    pub(crate) fn bare() -> Self {
        Self {
            dir: tempfile::Builder::new()
                .prefix("end-to-end-")
                .tempdir()
                .unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Recomputes the checksums of the journal, after a test has changed its rows.
    pub(crate) fn sum_rows(&self) {
        let journal = mcpmark_experiment::Journal::open(&self.home().join("journal.db"));
        journal.unwrap().sum_rows().unwrap();
    }

    /// Creates a directory with files. A path that ends with `/` is a directory.
    pub(crate) fn directory(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let dir = self.path(name);
        write_files(&dir, files);
        dir
    }

    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcpmark"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("MCPMARK_")
                || ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "CI", "COLUMNS"].contains(&&*name)
            {
                command.env_remove(&*name);
            }
        }
        command
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .env("MCPMARK_ROOT", repository())
            .env("MCPMARK_HOME", self.home())
            .env("MCPMARK_NO_INSTALL", "1")
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command
    }

    /// Runs the binary until it exits.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        Output::of(&mut self.command(args))
    }

    /// Replaces the parts of a text that differ from run to run: paths of this test, digests and ids.
    pub(crate) fn redact(&self, text: &str) -> String {
        let text = text
            .replace(&*self.dir.path().to_string_lossy(), "[dir]")
            .replace(&*repository().to_string_lossy(), "[repository]");
        let mut redacted = String::new();
        let mut word = String::new();
        for c in text.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            let is_hex = word
                .chars()
                .all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
            match word.len() {
                64 if is_hex => redacted.push_str("[digest]"),
                12 if is_hex => redacted.push_str("[id]"),
                _ => redacted.push_str(&word),
            }
            word.clear();
            redacted.push(c);
        }
        redacted.pop();
        redacted
    }
}

/// Exit code and output of the binary.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Runs a command until it exits.
    ///
    /// # Panics
    ///
    /// Panics if the command does not exit in time, so that one that hangs fails its test and does not stop all others.
    pub(crate) fn of(command: &mut Command) -> Self {
        let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = pipes.spawn().unwrap();
        let pid = Pid::from_child(&child);
        let (sender, receiver) = mpsc::channel();
        // A process that the child has started can hold the pipes open, so the wait is in a thread of its own.
        thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(PATIENCE) else {
            let _ = kill_process(pid, Signal::KILL);
            panic!("{command:?} has not ended after {PATIENCE:?}");
        };
        let output = output.unwrap();
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "standard output:\n{}\nstandard error:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Asserts that standard error contains each of the words.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "{word:?} is not in standard error:\n{}",
                self.stderr
            );
        }
        self
    }

    /// Returns standard output, which must be one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!(
                "{error}:\n{}\nstandard error:\n{}",
                self.stdout, self.stderr
            )
        })
    }
}

/// Returns the components of the repository's guests, except cheats, by their source files. They are built once.
pub(crate) fn components() -> &'static BTreeMap<String, PathBuf> {
    static BUILT: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let environment = Environment::bare();
        let mut build = environment.command(["task", "build", "--without-cheats", "--json"]);
        // The tests need a toolchain. If it is missing, install it, as `mcpmark` does by default.
        build.env_remove("MCPMARK_NO_INSTALL");
        let built = Output::of(&mut build).exits(0).json();
        built
            .as_array()
            .unwrap()
            .iter()
            .map(|guest| (text(&guest["source"]), text(&guest["component"]).into()))
            .collect()
    })
}

/// Returns the string of a JSON value.
#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"))
        .to_owned()
}

pub(crate) fn write_files(dir: &Path, files: &[(&str, &str)]) {
    fs::create_dir_all(dir).unwrap();
    for (path, content) in files {
        let target = dir.join(path);
        if path.ends_with('/') {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, content).unwrap();
        }
    }
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
