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
                .prefix(TEMPORARY)
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
            // The installation of the browser's server is that of the machine.
            if name.starts_with("MCPMARK_") && name != "MCPMARK_PLAYWRIGHT"
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
}

/// Prefix of the names of temporary directories, which [`redact`] recognises.
const TEMPORARY: &str = "end-to-end-";

/// Hosts of this machine, as tests write them.
const LOOPBACK: [&str; 5] = ["127.0.0.1", "127.1", "127.0.0.01", "localhost", "[::1]"];

/// Replaces the parts of a text that differ from run to run or between machines: temporary directories, the repository,
/// caches, ports of loopback addresses, digests, ids, and the versions of the program and of its engine.
pub(crate) fn redact(text: &str) -> String {
    let mut text = text
        .replace(&*repository().to_string_lossy(), "[repository]")
        .replace(env!("CARGO_TARGET_TMPDIR"), "[cache]")
        .replace(
            concat!("mcpmark/", env!("CARGO_PKG_VERSION")),
            "mcpmark/[version]",
        );
    let temporary = format!("{}/{TEMPORARY}", std::env::temp_dir().display());
    text = redact_after(&text, &temporary, "[dir]", |c| c.is_ascii_alphanumeric());
    for host in LOOPBACK {
        let (prefix, with) = (format!("{host}:"), format!("{host}:[port]"));
        text = redact_after(&text, &prefix, &with, |c| c.is_ascii_digit());
    }
    text = redact_after(&text, "content-length: ", "content-length: [length]", |c| {
        c.is_ascii_digit()
    });
    for engine in ["cranelift-", "pulley-"] {
        let version = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        text = redact_after(&text, engine, &format!("{engine}[version]"), version);
    }
    // Underlines are as long as the paths above them.
    while text.contains("^^") {
        text = text.replace("^^", "^");
    }
    // The second experiment of a second has a number after its name.
    redact_after(&redact_words(&text), "[name]-", "[name]", |c| {
        c.is_ascii_digit()
    })
}

/// Removes lines about progress, which depend on time, and sorts the lines of attempts that end one after the other.
fn settle(text: &str) -> String {
    let mut settled = String::new();
    let mut ended: Vec<Ended> = Vec::new();
    for line in text.lines() {
        let is_progress = line.starts_with("· ")
            || line.starts_with("  ") && line.contains(", after ")
            || line.contains(" running; longest: ");
        if is_progress {
            continue;
        }
        match (Ended::parse(line), ended.last_mut()) {
            (Some(attempt), _) => ended.push(attempt),
            (None, Some(last)) if line.starts_with("       ") => last.details.push(line.to_owned()),
            (None, _) => {
                settled += &Ended::sorted(&mut ended);
                settled += &format!("{line}\n");
            }
        }
    }
    settled + &Ended::sorted(&mut ended)
}

/// Lines about an attempt that ended, such as `2/9 pass filesystem/office/easy`.
struct Ended {
    number: usize,
    of: String,
    result: String,
    attempt: String,
    details: Vec<String>,
}

impl Ended {
    fn parse(line: &str) -> Option<Self> {
        let (number, rest) = line.trim_start().split_once('/')?;
        let (of, rest) = rest.split_once(' ')?;
        of.parse::<usize>().ok()?;
        let (result, attempt) = rest.split_once(' ')?;
        Some(Self {
            number: number.parse().ok()?,
            of: of.to_owned(),
            result: result.to_owned(),
            attempt: attempt.to_owned(),
            details: Vec::new(),
        })
    }

    /// Takes the attempts, and returns their lines in the order of the attempts.
    fn sorted(ended: &mut Vec<Self>) -> String {
        let first = ended.first().map_or(0, |attempt| attempt.number);
        let mut ended = std::mem::take(ended);
        ended.sort_by(|a, b| (&a.attempt, &a.result).cmp(&(&b.attempt, &b.result)));
        let mut lines = String::new();
        for (place, attempt) in ended.iter().enumerate() {
            let (number, of) = (first + place, &attempt.of);
            lines += &format!("{number}/{of} {} {}\n", attempt.result, attempt.attempt);
            for detail in &attempt.details {
                lines += &format!("{detail}\n");
            }
        }
        lines
    }
}

/// Replaces digests and ids.
fn redact_words(text: &str) -> String {
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
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        match word.len() {
            64 if is_hex => redacted.push_str("[digest]"),
            // Limits such as 100000000000 are no ids.
            12 if is_hex && !word.ends_with("00000") => redacted.push_str("[id]"),
            // Names of experiments are times.
            6 if is_number && redacted.ends_with("[date]-") => {
                redacted.truncate(redacted.len() - "[date]-".len());
                redacted.push_str("[name]");
            }
            8 if is_number && c == '-' && word.starts_with("20") => redacted.push_str("[date]"),
            _ => redacted.push_str(&word),
        }
        word.clear();
        redacted.push(c);
    }
    redacted.pop();
    redacted
}

/// Replaces each occurrence of a prefix that has more characters after it that belong to it, together with these.
fn redact_after(text: &str, prefix: &str, with: &str, belongs: fn(char) -> bool) -> String {
    let mut parts = text.split(prefix);
    let mut redacted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(belongs);
        let is_longer = rest.len() < part.len();
        redacted.push_str(if is_longer { with } else { prefix });
        redacted.push_str(rest);
    }
    redacted
}

/// Exit code and output of the binary.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) args: Vec<String>,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Runs a command until it exits, and reads its output through pipes.
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
        let args = command.get_args().map(|arg| arg.to_string_lossy());
        Self {
            args: args.map(String::from).collect(),
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

    /// Returns the redacted standard error, for a snapshot.
    pub(crate) fn message(&self) -> String {
        settle(&redact(&self.stderr))
    }

    /// Returns the redacted standard output, for a snapshot.
    pub(crate) fn text(&self) -> String {
        redact(&self.stdout)
    }

    /// Returns the redacted standard error below the arguments, for a snapshot of several commands.
    pub(crate) fn transcript(&self) -> String {
        let mut transcript = String::from("$ mcpmark");
        for arg in &self.args {
            transcript.push(' ');
            if arg.is_empty() || arg.contains(char::is_whitespace) {
                transcript.push_str(&format!("{arg:?}"));
            } else {
                transcript.push_str(arg);
            }
        }
        redact(&transcript) + "\n" + &self.message() + "\n"
    }

    /// Asserts that standard error contains each of the words, if a snapshot cannot: the rest depends on the machine, or
    /// the words are redacted from snapshots.
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
