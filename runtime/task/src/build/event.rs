use std::fmt;
use std::path::PathBuf;

use super::TARGET;

/// What a builder does, for people who wait for it. `Display` gives one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildEvent {
    /// A way to a compiler is closed; the next one is tried.
    NotFound {
        /// Why.
        reason: String,
    },
    /// A command is about to run that changes the machine: it adds a compiler or lists of packages.
    Installing {
        /// The command as one would type it.
        command: String,
    },
    /// A tool is about to be fetched into the cache.
    Fetching {
        /// What, and what it is for.
        what: String,
    },
    /// A guest is about to be made by a tool other than cargo.
    Making {
        /// What.
        what: String,
    },
    /// Another process builds into the same directory; its turn is awaited. Told again when it has come further.
    Waiting {
        /// The directory.
        target_dir: PathBuf,
        /// Which process it is, and how far it has come; empty where it does not say.
        holder: String,
    },
    /// Cargo is about to run; it may find that nothing has to be compiled.
    Asking {
        /// The names of the packages, sorted.
        packages: Vec<String>,
    },
    /// Cargo has begun to compile.
    Compiling {
        /// How many packages of guests it was asked for; some of them may be up to date.
        packages: usize,
        /// The compiler's version and where it comes from.
        compiler: String,
    },
    /// Guests are compiled, or were up to date.
    Compiled {
        /// How many of this run of cargo.
        guests: usize,
        /// How many guests the run is for.
        total: usize,
    },
    /// A line from cargo's progress.
    Cargo {
        /// As cargo words it.
        line: String,
    },
    /// The compiler warns about a guest.
    Warning {
        /// The name of the package.
        package: String,
        /// The warning as the compiler words it.
        rendered: String,
    },
    /// Something is made ready that was built: a world set up, a task's guests compiled to machine code.
    Preparing {
        /// What.
        what: String,
        /// Which of them it is, from 1.
        number: usize,
        /// How many there are.
        total: usize,
    },
    /// A new component was made.
    Componentized {
        /// The guest's source.
        source: PathBuf,
        /// Size of the component in bytes.
        size: u64,
    },
}

impl fmt::Display for BuildEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { reason } => f.write_str(reason),
            Self::Installing { command } => write!(f, "getting a compiler for {TARGET}: {command}"),
            Self::Fetching { what } => write!(f, "fetching {what}"),
            Self::Making { what } => write!(f, "making {what}"),
            Self::Asking { packages } => write!(f, "asking cargo for {}", packages.join(", ")),
            Self::Compiling { packages, compiler } => {
                let plural = if *packages == 1 { "" } else { "s" };
                write!(
                    f,
                    "compiling {packages} guest package{plural} with {compiler}"
                )
            }
            Self::Waiting { target_dir, holder } => {
                let holder = match holder.as_str() {
                    "" => "another mcpmark",
                    holder => holder,
                };
                write!(
                    f,
                    "waiting for {holder} (it builds into {})",
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
                write!(f, "made {} a component of {size} bytes", source.display())
            }
        }
    }
}
