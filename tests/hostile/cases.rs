//! Hostile guests whose files contain the part that is inserted into the frame of their directory, or a whole
//! component, with their expected outcomes.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_sandbox::{Fault, Run, RunError};

/// Maximum length of a message, in bytes.
const MAX_MESSAGE: usize = 16 << 10;

/// Returns the directory of all hostile guests.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile")
}

/// Returns the `.wat` files of a directory, sorted by name.
pub(crate) fn wat_files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wat"))
        .collect();
    files.sort();
    files
}

/// Returns the value of a key in the header lines of a file.
pub(crate) fn header(text: &str, key: &str) -> Option<String> {
    let prefix = format!(";; {key}: ");
    let line = text.lines().find_map(|line| line.strip_prefix(&prefix));
    line.map(str::to_owned)
}

/// Guest of one file.
pub(crate) struct Case {
    pub(crate) name: String,
    body: String,
    component: String,
}

/// Returns the guests of a directory.
pub(crate) fn of(kind: &str) -> Vec<Case> {
    let directory = directory().join(kind);
    let frame = fs::read_to_string(directory.join("frame.wat.in")).unwrap();
    let case = |file: PathBuf| {
        let body = fs::read_to_string(&file).unwrap();
        let is_whole = body.lines().any(|line| line.starts_with("(component"));
        Case {
            name: file.file_stem().unwrap().to_str().unwrap().to_owned(),
            component: if is_whole {
                body.clone()
            } else {
                frame.replace("{guest}", &body)
            },
            body,
        }
    };
    wat_files(&directory).into_iter().map(case).collect()
}

impl Case {
    pub(crate) fn header(&self, key: &str) -> Option<String> {
        header(&self.body, key)
    }

    pub(crate) fn component(&self) -> Vec<u8> {
        wat::parse_str(&self.component).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Runs the guest twice. Returns the problem if the outcomes differ or are not the expected one.
    pub(crate) fn judge(&self, run: impl Fn() -> Outcome) -> Result<(), String> {
        let (first, second) = (run(), run());
        if first != second {
            return Err(format!("two runs differ: {first:?} and {second:?}"));
        }
        let Outcome { kind, message, .. } = &first;
        let expect = self.header("expect");
        let expect = expect.unwrap_or_else(|| panic!("{} expects nothing", self.name));
        let expected = self.header("message").unwrap_or_default();
        // Without an expected message, any reason would be accepted.
        let is_explained = message.is_empty() || !expected.is_empty();
        if *kind == expect
            && is_explained
            && message.contains(&expected)
            && message.len() < MAX_MESSAGE
        {
            return Ok(());
        }
        Err(format!(
            "expected {expect:?} with {expected:?}, got {kind:?}: {message:?}"
        ))
    }
}

/// Outcome of one run, to the last unit of fuel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) fuel: u64,
}

impl Outcome {
    /// Returns the outcome of a run. `done` returns the kind and the message of a result.
    pub(crate) fn of<T>(run: Run<T>, done: impl FnOnce(T) -> (String, String)) -> Self {
        let (kind, message) = match run.result {
            Ok(value) => done(value),
            Err(RunError::Fault(Fault { kind, message })) => (format!("fault {kind}"), message),
            Err(RunError::World(message)) => ("world".into(), message),
            Err(RunError::Host(message)) => ("host".into(), message),
        };
        Self {
            kind,
            message,
            fuel: run.fuel,
        }
    }
}
