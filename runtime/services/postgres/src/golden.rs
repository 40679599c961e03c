//! Golden clusters: stopped clusters with the content of a world, of which sessions get private copies.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mcpmark_snapshot::{Digest, Snapshot};
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};
use tokio_postgres::{Client, NoTls};

use crate::state::{self, RestoreError};
use crate::{ADMINISTRATOR, Cluster, ClusterError, Installation, Isolation, Settings};

/// Name of the database of every world.
pub const DATABASE: &str = "world";

/// Version of the content of golden clusters. A change makes existing ones unused.
const FORMAT: u32 = 3;
/// Maximum number of golden clusters in a directory. Those that were not used for the longest time are removed first.
const MAX_CLUSTERS: usize = 64;
/// Time between two attempts to build a cluster whose incomplete remains are in use.
const POLL: Duration = Duration::from_millis(20);
/// Name of an empty golden cluster, in place of the digest of a world.
const EMPTY: &str = "empty";
/// Name of the file with [`Facts`], which is written last.
const FACTS: &str = "facts.json";
/// Extension of the directory of a cluster that is being built.
const BUILDING: &str = "building";
/// End of the names of lock files.
const LOCK: &str = ".lock";

/// Directory of golden clusters.
#[derive(Debug, Clone)]
pub struct Goldens {
    dir: PathBuf,
}

/// Golden cluster. It is not removed while this exists.
#[derive(Debug)]
pub struct Golden {
    dir: PathBuf,
    facts: Facts,
    /// Shared lock of the file of the cluster.
    _lock: File,
}

/// Facts about the content of a golden cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Role of the agent: the owner of the database.
    pub role: String,
    /// Whether the role is a superuser.
    pub is_superuser: bool,
    /// Whether the role can make the server run programs or use files, or give itself these rights.
    pub is_powerful: bool,
}

impl Goldens {
    /// Uses a directory, which is created when it is needed.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns the directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the golden cluster of a world, and builds it if it does not exist. Two processes that need the same
    /// cluster build it once. Blocks, and must be called within a Tokio runtime on a thread that may block.
    ///
    /// # Errors
    ///
    /// Returns an error if the world is not the state of a database, or if the cluster cannot be built.
    pub fn get(
        &self,
        world: &Snapshot,
        installation: &Installation,
        settings: &Settings,
    ) -> Result<Golden, GoldenError> {
        let hex = world.digest().hex();
        let name = name(hex.get(..20).unwrap_or_default(), installation, settings);
        self.obtain(name, settings, |dir, settings| {
            fill(dir, world, installation, settings)
        })
    }

    /// Returns a golden cluster whose database is empty, into which a state can be restored.
    ///
    /// # Errors
    ///
    /// Returns an error if the cluster cannot be built.
    pub fn empty(
        &self,
        installation: &Installation,
        settings: &Settings,
    ) -> Result<Golden, GoldenError> {
        let name = name(EMPTY, installation, settings);
        self.obtain(name, settings, |dir, settings| {
            let cluster = Cluster::create(installation, dir, settings)?;
            let runtime = tokio::runtime::Handle::current();
            match runtime.block_on(create_database(&cluster)) {
                Ok(()) => cluster.stop()?,
                Err(error) => {
                    cluster.close();
                    return Err(error.into());
                }
            }
            Ok(Facts {
                role: ADMINISTRATOR.to_owned(),
                is_superuser: true,
                is_powerful: true,
            })
        })
    }

    /// Returns a golden cluster, and builds it with a function if it does not exist.
    fn obtain(
        &self,
        name: String,
        settings: &Settings,
        fill: impl Fn(&Path, &Settings) -> Result<Facts, GoldenError>,
    ) -> Result<Golden, GoldenError> {
        let error = |source| GoldenError::Directory {
            dir: self.dir.clone(),
            source,
        };
        fs::create_dir_all(&self.dir).map_err(error)?;
        let dir = self.dir.join(&name);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.dir.join(format!("{name}{LOCK}")))
            .map_err(error)?;
        let facts = loop {
            // Waits for a process that builds the cluster, but not for those that use it.
            flock(&lock, FlockOperation::LockShared).map_err(error)?;
            if let Some(found) = facts(&dir) {
                break found;
            }
            flock(&lock, FlockOperation::Unlock).map_err(error)?;
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {
                    // Another process may have been faster.
                    if facts(&dir).is_none() {
                        build(&dir, &hiding(&self.dir, settings), &fill)?;
                        self.remove_unused(&name);
                    }
                }
                Err(busy) if busy.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(POLL),
                Err(other) => return Err(error(other)),
            }
        };
        // The time of the last use. If it cannot be set, the cluster is removed earlier than necessary.
        let _ = lock.set_modified(SystemTime::now());
        Ok(Golden {
            dir,
            facts,
            _lock: lock,
        })
    }

    /// Removes the clusters that were not used for the longest time, if there are too many. Errors are ignored, because
    /// the next call tries again. The files of locks stay: if one was replaced, two processes could build one cluster.
    fn remove_unused(&self, keep: &str) {
        let mut found: Vec<(SystemTime, String)> = fs::read_dir(&self.dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let name = name.strip_suffix(LOCK)?.to_owned();
                let used = entry.metadata().ok()?.modified().ok()?;
                (name != keep && self.dir.join(&name).exists()).then_some((used, name))
            })
            .collect();
        found.sort();
        let excess = (found.len() + 1).saturating_sub(MAX_CLUSTERS);
        for (_, name) in found.into_iter().take(excess) {
            let lock = File::open(self.dir.join(format!("{name}{LOCK}")));
            if let Ok(lock) = lock
                && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            {
                let _ = remove(&self.dir.join(&name));
            }
        }
    }
}

impl Golden {
    /// Returns the facts about the content.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Starts a private copy of the cluster.
    ///
    /// # Errors
    ///
    /// Returns an error if the copy cannot be made or started, or if the role of the agent can run programs and the server
    /// is not isolated.
    pub fn copy(
        &self,
        installation: &Installation,
        settings: &Settings,
    ) -> Result<Cluster, ClusterError> {
        if self.facts.is_powerful && settings.isolation == Isolation::Process {
            let role = self.facts.role.clone();
            return Err(ClusterError::NotIsolated { role });
        }
        let goldens = self.dir.parent().unwrap_or(&self.dir);
        Cluster::copy(installation, &self.dir, &hiding(goldens, settings))
    }
}

/// Returns settings with which a server does not see golden clusters. Without the rights of root, it runs as their owner.
fn hiding(goldens: &Path, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.hidden.push(goldens.to_owned());
    settings
}

/// Returns the name of a golden cluster, which is different for everything that its content depends on.
fn name(content: &str, installation: &Installation, settings: &Settings) -> String {
    let major = installation.version().major;
    // A data directory belongs to one build of the server: block sizes and alignment can differ.
    let bin = installation.bin().display();
    let owner = rustix::process::geteuid().as_raw();
    let rest = format!("{FORMAT}\n{bin}\n{owner}\n{}", settings.configuration());
    let rest = Digest::of(rest.as_bytes()).hex();
    let rest = rest.get(..20).unwrap_or_default();
    format!("{content}-{major}-{rest}")
}

fn flock(file: &File, operation: FlockOperation) -> io::Result<()> {
    Ok(rustix::io::retry_on_intr(|| {
        rustix::fs::flock(file, operation)
    })?)
}

/// Returns the facts of a complete cluster.
fn facts(dir: &Path) -> Option<Facts> {
    let text = fs::read(dir.join(FACTS)).ok()?;
    serde_json::from_slice(&text).ok()
}

fn remove(dir: &Path) -> io::Result<()> {
    // First, so that a cluster is not used if this process is killed meanwhile.
    let _ = fs::remove_file(dir.join(FACTS));
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Builds a cluster next to its place, and renames it when it is complete.
fn build(
    dir: &Path,
    settings: &Settings,
    fill: impl Fn(&Path, &Settings) -> Result<Facts, GoldenError>,
) -> Result<Facts, GoldenError> {
    let building = dir.with_extension(BUILDING);
    let error = |source| GoldenError::Directory {
        dir: building.clone(),
        source,
    };
    // What a killed process has left.
    remove(&building).map_err(error)?;
    remove(dir).map_err(error)?;
    let settings = Settings {
        clock: None,
        ..settings.clone()
    };
    let built = fill(&building, &settings).and_then(|facts| {
        let text = serde_json::to_vec(&facts).map_err(io::Error::other);
        text.and_then(|text| fs::write(building.join(FACTS), text))
            .and_then(|()| fs::rename(&building, dir))
            .map_err(error)?;
        Ok(facts)
    });
    if built.is_err() {
        // The next attempt removes it if this fails.
        let _ = remove(&building);
    }
    built
}

fn fill(
    dir: &Path,
    world: &Snapshot,
    installation: &Installation,
    settings: &Settings,
) -> Result<Facts, GoldenError> {
    state::check(world)?;
    let cluster = Cluster::create(installation, dir, settings)?;
    match tokio::runtime::Handle::current().block_on(load(&cluster, world)) {
        Ok(facts) => {
            cluster.stop()?;
            Ok(facts)
        }
        Err(error) => {
            // The directory is removed next.
            cluster.close();
            Err(error)
        }
    }
}

/// Creates the database of a world in a new cluster.
async fn create_database(cluster: &Cluster) -> Result<(), ConnectError> {
    let client = connect(cluster, ADMINISTRATOR, "postgres").await?;
    let create = format!("CREATE DATABASE {DATABASE}");
    Ok(client.batch_execute(&create).await?)
}

/// Restores a state in an empty database, and prepares its rows for queries.
pub(crate) async fn restore(client: &Client, state: &Snapshot) -> Result<(), GoldenError> {
    state::restore(client, state).await?;
    let unlimited = "SET statement_timeout = 0";
    client
        .batch_execute(unlimited)
        .await
        .map_err(ConnectError::from)?;
    // All rows are visible to all, so that no query of a session writes hints. Statistics of tables of up to 30,000 rows
    // do not depend on chance.
    client
        .batch_execute("VACUUM (FREEZE, ANALYZE)")
        .await
        .map_err(ConnectError::from)?;
    Ok(())
}

/// Restores a world in a new cluster, and prepares the cluster for copies.
async fn load(cluster: &Cluster, world: &Snapshot) -> Result<Facts, GoldenError> {
    create_database(cluster).await?;
    let client = connect(cluster, ADMINISTRATOR, DATABASE).await?;
    restore(&client, world).await?;
    let owner = client
        .query_one(
            "SELECT rolname::text, rolsuper, rolcanlogin, oid = 10, rolsuper OR rolcreaterole OR EXISTS (\
             SELECT FROM pg_catalog.pg_roles AS held WHERE held.rolname IN ('pg_execute_server_program', \
             'pg_read_server_files', 'pg_write_server_files') AND pg_catalog.pg_has_role(owner.oid, held.oid, 'MEMBER')) \
             FROM pg_catalog.pg_authid AS owner WHERE oid = \
             (SELECT datdba FROM pg_catalog.pg_database WHERE datname = current_database())",
            &[],
        )
        .await
        .map_err(ConnectError::from)?;
    let (role, is_superuser): (String, bool) = (owner.get(0), owner.get(1));
    let (can_login, is_bootstrap): (bool, bool) = (owner.get(2), owner.get(3));
    let is_powerful: bool = owner.get(4);
    if is_bootstrap {
        return Err(GoldenError::NoOwner);
    }
    if !can_login {
        return Err(GoldenError::NoLogin { role });
    }
    Ok(Facts {
        role,
        is_superuser,
        is_powerful,
    })
}

/// Settings of the connections of the harness, as options of the server. Options of a connection outrank the settings
/// that the agent can give to its database or to roles, which would otherwise decide whose functions and operators the
/// harness calls, which libraries it loads, and as which role it runs.
const OPTIONS: &str = "-c search_path=pg_catalog -c role=none -c local_preload_libraries= -c session_preload_libraries= \
     -c session_replication_role=origin -c default_transaction_read_only=off -c default_transaction_deferrable=off \
     -c default_transaction_isolation=read\\ committed -c statement_timeout=0 -c lock_timeout=0 \
     -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0 -c temp_file_limit=-1 -c row_security=off";

/// First version in which event triggers can run at a login, and with a setting that turns them off.
const FIRST_WITH_LOGIN_TRIGGERS: u32 = 17;

/// Returns the options of a connection of the harness to a cluster.
pub(crate) fn options(cluster: &Cluster) -> String {
    let mut options = OPTIONS.to_owned();
    if cluster.installation().version().major >= FIRST_WITH_LOGIN_TRIGGERS {
        options.push_str(" -c event_triggers=off");
    }
    options
}

/// Connects to a database of a cluster, as a superuser.
pub(crate) async fn connect(
    cluster: &Cluster,
    role: &str,
    database: &str,
) -> Result<Client, ConnectError> {
    let mut config = cluster.config(role, database);
    let (client, connection) = config.options(options(cluster)).connect(NoTls).await?;
    // It ends when the client is dropped. Its errors are those of the client's requests.
    drop(tokio::spawn(connection));
    Ok(client)
}

/// Error of a connection of the harness to a cluster.
#[derive(Debug, thiserror::Error)]
#[error("the connection of the harness to the PostgreSQL server failed: {}", describe(.0))]
pub struct ConnectError(#[from] tokio_postgres::Error);

fn describe(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(server), _) => format!("{} ({})", server.message(), server.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// Errors of building golden clusters.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// Directory that cannot be read or written.
    #[error("cannot use the directory {dir} of PostgreSQL clusters", dir = dir.display())]
    Directory {
        /// Directory.
        dir: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Failure of a cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Failure of a connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// State that cannot be restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
    /// World whose database belongs to the harness.
    #[error(
        "database.sql gives the database no owner; expected `ALTER DATABASE :\"database\" OWNER TO <role>;` with a role \
         of roles.sql, which is the role of the agent"
    )]
    NoOwner,
    /// World whose owner cannot log in.
    #[error(
        "the role {role:?} owns the database, so it is the role of the agent, but it cannot log in; write `CREATE ROLE \
         ... LOGIN` in roles.sql"
    )]
    NoLogin {
        /// Name of the role.
        role: String,
    },
}

impl GoldenError {
    /// Reports whether the world is invalid, as opposed to a failure of the machine.
    pub fn is_invalid_world(&self) -> bool {
        match self {
            Self::NoOwner | Self::NoLogin { .. } => true,
            Self::Restore(error) => !error.is_infrastructure(),
            Self::Directory { .. } | Self::Cluster(_) | Self::Connect(_) => false,
        }
    }
}
