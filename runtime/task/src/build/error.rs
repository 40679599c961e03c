use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;

use super::{ComponentizeError, TARGET};

/// Why guests could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No compiler for the target, and no way to get one.
    #[error("no compiler for {TARGET}: {}; to get one, type {}", tried.join("; "), typed(commands))]
    NoCompiler {
        /// What was tried and how it ended, in order.
        tried: Vec<String>,
        /// Commands any one of which brings a compiler.
        commands: Vec<String>,
    },

    /// A verifier is not there at all.
    #[error("{}: its verifier {digest} is held back", task_dir.display())]
    HeldBack {
        /// Directory of the task.
        task_dir: PathBuf,
        /// The verifier.
        digest: Digest,
    },

    /// Cargo does not accept the package of a guest.
    #[error("{}: cargo does not accept the package: {reason}", package_dir.display())]
    Package {
        /// Directory of the package.
        package_dir: PathBuf,
        /// What cargo said.
        reason: String,
    },

    /// The manifest has no target for a guest.
    #[error(
        "{}: no target for {}; add [lib] or [[example]] with path = {:?} and crate-type = [\"cdylib\"]",
        manifest.display(),
        source_file.display(),
        relative(source_file, manifest)
    )]
    NoTarget {
        /// The guest's source.
        source_file: PathBuf,
        /// The `Cargo.toml` that should name it.
        manifest: PathBuf,
    },

    /// Guests do not compile.
    #[error("{} not compile:\n{}", failing(failures), diagnostics(failures))]
    Compile {
        /// The packages with their diagnostics, in the order of the compiler.
        failures: Vec<Failure>,
    },

    /// Cargo failed before or after the compiler: a dependency that cannot be fetched, a linker.
    #[error("cargo failed: {reason}")]
    Cargo {
        /// What cargo said.
        reason: String,
    },

    /// A module cannot be made a component.
    #[error("{}: not made a component", guest.display())]
    Componentize {
        /// The guest's source.
        guest: PathBuf,
        /// What stands against it.
        source: ComponentizeError,
    },

    /// A program cannot be started.
    #[error("{program} cannot be started")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },

    /// The file system refused.
    #[error("{}: {action} failed", path.display())]
    Io {
        /// What was tried, as in `reading`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

/// A package that does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The name of the package.
    pub package: String,
    /// The errors as the compiler words them, ready to print.
    pub diagnostics: String,
}

impl BuildError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

fn typed(commands: &[String]) -> impl fmt::Display {
    commands
        .iter()
        .map(|command| format!("`{command}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}

fn relative(source: &Path, manifest: &Path) -> PathBuf {
    let inside = manifest
        .parent()
        .and_then(|dir| source.strip_prefix(dir).ok());
    inside.unwrap_or(source).to_owned()
}

fn failing(failures: &[Failure]) -> String {
    let names: Vec<&str> = failures
        .iter()
        .map(|failure| failure.package.as_str())
        .collect();
    match names[..] {
        [name] => format!("guest package {name} does"),
        _ => format!("guest packages {} do", names.join(", ")),
    }
}

fn diagnostics(failures: &[Failure]) -> String {
    failures
        .iter()
        .map(|failure| failure.diagnostics.trim_end())
        .collect::<Vec<_>>()
        .join("\n\n")
}
