//! Progress events of a build.

use std::fmt;
use std::path::PathBuf;

use super::TARGET;

/// Progress event of a build. `Display` formats it as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildEvent {
    /// A compiler or tool is not usable. The search continues with the next one, or the build continues without it.
    NotFound {
        /// Reason why it is not usable.
        reason: String,
    },
    /// A command that changes the machine is about to run: it installs a compiler or updates package lists.
    Installing {
        /// The command with its arguments.
        command: String,
    },
    /// A tool is about to be downloaded into the cache.
    Fetching {
        /// Name and purpose of the tool.
        what: String,
    },
    /// A guest is about to be built by a tool other than cargo.
    Making {
        /// Description of the guest.
        what: String,
    },
    /// Another process builds into the same directory, and this one waits for its turn. Repeated when the progress of
    /// the other process changes.
    Waiting {
        /// The build directory.
        target_dir: PathBuf,
        /// The other process and its progress; empty if unknown.
        holder: String,
    },
    /// Cargo is about to run. It may find everything up to date.
    Asking {
        /// Names of the packages, sorted.
        packages: Vec<String>,
    },
    /// Cargo has started to compile.
    Compiling {
        /// Number of guest packages to build, including those that are up to date.
        packages: usize,
        /// Version and location of the compiler.
        compiler: String,
    },
    /// Guests were compiled or found up to date.
    Compiled {
        /// Number of finished guests.
        guests: usize,
        /// Number of guests to build.
        total: usize,
    },
    /// Line of progress output from cargo, or from the C compiler in builds of the Python interpreter.
    Cargo {
        /// The line, without its line end.
        line: String,
    },
    /// The compiler warns about a guest.
    Warning {
        /// Name of the package.
        package: String,
        /// The warning as rendered by the compiler.
        rendered: String,
    },
    /// A world is being set up, or the guests of a task are being compiled to machine code.
    Preparing {
        /// Description of the work.
        what: String,
        /// Number of the item, from 1.
        number: usize,
        /// Number of items.
        total: usize,
    },
    /// A module was converted to a new component.
    Componentized {
        /// Source file of the guest.
        source: PathBuf,
        /// Size of the component, in bytes.
        size: u64,
    },
}

impl fmt::Display for BuildEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { reason } => f.write_str(reason),
            Self::Installing { command } => {
                write!(f, "installing a compiler for {TARGET}: {command}")
            }
            Self::Fetching { what } => write!(f, "downloading {what}"),
            Self::Making { what } => write!(f, "building {what}"),
            Self::Asking { packages } => write!(f, "running cargo for {}", packages.join(", ")),
            Self::Compiling { packages, compiler } => {
                let plural = if *packages == 1 { "" } else { "s" };
                write!(
                    f,
                    "compiling {packages} guest package{plural} with {compiler}"
                )
            }
            Self::Waiting { target_dir, holder } => {
                let holder = match holder.as_str() {
                    "" => "another mcpmark process",
                    holder => holder,
                };
                write!(
                    f,
                    "waiting for {holder} (building into {})",
                    target_dir.display()
                )
            }
            Self::Compiled { guests, total } => write!(f, "{guests} of {total} guests compiled"),
            Self::Cargo { line } => f.write_str(line.trim()),
            Self::Preparing {
                what,
                number,
                total,
            } => write!(f, "preparing {what} ({number} of {total})"),
            Self::Warning { rendered, .. } => f.write_str(rendered.trim_end()),
            Self::Componentized { source, size } => {
                write!(
                    f,
                    "built the component of {} ({size} bytes)",
                    source.display()
                )
            }
        }
    }
}
