//! Toolchains: compilers that can build guests, and the choice between them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::process::{Call, Finished};
use super::{BuildError, environment};

/// Compilers that may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ToolchainChoice {
    /// The first that is found or can be installed.
    #[default]
    Auto,
    /// The active toolchain; the target is added with rustup if necessary.
    Rustup,
    /// Debian's compiler, with a standard library built from source.
    Debian,
}

impl FromStr for ToolchainChoice {
    type Err = UnknownToolchain;

    fn from_str(text: &str) -> Result<Self, UnknownToolchain> {
        match text {
            "auto" => Ok(Self::Auto),
            "rustup" => Ok(Self::Rustup),
            "debian" => Ok(Self::Debian),
            _ => Err(UnknownToolchain {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for ToolchainChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Rustup => "rustup",
            Self::Debian => "debian",
        })
    }
}

/// Error of parsing a toolchain choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown toolchain {text:?}; expected \"auto\", \"rustup\" or \"debian\"")]
pub struct UnknownToolchain {
    text: String,
}

/// Kind of a compiler that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The active toolchain, with the standard library for the target installed.
    Active,
    /// Debian's compiler, which builds the standard library together with the guests.
    Debian,
}

impl Kind {
    pub(crate) fn allowed(self, choice: ToolchainChoice) -> bool {
        match choice {
            ToolchainChoice::Auto => true,
            ToolchainChoice::Rustup => self == Self::Active,
            ToolchainChoice::Debian => self == Self::Debian,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Debian => "debian",
        }
    }
}

/// Compiler that can build guests.
#[derive(Debug, Clone)]
pub(crate) struct Toolchain {
    pub(crate) kind: Kind,
    pub(crate) description: String,
    /// Directory in which the compiler's copy of the standard library's source would be; it need not exist.
    pub(crate) library_source: PathBuf,
    /// Commit from which the compiler was built. Official builds use it in the paths of that source.
    pub(crate) commit: String,
    /// Linker, if the compiler has none of its own.
    pub(crate) linker: Option<PathBuf>,
    /// Files that are changed, created or removed if the search would find another compiler.
    pub(crate) marks: Vec<PathBuf>,
}

/// Operations of a machine that the search for a compiler uses.
pub(crate) trait Machine {
    fn run(&mut self, call: &Call) -> Result<Finished, BuildError>;
    fn is_file(&self, path: &Path) -> bool;
    fn on_path(&self, program: &str) -> Option<PathBuf>;
    fn is_root(&self) -> bool;
    /// Reports whether the directory contains a compiled standard library.
    fn has_std(&self, libdir: &Path) -> bool;
}

/// The machine on which this process runs.
#[derive(Debug)]
pub(crate) struct ThisMachine;

impl Machine for ThisMachine {
    fn run(&mut self, call: &Call) -> Result<Finished, BuildError> {
        call.run(&mut |_| {})
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        environment::on_path(program)
    }

    fn is_root(&self) -> bool {
        rustix::process::geteuid().is_root()
    }

    fn has_std(&self, libdir: &Path) -> bool {
        let Ok(mut entries) = fs::read_dir(libdir) else {
            return false;
        };
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
        })
    }
}
