//! Inspection of stored states in SQL, for verifiers.
//!
//! An [`Inspector`] builds a private cluster from a state, in the order of the canonical form, so that the physical order
//! of rows and the plans of queries follow from the state alone. Sessions of the cluster answer statements in text.
//!
//! All functions block, and may be called from any thread: they work in a runtime of their own.

mod answer;
mod build;
mod literals;
mod runtime;
mod session;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use mcpmark_snapshot::Snapshot;

pub use self::answer::{Answer, Column, Parts, Refusal};
use self::build::Plan;
pub use self::literals::{FormatError, Item, Literal, Parameters, array, interpolate};
pub(crate) use self::runtime::Background;
pub use self::session::{Session, StatementError};
use crate::golden::{ConnectError, Goldens};
use crate::{
    Cluster, ClusterError, GoldenError, Installation, InstallationError, Isolation, Settings,
};

/// Builder of databases from states.
#[derive(Debug)]
pub struct Inspector {
    installation: OnceLock<Installation>,
    goldens: Goldens,
    background: Background,
}

/// Request for a private cluster.
#[derive(Debug, Clone, Copy)]
pub struct InspectionRequest<'a> {
    /// Starting state of the same grade, if it is known. If only rows differ, its golden cluster is used.
    pub start: Option<&'a Snapshot>,
    /// State whose content the cluster has.
    pub state: &'a Snapshot,
    /// Time at which the clock of the cluster starts, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Parent of the directory for private files.
    pub scratch: &'a Path,
}

/// Private cluster with the content of a state. It ends when the value is dropped.
#[derive(Debug)]
pub struct Inspection {
    cluster: Cluster,
    background: Background,
}

impl Inspector {
    /// Creates a builder that uses a server of this machine, or the newest one, and a directory of golden clusters.
    pub fn new(installation: Option<Installation>, goldens: impl Into<PathBuf>) -> Self {
        Self {
            installation: installation.map_or_else(OnceLock::new, OnceLock::from),
            goldens: Goldens::new(goldens),
            background: Background::default(),
        }
    }

    /// Returns the server of the clusters. The first call determines it for all later ones.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server on this machine.
    pub fn installation(&self) -> Result<&Installation, InstallationError> {
        if let Some(installation) = self.installation.get() {
            return Ok(installation);
        }
        let found = Installation::find_beside(self.goldens.dir())?;
        Ok(self.installation.get_or_init(|| found))
    }

    /// Builds a cluster from a state.
    ///
    /// # Errors
    ///
    /// Returns an error if the state is not a database, or if this machine has no isolated server.
    pub fn open(&self, request: InspectionRequest<'_>) -> Result<Inspection, InspectionError> {
        let installation = self.installation()?.clone();
        let settings = Settings {
            clock: Some(request.clock),
            scratch: Some(request.scratch.to_owned()),
            disk_bytes: build::disk_bytes(request.state),
            ..Settings::default()
        };
        if settings.isolation == Isolation::Process {
            return Err(InspectionError::NotIsolated);
        }
        let plan = Plan {
            goldens: self.goldens.clone(),
            installation,
            settings,
            start: request.start.cloned(),
            state: request.state.clone(),
        };
        let built = self.background.run(move |runtime| plan.build(runtime));
        Ok(Inspection {
            cluster: built.ok_or(InspectionError::Stopped)??,
            background: self.background.clone(),
        })
    }
}

impl Inspection {
    /// Returns the major version of the server.
    pub fn major(&self) -> u32 {
        self.cluster.installation().version().major
    }

    /// Opens a session of a superuser in a read-only transaction with the isolation level repeatable read, whose
    /// snapshot is taken now.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer.
    pub fn reader(&self) -> Result<Session, InspectionError> {
        let opened = Session::reader(&self.cluster, &self.background);
        opened.map_err(InspectionError::Login)
    }

    /// Opens a session of a role, or of a superuser without one. A statement that waits for a lock fails soon.
    ///
    /// # Errors
    ///
    /// Returns the refusal of the server.
    pub fn log_in(&self, role: Option<&str>) -> Result<Session, Refusal> {
        Session::log_in(&self.cluster, &self.background, role)
    }
}

/// Returns the user that a connection string names, in the form of a URI or of keywords.
#[must_use]
pub fn user_of(connection: &str) -> Option<String> {
    let config: tokio_postgres::Config = connection.parse().ok()?;
    config.get_user().map(str::to_owned)
}

/// Errors of building a database from a state.
#[derive(Debug, thiserror::Error)]
pub enum InspectionError {
    /// No server on this machine.
    #[error(transparent)]
    Installation(#[from] InstallationError),
    /// Machine without namespaces.
    #[error(
        "statements on a final state call functions of its agent, which needs a server in namespaces, but the kernel of \
         this machine refuses them; allow unprivileged user namespaces, run as root, or grade on another machine"
    )]
    NotIsolated,
    /// Golden cluster that cannot be built, or state that cannot be restored.
    #[error(transparent)]
    Golden(#[from] GoldenError),
    /// Cluster that cannot be started.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Connection that cannot be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Session that the server refuses.
    #[error("the PostgreSQL server refused a session of the harness: {0}")]
    Login(Refusal),
    /// State that takes too long.
    #[error("the state of the database was not restored in {seconds} seconds")]
    Slow {
        /// Limit in seconds.
        seconds: u64,
    },
    /// Work that ended without a result.
    #[error("the work on a PostgreSQL server was stopped")]
    Stopped,
}

/// Cause of an [`InspectionError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// State that is not a database that can be built.
    State,
    /// State that takes too long to be built.
    Time,
    /// Host or server.
    Host,
}

impl InspectionError {
    /// Returns the cause of the error.
    pub fn cause(&self) -> Cause {
        match self {
            // Roles and the owner of the database are parts of the state.
            Self::Golden(error) if error.is_invalid_world() => Cause::State,
            Self::Slow { .. } => Cause::Time,
            Self::Installation(_)
            | Self::NotIsolated
            | Self::Golden(_)
            | Self::Cluster(_)
            | Self::Connect(_)
            | Self::Login(_)
            | Self::Stopped => Cause::Host,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_an_isolated_server_is_not_a_fault_of_the_state() {
        for (error, words) in [
            (
                InspectionError::from(InstallationError::NotFound),
                "mcpmark service install postgres",
            ),
            (
                InspectionError::NotIsolated,
                "allow unprivileged user namespaces",
            ),
        ] {
            assert_eq!(error.cause(), Cause::Host);
            let message = error.to_string();
            assert!(message.contains(words), "{message}");
        }
        let state = InspectionError::from(GoldenError::NoOwner);
        assert_eq!(state.cause(), Cause::State);
        assert_eq!(InspectionError::Slow { seconds: 20 }.cause(), Cause::Time);
    }

    #[test]
    fn users_are_read_from_connection_strings() {
        for (text, user) in [
            (
                "postgresql://postgres@localhost:5432/world",
                Some("postgres"),
            ),
            (
                "postgres://clerk:secret@localhost/world?sslmode=disable",
                Some("clerk"),
            ),
            ("host=localhost user=guest dbname=world", Some("guest")),
            ("host=localhost dbname=world", None),
            ("not a connection", None),
        ] {
            assert_eq!(user_of(text).as_deref(), user, "{text}");
        }
    }
}
