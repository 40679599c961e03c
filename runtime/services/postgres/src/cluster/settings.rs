//! Settings and limits of clusters.

use std::path::PathBuf;
use std::time::Duration;

use super::ADMINISTRATOR;
use super::isolation::Isolation;

/// Connections that stay free for the administrator when all others are in use.
const RESERVED_CONNECTIONS: u32 = 3;

/// Settings of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of connections, without those of the administrator.
    pub max_connections: u32,
    /// Default time limit of a statement.
    pub statement_timeout: Duration,
    /// Maximum total size of the temporary files of one process of the server, in bytes.
    pub temporary_bytes: u64,
    /// Size of the private file system of the cluster, in bytes: changed data, write-ahead log and temporary files.
    pub disk_bytes: u64,
    /// Maximum address space of each process of the server, in bytes.
    pub process_bytes: u64,
    /// Maximum memory of all processes of the server together, in addition to `disk_bytes`, in bytes. Only a machine that
    /// allows groups (cgroups) enforces it.
    pub memory_bytes: u64,
    /// Maximum number of processes of the server's user.
    pub max_processes: u32,
    /// Time at which the clock of the server starts, in seconds since 1970-01-01 UTC. `None` means the clock of the
    /// host.
    pub clock: Option<i64>,
    /// Isolation of the server.
    pub isolation: Isolation,
    /// Parent of the directory for sockets and mounts. `None` means the default of this machine.
    pub scratch: Option<PathBuf>,
    /// Further directories that the server does not see in its own namespaces.
    pub hidden: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_connections: 20,
            statement_timeout: Duration::from_secs(60),
            temporary_bytes: 1 << 30,
            disk_bytes: 4 << 30,
            process_bytes: 2 << 30,
            memory_bytes: 2 << 30,
            max_processes: 4096,
            clock: None,
            isolation: Isolation::of_machine(),
            scratch: None,
            hidden: Vec::new(),
        }
    }
}

impl Settings {
    /// Returns the configuration file of a new cluster. Everything that could make equal calls give different results is
    /// set, and durability is off, because a cluster never outlives its session.
    pub(crate) fn configuration(&self) -> String {
        let connections = self.max_connections + RESERVED_CONNECTIONS;
        let timeout = self.statement_timeout.as_millis();
        let temporary = self.temporary_bytes / 1024;
        format!(
            "listen_addresses = ''\n\
             unix_socket_permissions = 0700\n\
             max_connections = {connections}\n\
             superuser_reserved_connections = {RESERVED_CONNECTIONS}\n\
             statement_timeout = {timeout}\n\
             idle_in_transaction_session_timeout = 0\n\
             temp_file_limit = {temporary}kB\n\
             max_prepared_transactions = 0\n\
             max_worker_processes = 2\n\
             max_parallel_workers_per_gather = 0\n\
             max_parallel_maintenance_workers = 0\n\
             max_logical_replication_workers = 0\n\
             shared_buffers = 16MB\n\
             work_mem = 4MB\n\
             maintenance_work_mem = 64MB\n\
             dynamic_shared_memory_type = posix\n\
             effective_cache_size = 1GB\n\
             random_page_cost = 1.1\n\
             jit = off\n\
             fsync = off\n\
             synchronous_commit = on\n\
             full_page_writes = off\n\
             wal_level = minimal\n\
             max_wal_senders = 0\n\
             wal_keep_size = 0\n\
             min_wal_size = 2MB\n\
             max_wal_size = 64MB\n\
             checkpoint_timeout = 1h\n\
             autovacuum = off\n\
             log_min_messages = log\n\
             log_min_error_statement = panic\n\
             log_checkpoints = off\n\
             logging_collector = off\n\
             timezone = 'UTC'\n\
             log_timezone = 'UTC'\n\
             datestyle = 'iso, mdy'\n\
             lc_messages = 'C'\n\
             lc_monetary = 'C'\n\
             lc_numeric = 'C'\n\
             lc_time = 'C'\n\
             default_text_search_config = 'pg_catalog.english'\n"
        )
    }

    /// Returns the rules of authentication. The administrator has a random password, which is outside of the reach of
    /// the server. Other roles need none: only the host and the processes of the server reach the socket.
    pub(super) fn access() -> String {
        format!(
            "local replication all reject\n\
             local all {ADMINISTRATOR} scram-sha-256\n\
             local all all trust\n"
        )
    }
}
