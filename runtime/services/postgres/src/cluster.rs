//! Private clusters: a data directory with its own server, reachable through a Unix socket only.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio_postgres::Config;

use crate::Installation;
use crate::ready::{Readiness, probe};

/// Role of the harness: the superuser that `initdb` creates. Only the holder of a random password can log in as it.
pub const ADMINISTRATOR: &str = "postgres";

/// Name of the data directory within the directory of a cluster.
const DATA: &str = "data";
/// Name of the file with the password of the administrator.
const PASSWORD: &str = "password";
/// Name of the file with the messages of the server.
const LOG: &str = "log";
/// Port number, which is part of the name of the socket.
const PORT: u16 = 5432;
/// User id of the server if this process runs as root, which PostgreSQL refuses.
const SERVER_ID: u32 = 65534;
/// Time within which a server must accept connections.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Time within which a server must stop.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Settings of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of connections, without those of the administrator.
    pub max_connections: u32,
    /// Time limit of a statement.
    pub statement_timeout: Duration,
    /// Maximum total size of the temporary files of one session of the server, in bytes.
    pub temporary_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_connections: 20,
            statement_timeout: Duration::from_secs(60),
            temporary_bytes: 1 << 30,
        }
    }
}

/// Running cluster. Its server is stopped on drop; the data directory remains.
#[derive(Debug)]
pub struct Cluster {
    installation: Installation,
    directory: PathBuf,
    password: String,
    sockets: tempfile::TempDir,
    server: Server,
}

impl Cluster {
    /// Creates an empty cluster in `directory`, which must be empty or missing, and starts its server.
    ///
    /// If this process runs as root, the server runs as another user, so the parents of the directory must allow access
    /// to others; `directory` itself is opened to them.
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
        let create = |source| ClusterError::Directory {
            directory: directory.to_owned(),
            source,
        };
        fs::create_dir_all(directory).map_err(create)?;
        open_to_server(directory).map_err(create)?;
        fs::create_dir(&data).map_err(create)?;
        give_to_server(&data, 0o700).map_err(create)?;
        let password = random_password().map_err(create)?;
        write_private(&directory.join(PASSWORD), &password).map_err(create)?;

        let mut initdb = unprivileged(&installation.program("initdb"));
        initdb
            .arg("--pgdata")
            .arg(&data)
            .args(["--username", ADMINISTRATOR])
            .args(["--encoding=UTF8", "--locale=C", "--auth=reject"])
            .args(["--no-sync", "--no-instructions", "--wal-segsize=1"]);
        let output = initdb.output().map_err(|source| ClusterError::Start {
            program: installation.program("initdb"),
            source,
        })?;
        if !output.status.success() {
            return Err(ClusterError::Initdb {
                status: output.status,
                output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            });
        }
        configure(&data, settings).map_err(create)?;
        set_password(installation, &data, &password)?;
        Self::start(installation, directory, settings)
    }

    /// Starts the server of a cluster that [`Cluster::create`] has made in `directory`.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory is not a cluster, or if its server does not start.
    pub fn start(
        installation: &Installation,
        directory: &Path,
        settings: &Settings,
    ) -> Result<Self, ClusterError> {
        let error = |source| ClusterError::Directory {
            directory: directory.to_owned(),
            source,
        };
        let password = fs::read_to_string(directory.join(PASSWORD)).map_err(error)?;
        let sockets = tempfile::Builder::new()
            .prefix("pg")
            .tempdir_in("/tmp")
            .map_err(error)?;
        give_to_server(sockets.path(), 0o711).map_err(error)?;
        let log = File::create(directory.join(LOG)).map_err(error)?;
        let program = installation.program("postgres");
        let mut command = unprivileged(&program);
        command
            .arg("-D")
            .arg(directory.join(DATA))
            .arg("-k")
            .arg(sockets.path())
            .args(["-p", &PORT.to_string()])
            .args([
                "-c",
                &format!("max_connections={}", settings.max_connections + 3),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0);
        let server = command
            .spawn()
            .map_err(|source| ClusterError::Start { program, source })?;
        let mut cluster = Self {
            installation: installation.clone(),
            directory: directory.to_owned(),
            password,
            sockets,
            server: Server(server),
        };
        cluster.wait_until_ready()?;
        Ok(cluster)
    }

    fn wait_until_ready(&mut self) -> Result<(), ClusterError> {
        let socket = self.sockets.path().join(format!(".s.PGSQL.{PORT}"));
        let began = Instant::now();
        loop {
            match probe(&socket) {
                Readiness::Ready => return Ok(()),
                Readiness::Starting => {}
            }
            let ended = self.server.0.try_wait().ok().flatten();
            if ended.is_some() || began.elapsed() > START_LIMIT {
                return Err(ClusterError::NotReady { log: self.log() });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the settings of a connection as `role` to `database`.
    pub fn config(&self, role: &str, database: &str) -> Config {
        let mut config = Config::new();
        config
            .host_path(self.sockets.path())
            .port(PORT)
            .user(role)
            .dbname(database);
        if role == ADMINISTRATOR {
            config.password(&self.password);
        }
        config
    }

    /// Returns the installation whose server runs the cluster.
    pub fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Returns the last messages of the server.
    pub fn log(&self) -> String {
        let text = fs::read(self.directory.join(LOG)).unwrap_or_default();
        let start = text.len().saturating_sub(4096);
        String::from_utf8_lossy(&text[start..]).trim().to_owned()
    }

    /// Stops the server. Running statements are cancelled, and the data directory is left in a consistent state.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not stop in time. It is killed then.
    pub fn stop(mut self) -> Result<(), ClusterError> {
        self.server
            .stop()
            .map_err(|source| ClusterError::Stop { source })
    }
}

/// Server process, which is killed on drop.
#[derive(Debug)]
struct Server(Child);

impl Server {
    fn stop(&mut self) -> io::Result<()> {
        if let Some(process) = Pid::from_raw(self.0.id().cast_signed()) {
            let _ = kill_process(process, Signal::INT);
        }
        let began = Instant::now();
        while self.0.try_wait()?.is_none() {
            if began.elapsed() > STOP_LIMIT {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        let process = Pid::from_child(&self.0);
        // At this signal the server stops its processes, which are not in its process group.
        let _ = kill_process(process, Signal::QUIT);
        let began = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && began.elapsed() < STOP_LIMIT {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = kill_process_group(process, Signal::KILL);
        let _ = self.0.wait();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns a command with an empty environment that runs as the user of the server.
fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .current_dir("/");
    if is_root() {
        // Also removes all supplementary groups.
        command.uid(SERVER_ID).gid(SERVER_ID);
    }
    command
}

fn give_to_server(dir: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(dir, Permissions::from_mode(mode))?;
    if is_root() {
        chown(dir, Some(SERVER_ID), Some(SERVER_ID))?;
    }
    Ok(())
}

fn open_to_server(dir: &Path) -> io::Result<()> {
    fs::set_permissions(dir, Permissions::from_mode(0o711))
}

fn random_password() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Writes the configuration of a new cluster.
fn configure(data: &Path, settings: &Settings) -> io::Result<()> {
    let timeout = settings.statement_timeout.as_millis();
    let temporary = settings.temporary_bytes / 1024;
    let configuration = format!(
        "listen_addresses = ''\n\
         fsync = off\n\
         synchronous_commit = off\n\
         full_page_writes = off\n\
         autovacuum = off\n\
         timezone = 'UTC'\n\
         log_timezone = 'UTC'\n\
         datestyle = 'iso, mdy'\n\
         lc_messages = 'C'\n\
         lc_monetary = 'C'\n\
         lc_numeric = 'C'\n\
         lc_time = 'C'\n\
         shared_buffers = 16MB\n\
         max_wal_size = 64MB\n\
         min_wal_size = 8MB\n\
         max_worker_processes = 2\n\
         max_parallel_workers_per_gather = 0\n\
         max_wal_senders = 0\n\
         wal_level = minimal\n\
         dynamic_shared_memory_type = posix\n\
         unix_socket_permissions = 0777\n\
         statement_timeout = {timeout}\n\
         temp_file_limit = {temporary}kB\n"
    );
    fs::write(data.join("postgresql.conf"), configuration)?;
    let access = format!(
        "local all {ADMINISTRATOR} scram-sha-256\n\
         local replication all reject\n\
         local all all trust\n"
    );
    fs::write(data.join("pg_hba.conf"), access)
}

/// Sets the password of the administrator with the server in single-user mode.
fn set_password(
    installation: &Installation,
    data: &Path,
    password: &str,
) -> Result<(), ClusterError> {
    let program = installation.program("postgres");
    let start = |source| ClusterError::Start {
        program: program.clone(),
        source,
    };
    let mut child = unprivileged(&program)
        .args(["--single", "-D"])
        .arg(data)
        .arg("postgres")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    if let Some(mut input) = child.stdin.take() {
        writeln!(input, "ALTER ROLE {ADMINISTRATOR} PASSWORD '{password}'").map_err(start)?;
    }
    let output = child.wait_with_output().map_err(start)?;
    if output.status.success() {
        return Ok(());
    }
    Err(ClusterError::Initdb {
        status: output.status,
        output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
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
    #[error("initdb failed ({status}): {output}")]
    Initdb {
        /// Exit status.
        status: ExitStatus,
        /// Messages.
        output: String,
    },
    /// Server that does not accept connections.
    #[error("the PostgreSQL server does not accept connections: {log}")]
    NotReady {
        /// Last messages of the server.
        log: String,
    },
    /// Server that does not stop.
    #[error("cannot stop the PostgreSQL server")]
    Stop {
        /// Cause.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use tokio_postgres::NoTls;

    use super::*;

    #[tokio::test]
    async fn a_cluster_answers_stops_and_starts_again() {
        let Ok(installation) = Installation::find(None) else {
            return;
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
}
