//! Private clusters: a data directory with its own server, reachable through a Unix socket only.

mod cgroup;
mod isolation;
mod settings;
mod supervisor;
mod visible;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tokio_postgres::Config;

pub use self::cgroup::{CGROUP_VARIABLE, CgroupParent};
pub use self::isolation::{Isolation, clock_library};
pub use self::settings::Settings;
use self::supervisor::{SERVER_ID, Supervisor, Way};
use crate::{INSTALLATION_VARIABLE, Installation};

/// Name of the bootstrap superuser of a new cluster, the role of the harness. It needs a random password, which only this program
/// has.
pub const ADMINISTRATOR: &str = "postgres";

/// Name of the data directory within the directory of a cluster.
const DATA: &str = "data";
/// Name of the file with the password of the administrator.
const PASSWORD: &str = "password";
/// Port number, which is part of the name of the socket.
const PORT: u16 = 5432;

/// Running cluster. A drop kills its server and removes a private copy of the data, without waiting for either.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    administrator: String,
    password: String,
    supervisor: Supervisor,
}

impl Cluster {
    /// Creates an empty cluster in `directory`, which must be empty or missing, and starts its server.
    ///
    /// # Errors
    ///
    /// Returns an error if the cluster cannot be created, or if its server does not start.
    pub fn create(
        installation: &Installation,
        directory: &Path,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        let data = directory.join(DATA);
        let error = |source| ClusterError::directory(directory, source);
        let password = prepare(directory, &data).map_err(error)?;
        let mut initialisation =
            Supervisor::launch(installation, &data, Way::Direct, &password, settings)?;
        match initialisation.request("init") {
            Ok(()) => {}
            Err(ClusterError::NotReady { log }) => return Err(ClusterError::Initdb { log }),
            Err(error) => return Err(error),
        }
        initialisation.close();
        let configure = || {
            fs::write(data.join("postgresql.conf"), settings.configuration())?;
            fs::write(data.join("pg_hba.conf"), Settings::access())
        };
        configure().map_err(error)?;
        Self::start(installation, directory, settings)
    }

    /// Starts the server of a cluster that [`Cluster::create`] made in `directory`, on the data in it.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory is not a cluster, or if its server does not start.
    pub fn start(
        installation: &Installation,
        directory: &Path,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        Self::run(installation, directory, Way::Direct, settings)
    }

    /// Starts a server on a private copy of the data of a stopped cluster in `directory`, which is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory is not a cluster, or if the server does not start.
    pub fn copy(
        installation: &Installation,
        directory: &Path,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        Self::run(installation, directory, Way::Private, settings)
    }

    fn run(
        installation: &Installation,
        directory: &Path,
        way: Way,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        let password = fs::read_to_string(directory.join(PASSWORD))
            .map_err(|source| ClusterError::directory(directory, source))?;
        let data = directory.join(DATA);
        let mut supervisor = Supervisor::launch(installation, &data, way, &password, settings)?;
        supervisor.request("start")?;
        Ok(Self {
            installation: installation.clone(),
            administrator: ADMINISTRATOR.to_owned(),
            password,
            supervisor,
        })
    }

    /// Kills all processes of the server and starts it again on the same data, with another limit of its file system.
    /// The server recovers the committed transactions.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not start.
    pub fn restart(&mut self, disk_bytes: u64) -> Result<(), ClusterError> {
        self.supervisor.allow(disk_bytes);
        self.supervisor.request(&format!("restart {disk_bytes}"))
    }

    /// Restarts the server like [`Cluster::restart`], with the original configuration and an administrator that can log
    /// in. Only a private copy of a cluster, in which a superuser has changed these, needs it. Afterwards no role needs a
    /// password.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not start.
    pub fn repair(&mut self, disk_bytes: u64) -> Result<(), ClusterError> {
        self.supervisor.allow(disk_bytes);
        self.supervisor.request(&format!("repair {disk_bytes}"))?;
        if let Some(name) = self.supervisor.administrator() {
            self.administrator = name;
        }
        Ok(())
    }

    /// Returns the settings of a connection as `role` to `database`.
    pub fn config(&self, role: &str, database: &str) -> Config {
        let mut config = Config::new();
        config
            .host_path(self.supervisor.sockets())
            .port(PORT)
            .user(role)
            .dbname(database);
        if role == self.administrator {
            config.password(&self.password);
        }
        config
    }

    /// Returns the name of the bootstrap superuser, which is the role of the harness.
    pub fn administrator(&self) -> &str {
        &self.administrator
    }

    /// Returns the installation whose server runs the cluster.
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Returns the last messages of the server.
    pub fn log(&self) -> String {
        self.supervisor.log()
    }

    /// Stops the server. Running statements are cancelled, and the data directory is left in a consistent state.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not stop in time. It is killed then.
    pub fn stop(self) -> Result<(), ClusterError> {
        self.supervisor.stop()
    }

    /// Kills the server, removes a private copy of the data, and waits for both in limited time.
    pub fn close(self) {
        self.supervisor.close();
    }
}

/// Creates the directories of a cluster, and a password, which is returned.
fn prepare(directory: &Path, data: &Path) -> io::Result<String> {
    fs::create_dir_all(directory)?;
    // The user of the server owns the data, and must not reach it without a supervisor.
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    fs::create_dir(data)?;
    fs::set_permissions(data, fs::Permissions::from_mode(0o700))?;
    if isolation::is_root() {
        chown(data, Some(SERVER_ID), Some(SERVER_ID))?;
    }
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let password: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(directory.join(PASSWORD))?;
    file.write_all(password.as_bytes())?;
    Ok(password)
}

/// Errors of creating, starting and stopping a cluster.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// Directory of the cluster that cannot be read or written.
    #[error("cannot use the directory {directory} of a PostgreSQL cluster", directory = directory.display())]
    Directory {
        /// Directory.
        directory: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Program that cannot be started.
    #[error("cannot start {program}", program = program.display())]
    Start {
        /// Path of the program.
        program: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Failure of `initdb`.
    #[error("initdb failed: {log}")]
    Initdb {
        /// Last messages.
        log: String,
    },
    /// Server that does not accept connections.
    #[error("the PostgreSQL server does not accept connections: {log}")]
    NotReady {
        /// Last messages of the server.
        log: String,
    },
    /// Installation whose directory contains more than the installation.
    #[error(
        "the programs of PostgreSQL are in {bin}, so its server would see all of {prefix}; expected a directory of \
         the installation alone; move it, for example to {prefix}/postgresql/bin, and set {INSTALLATION_VARIABLE} to \
         that directory",
        bin = bin.display(),
        prefix = prefix.display()
    )]
    Prefix {
        /// Directory of the programs.
        bin: PathBuf,
        /// Directory above it.
        prefix: PathBuf,
    },
    /// Agent that could run programs or use files of this machine.
    #[error(
        "the role {role:?} can make the server run programs or use files, by SUPERUSER, CREATEROLE or the membership in \
         a role such as pg_execute_server_program; expected a machine that isolates the server in namespaces, which \
         the kernel of this one refuses; allow unprivileged user namespaces, or run as root"
    )]
    NotIsolated {
        /// Role of the agent.
        role: String,
    },
    /// Server that does not stop.
    #[error("cannot stop the PostgreSQL server")]
    Stop {
        /// Cause.
        source: io::Error,
    },
}

impl ClusterError {
    fn directory(directory: &Path, source: io::Error) -> Self {
        Self::Directory {
            directory: directory.to_owned(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_test_support::{Need, skip};
    use tokio_postgres::NoTls;

    use super::*;

    #[tokio::test]
    async fn a_cluster_answers_stops_and_starts_again() {
        let installation = match Installation::find(None) {
            Ok(installation) => installation,
            Err(error) => return skip(Need::Postgres, error),
        };
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        let settings = Settings::default();
        let cluster = Cluster::create(&installation, dir.path(), &settings).unwrap();
        let connect = |config: Config| async move {
            let (client, connection) = config.connect(NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        };
        let client = connect(cluster.config(ADMINISTRATOR, "postgres")).await;
        client
            .batch_execute("CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)")
            .await
            .unwrap();
        drop(client);
        cluster.stop().unwrap();
        let cluster = Cluster::start(&installation, dir.path(), &settings).unwrap();
        let client = connect(cluster.config(ADMINISTRATOR, "postgres")).await;
        let row = client.query_one("SELECT n FROM kept", &[]).await.unwrap();
        assert_eq!(row.get::<_, i32>(0), 7);
    }

    #[tokio::test]
    async fn the_memory_of_a_session_is_limited_as_a_sum() {
        let installation = match Installation::find(None) {
            Ok(installation) => installation,
            Err(error) => return skip(Need::Postgres, error),
        };
        let Some(parent) = CgroupParent::of_machine() else {
            return skip(Need::Cgroup, "this process may not create groups");
        };
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        let settings = Settings {
            disk_bytes: 256 << 20,
            memory_bytes: 256 << 20,
            ..Settings::default()
        };
        let cluster = Cluster::create(&installation, dir.path(), &settings).unwrap();
        let config = cluster.config(ADMINISTRATOR, "postgres");
        let connect = async || {
            let (client, connection) = config.connect(NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        };
        // Within the limit of one process.
        let bomb = "SELECT length(repeat('x', 900000000))";
        assert!(connect().await.batch_execute(bomb).await.is_err());
        // The server recovers, because only its largest process was killed.
        let mut recovered = false;
        for _ in 0..1000 {
            if let Ok((client, connection)) = config.connect(NoTls).await {
                tokio::spawn(connection);
                if client.batch_execute("SELECT 1").await.is_ok() {
                    recovered = true;
                    break;
                }
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert!(recovered, "{}", cluster.log());
        let groups = || {
            let mine = format!("mcpmark-{}-", std::process::id());
            let entries = fs::read_dir(parent.dir()).unwrap().flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            names.filter(|name| name.starts_with(&mine)).count()
        };
        assert!(groups() > 0);
        cluster.close();
    }
}
