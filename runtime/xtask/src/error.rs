//! Errors of a release.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Errors of a release.
#[derive(Debug, thiserror::Error)]
pub enum DistError {
    /// A program cannot be started.
    #[error("{program}: cannot be started")]
    Start {
        /// The program.
        program: String,
        /// The cause.
        source: io::Error,
    },
    /// A program failed.
    #[error("`{command}` failed with {status}{messages}")]
    Failed {
        /// The program with its arguments.
        command: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its messages on further lines, if they were not printed.
        messages: String,
    },
    /// `rustc -vV` names no host.
    #[error("`rustc -vV` prints no line `host: …`")]
    Host,
    /// The output of `cargo metadata` cannot be parsed.
    #[error("unexpected output of `cargo metadata` for {}", manifest.display())]
    Metadata {
        /// Manifest of the workspace.
        manifest: PathBuf,
        /// The cause.
        source: serde_json::Error,
    },
    /// A package that another one depends on is not in the output of `cargo metadata`.
    #[error("`cargo metadata` does not list the package {0}")]
    UnknownPackage(String),
    /// A package has neither a licence expression nor a licence file.
    #[error("package {0} has no licence: expected `license` or `license-file` in its manifest")]
    NoLicence(String),
    /// The value of `SOURCE_DATE_EPOCH`, or the time of the last commit, is not a time.
    #[error(
        "expected a time from 1980 to 2099 in SOURCE_DATE_EPOCH, in seconds since 1970: found {0:?}"
    )]
    Time(String),
    /// The program is not an ELF file with 64 bits.
    #[error("{}: expected an ELF file with 64 bits", path.display())]
    Elf {
        /// The program.
        path: PathBuf,
        /// The cause.
        source: object::read::Error,
    },
    /// No wheels exist for a target.
    #[error(
        "no platform tag of wheels is known for {0}; known are x86_64 and aarch64 of Linux with glibc"
    )]
    Platform(String),
    /// A file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A temporary directory cannot be created.
    #[error("a temporary directory cannot be created")]
    Temporary {
        /// The cause.
        source: io::Error,
    },
}

impl DistError {
    pub(crate) fn start(command: &Command, source: io::Error) -> Self {
        let program = command.get_program().to_string_lossy().into_owned();
        Self::Start { program, source }
    }

    pub(crate) fn failed(command: &Command, status: ExitStatus) -> Self {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
        let command = words.join(" ");
        let messages = String::new();
        Self::Failed {
            command,
            status,
            messages,
        }
    }

    /// Adds the messages of a program that failed.
    pub(crate) fn with(mut self, text: &str) -> Self {
        if let Self::Failed { messages, .. } = &mut self
            && !text.is_empty()
        {
            *messages = format!("\n{text}");
        }
        self
    }

    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Read { path, source }
    }

    pub(crate) fn write(path: &Path, source: impl Into<io::Error>) -> Self {
        let path = path.to_owned();
        let source = source.into();
        Self::Write { path, source }
    }

    pub(crate) fn temporary(source: io::Error) -> Self {
        Self::Temporary { source }
    }
}
