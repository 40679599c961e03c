//! Errors of building guests.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;

use super::{ComponentizeError, TARGET};

/// Errors of building guests.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No compiler for the target was found or could be installed.
    #[error("no compiler for {TARGET}: {}; to install one, run {}", tried.join("; "), typed(commands))]
    NoCompiler {
        /// Attempts and their results, in order.
        tried: Vec<String>,
        /// Commands that install a compiler; any one of them is sufficient.
        commands: Vec<String>,
    },

    /// The verifier is held back, so it cannot be built.
    #[error("{}: its verifier {digest} is held back", task_dir.display())]
    HeldBack {
        /// Directory of the task.
        task_dir: PathBuf,
        /// Digest of the verifier.
        digest: Digest,
    },

    /// Cargo rejects the package of a guest.
    #[error("{}: cargo rejected the package: {reason}", package_dir.display())]
    Package {
        /// Directory of the package.
        package_dir: PathBuf,
        /// Message of cargo.
        reason: String,
    },

    /// The manifest has no target for the guest.
    #[error(
        "{}: no target for {}; add [lib] or [[example]] with path = {:?} and crate-type = [\"cdylib\"]",
        manifest.display(),
        source_file.display(),
        relative(source_file, manifest)
    )]
    NoTarget {
        /// Source file of the guest.
        source_file: PathBuf,
        /// Path of the `Cargo.toml`.
        manifest: PathBuf,
    },

    /// Guests do not compile.
    #[error("{} not compile:\n{}", failing(failures), diagnostics(failures))]
    Compile {
        /// Packages with their diagnostics, in the order of the compiler's output.
        failures: Vec<Failure>,
    },

    /// Cargo failed before or after compilation, for example because a dependency could not be fetched or the linker
    /// failed.
    #[error("cargo failed: {reason}")]
    Cargo {
        /// Message of cargo.
        reason: String,
    },

    /// A module cannot be converted to a component.
    #[error("cannot convert {} to a component", guest.display())]
    Componentize {
        /// Source file of the guest.
        guest: PathBuf,
        /// Error of the conversion.
        source: ComponentizeError,
    },

    /// A program cannot be started.
    #[error("cannot start {program}")]
    Start {
        /// Name of the program.
        program: String,
        /// Error of the operating system.
        source: io::Error,
    },

    /// A file operation failed.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The operation, such as `read`.
        action: &'static str,
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
}

/// Package that does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Name of the package.
    pub package: String,
    /// Errors as rendered by the compiler.
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
