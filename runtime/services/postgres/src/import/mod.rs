//! Import of dumps of other servers as worlds.
//!
//! A dump is foreign input. It is executed in a private cluster in namespaces, as sessions and verifiers have them, and
//! the canonical form of the result is the world, so that no dump is read at a grade. psql is not used: this module
//! splits plain dumps into statements and rows itself, and refuses commands of psql. `pg_restore` converts dumps of the
//! custom format to plain ones.

mod archive;
mod execution;

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Store, Tree};

use crate::capture::{self, CaptureError};
use crate::golden::{self, ConnectError, DATABASE, Goldens};
use crate::inspection::Background;
use crate::{
    ADMINISTRATOR, Cluster, ClusterError, GoldenError, INSTALLATION_VARIABLE, Installation,
    InstallationError, Isolation, Settings,
};

/// Maximum size of a dump, and of the statements of a dump in the custom format, in bytes.
pub const MAX_DUMP_BYTES: u64 = 512 << 20;
/// Time limit of executing a dump.
const TIME: Duration = Duration::from_secs(600);
/// Maximum length of the name of a role, in bytes.
const MAX_ROLE_BYTES: usize = 63;

/// Importer of dumps.
#[derive(Debug)]
pub struct DumpImporter {
    goldens: Goldens,
    background: Background,
}

/// Request to import a dump.
#[derive(Debug)]
pub struct DumpRequest<'a> {
    /// Dump: plain SQL, or an archive of the custom format.
    pub dump: Vec<u8>,
    /// Role that gets the database, and all objects that belong to `postgres` in the dump: the role of the agent.
    pub owner: &'a str,
    /// Time at which the clock of the server starts, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Store that receives the world.
    pub store: &'a Store,
    /// Parent of the directory for private files.
    pub scratch: &'a Path,
    /// Limits of the world.
    pub limits: SessionLimits,
}

/// World that was imported from a dump.
#[derive(Debug)]
pub struct ImportedDump {
    /// Tree of the world. Its bytes are in the store.
    pub tree: Tree,
    /// Roles that the dump refers to. A dump of one database does not define roles, so they cannot log in.
    pub roles: Vec<String>,
    /// Statements that were not executed.
    pub skipped: Vec<SkippedStatement>,
}

/// Statement that was not executed, because it sets a parameter that the server does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedStatement {
    /// Line of the statement, from 1.
    pub line: usize,
    /// Text of the statement.
    pub text: String,
    /// Reason of the server.
    pub reason: String,
}

impl DumpImporter {
    /// Creates an importer with the directory of golden clusters.
    pub fn new(goldens: impl Into<PathBuf>) -> Self {
        Self {
            goldens: Goldens::new(goldens),
            background: Background::default(),
        }
    }

    /// Executes a dump in a private cluster and stores the canonical form of its database.
    ///
    /// # Errors
    ///
    /// Returns an error if the dump is invalid or too large, if its database has objects that a world cannot represent,
    /// or if this machine has no isolated server.
    pub fn import(&self, request: DumpRequest<'_>) -> Result<ImportedDump, DumpImportError> {
        check_role(request.owner)
            .map_err(|rule| DumpImportError::Role(request.owner.to_owned(), rule))?;
        let installation = Installation::find_beside(self.goldens.dir())?;
        let settings = Settings {
            clock: Some(request.clock),
            scratch: Some(request.scratch.to_owned()),
            ..Settings::default()
        };
        if settings.isolation == Isolation::Process {
            return Err(DumpImportError::NotIsolated);
        }
        let is_archive = archive::is_archive(&request.dump);
        let dump = if is_archive {
            archive::statements(&installation, &request.dump)?
        } else {
            request.dump
        };
        if dump.len() as u64 > MAX_DUMP_BYTES {
            return Err(DumpImportError::TooLarge);
        }
        let work = Work {
            goldens: self.goldens.clone(),
            installation,
            settings,
            dump: text(dump, is_archive)?,
            is_archive,
            owner: request.owner.to_owned(),
            store: request.store.clone(),
            limits: request.limits,
        };
        let done = self.background.run(move |runtime| {
            let cluster = work.cluster()?;
            let done = runtime.block_on(work.run(&cluster));
            cluster.close();
            done
        });
        done.ok_or(DumpImportError::Stopped)?
    }
}

/// Inputs of an import that do not borrow from its request.
struct Work {
    goldens: Goldens,
    installation: Installation,
    settings: Settings,
    dump: String,
    is_archive: bool,
    owner: String,
    store: Store,
    limits: SessionLimits,
}

impl Work {
    /// Starts a private cluster with an empty database.
    fn cluster(&self) -> Result<Cluster, DumpImportError> {
        let empty = self.goldens.empty(&self.installation, &self.settings)?;
        Ok(empty.copy(&self.installation, &self.settings)?)
    }

    async fn run(&self, cluster: &Cluster) -> Result<ImportedDump, DumpImportError> {
        let client = golden::connect(cluster, ADMINISTRATOR, DATABASE).await?;
        let administrator = golden::connect(cluster, ADMINISTRATOR, DATABASE).await?;
        let execution =
            execution::Execution::new(&client, &administrator, &self.owner, self.is_archive);
        let executed = tokio::time::timeout(TIME, execution.run(&self.dump)).await;
        let executed = executed.map_err(|_| DumpImportError::Slow {
            seconds: TIME.as_secs(),
        })??;
        drop((client, administrator));
        let tree = capture::capture(cluster, &self.store, &self.limits).await?;
        Ok(ImportedDump {
            tree,
            roles: executed.roles,
            skipped: executed.skipped,
        })
    }
}

/// Returns the text of a dump.
fn text(dump: Vec<u8>, is_archive: bool) -> Result<String, DumpImportError> {
    let rejected = |before: &[u8], message: &str| {
        DumpImportError::Rejected(Place {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            is_archive,
            entry: None,
            message: message.to_owned(),
        })
    };
    // Archives in the tar format have such characters, too.
    if let Some(at) = dump.iter().position(|byte| *byte == 0) {
        let message =
            "a NUL character; expected plain SQL, or an archive by `pg_dump --format=custom`";
        return Err(rejected(&dump[..at], message));
    }
    String::from_utf8(dump).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let message = "not valid UTF-8; expected a dump by `pg_dump --encoding=UTF8`";
        rejected(before, message)
    })
}

/// Checks the name of the role of the agent.
///
/// # Errors
///
/// Returns the rule that the name violates.
pub fn check_role(name: &str) -> Result<(), &'static str> {
    if name.is_empty() || name.len() > MAX_ROLE_BYTES || name.chars().any(char::is_control) {
        return Err("a role has a name of 1 to 63 bytes without control characters");
    }
    if name.starts_with("pg_") || ["postgres", "public", "none"].contains(&name) {
        return Err("the name is reserved; name another role");
    }
    Ok(())
}

/// Place in a dump with the reason why it is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// True if the line is one of the statements that `pg_restore` writes.
    pub is_archive: bool,
    /// Type and name of the object in the dump, such as `TABLE items`.
    pub entry: Option<String>,
    /// Reason.
    pub message: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.line)?;
        if self.is_archive {
            f.write_str(" of the output of pg_restore")?;
        }
        if let Some(entry) = &self.entry {
            write!(f, " ({entry})")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Errors of importing a dump.
#[derive(Debug, thiserror::Error)]
pub enum DumpImportError {
    /// No server on this machine.
    #[error(transparent)]
    Installation(#[from] InstallationError),
    /// Machine without namespaces.
    #[error(
        "a dump calls functions of its author, which needs a server in namespaces, but the kernel of this machine \
         refuses them; allow unprivileged user namespaces, run as root, or import on another machine"
    )]
    NotIsolated,
    /// Name that no role of an agent can have.
    #[error("invalid role {0:?}: {1}")]
    Role(String, &'static str),
    /// Part of the dump that is refused.
    #[error("{0}")]
    Rejected(Place),
    /// Archive that `pg_restore` refuses.
    #[error("pg_restore refuses the archive: {0}")]
    Archive(String),
    /// Installation without `pg_restore`.
    #[error(
        "{program} does not exist, which reads dumps of the custom format; convert the dump with `pg_restore -f \
         dump.sql`, or set {INSTALLATION_VARIABLE} to an installation that has the program",
        program = program.display()
    )]
    NoProgram {
        /// Path of the program.
        program: PathBuf,
    },
    /// Failure of running `pg_restore`.
    #[error("cannot run pg_restore")]
    Run(#[source] std::io::Error),
    /// Dump that is too large.
    #[error("the dump has more than {MAX_DUMP_BYTES} bytes")]
    TooLarge,
    /// Dump that takes too long.
    #[error("the dump was not restored in {seconds} seconds")]
    Slow {
        /// Limit in seconds.
        seconds: u64,
    },
    /// Database that a world cannot represent.
    #[error("the database of the dump cannot be a world: {0}")]
    Unsupported(String),
    /// Failure of capturing the database.
    #[error("cannot read the restored database: {0}")]
    Capture(String),
    /// Cluster that cannot be built.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// Cluster that cannot be started.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Connection that cannot be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Work that ended without a result.
    #[error("the work on a PostgreSQL server was stopped")]
    Stopped,
}

impl DumpImportError {
    /// Returns true if the host or the server failed, and the dump is not the cause.
    #[must_use]
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Role(..)
            | Self::Rejected(_)
            | Self::Archive(_)
            | Self::TooLarge
            | Self::Slow { .. }
            | Self::Unsupported(_) => false,
            Self::Installation(_)
            | Self::NotIsolated
            | Self::NoProgram { .. }
            | Self::Run(_)
            | Self::Capture(_)
            | Self::Golden(_)
            | Self::Cluster(_)
            | Self::Connect(_)
            | Self::Stopped => true,
        }
    }
}

impl From<CaptureError> for DumpImportError {
    fn from(error: CaptureError) -> Self {
        if error.may_pass() {
            Self::Capture(mcpmark_service::error_chain(&error))
        } else {
            Self::Unsupported(mcpmark_service::error_chain(&error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_is_text_without_nul() {
        for (dump, line) in [(&b"SELECT 1;\nSELECT '\0';"[..], 2), (b"SELECT '\xff';", 1)] {
            let Err(DumpImportError::Rejected(place)) = text(dump.to_vec(), false) else {
                panic!("{dump:?} is read as a text");
            };
            assert_eq!(place.line, line);
        }
        assert_eq!(text(b"SELECT 1;".to_vec(), false).unwrap(), "SELECT 1;");
    }
}
