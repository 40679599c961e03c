//! Capture of the final state of a cluster, whatever the agent has done to it.

use std::io::{self, Read};
use std::time::Duration;

use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{
    BuildError, File, InvalidPath, Store, StoreError, Tree, TreeBuilder, TreePath,
};
use tokio_postgres::Client;

use crate::golden::{self, ConnectError, DATABASE, Golden};
use crate::state::{self, DumpError, Sink, StoreSink};
use crate::{Cluster, ClusterError, Settings};

/// Only file of a captured state whose database cannot be represented, with the reason.
pub const CAPTURE_ERROR: &str = "capture-error.txt";

/// Space that a cluster gets in addition before it is captured again, in bytes.
const MORE_SPACE: u64 = 256 << 20;
/// Time limit of a login of the harness.
const LOGIN_LIMIT: Duration = Duration::from_secs(10);
/// Time limit of a login with the dump that follows. A server that needs longer does not answer.
const CAPTURE_LIMIT: Duration = Duration::from_secs(300);

/// Cluster of a session.
pub(crate) struct Running {
    pub(crate) cluster: Cluster,
    pub(crate) disk_bytes: u64,
    /// Origin of the cluster. Its directory can be the lower one of the overlay mount, so it must not be removed.
    pub(crate) golden: Golden,
    /// Settings of the cluster.
    pub(crate) settings: Settings,
}

impl Running {
    /// Captures the database.
    ///
    /// If that fails, the server is restarted, which removes what sessions of the agent hold: locks, connections,
    /// memory and temporary files. A superuser, or whoever can become one, can do more, which is undone then. A database that a state cannot
    /// represent, or that is larger than the limits, is captured as a tree with the single file [`CAPTURE_ERROR`], so
    /// that an agent cannot avoid its grade in this way. So is a database whose capture fails although a new copy of the
    /// cluster of the world can be captured. Only if that fails too, the machine is the cause, and an error is returned.
    pub(crate) async fn capture(
        &mut self,
        store: &Store,
        limits: &SessionLimits,
    ) -> Result<Tree, CaptureError> {
        let mut captured = self.try_capture(store, limits).await;
        if captured.as_ref().is_err_and(CaptureError::may_pass) {
            self.disk_bytes = self.disk_bytes.saturating_add(MORE_SPACE);
            captured = match self.cluster.restart(self.disk_bytes) {
                Ok(()) => self.try_capture(store, limits).await,
                // Such as a configuration with which the server does not start.
                Err(error) => Err(error.into()),
            };
        }
        if captured.as_ref().is_err_and(CaptureError::may_pass) {
            captured = match self.cluster.repair(self.disk_bytes) {
                Ok(()) => self.try_capture(store, limits).await,
                Err(error) => Err(error.into()),
            };
        }
        match captured {
            Err(error) if !error.may_pass() => with_error(store, &error.to_string()),
            // What fails here although it works on the content of the world is a work of the agent.
            Err(error) if self.machine_works(store, limits).await => {
                with_error(store, &error.to_string())
            }
            captured => captured,
        }
    }

    /// Ends the server and waits for it.
    pub(crate) fn close(self) {
        self.cluster.close();
    }

    async fn try_capture(
        &self,
        store: &Store,
        limits: &SessionLimits,
    ) -> Result<Tree, CaptureError> {
        capture(&self.cluster, store, limits).await
    }

    /// Reports whether a new copy of the cluster that the session started with can be started and captured.
    async fn machine_works(&self, store: &Store, limits: &SessionLimits) -> bool {
        match self
            .golden
            .copy(self.cluster.installation(), &self.settings)
        {
            Ok(cluster) => {
                let captured = capture(&cluster, store, limits).await;
                cluster.close();
                match captured {
                    Ok(_) => true,
                    Err(error) => !error.may_pass(),
                }
            }
            Err(_) => false,
        }
    }
}

/// Captures the database of a cluster, within the limits and in limited time.
pub(crate) async fn capture(
    cluster: &Cluster,
    store: &Store,
    limits: &SessionLimits,
) -> Result<Tree, CaptureError> {
    let mut sink = Limited::new(store, limits);
    let dump = async {
        let client = log_in(cluster).await?;
        Ok::<_, CaptureError>(state::dump(&client, &mut sink).await?)
    };
    let dumped = tokio::time::timeout(CAPTURE_LIMIT, dump).await;
    if let Some(limit) = sink.exceeded {
        return Err(CaptureError::TooLarge(limit));
    }
    match dumped {
        Ok(dumped) => dumped?,
        Err(_) => return Err(CaptureError::TooSlow),
    }
    Ok(sink.inner.finish()?)
}

/// Logs in and ends all other sessions, because an open transaction of the agent is not a part of its state.
async fn log_in(cluster: &Cluster) -> Result<Client, CaptureError> {
    let login = golden::connect(cluster, cluster.administrator(), DATABASE);
    let client = match tokio::time::timeout(LOGIN_LIMIT, login).await {
        Ok(client) => client?,
        Err(_) => return Err(CaptureError::TooSlow),
    };
    // Without operators that are looked up in the search path.
    client
        .execute(
            "SELECT pg_catalog.pg_terminate_backend(pid, 5000) FROM pg_catalog.pg_stat_activity \
             WHERE pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid() \
             AND backend_type OPERATOR(pg_catalog.=) 'client backend'::pg_catalog.text",
            &[],
        )
        .await
        .map_err(ConnectError::from)?;
    Ok(client)
}

/// Returns a tree with the reason why there is no other one.
fn with_error(store: &Store, reason: &str) -> Result<Tree, CaptureError> {
    let text = format!("{reason}\n");
    let mut builder = TreeBuilder::new();
    let file = File {
        size: text.len() as u64,
        executable: false,
        modified: None,
        content: store.put(text.as_bytes())?,
    };
    builder.insert_file(&TreePath::root().join(CAPTURE_ERROR)?, file)?;
    let tree = builder.finish();
    store.put_tree(&tree)?;
    Ok(tree)
}

/// Limit that a state exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Limit {
    /// Total size of the files.
    #[error("the state of the database is larger than {0} bytes, the limit of the world")]
    Bytes(u64),
    /// Number of files.
    #[error("the state of the database has more than {0} files, the limit of the world")]
    Files(u64),
}

/// Sink that stops a dump at the limits of the session.
struct Limited {
    inner: StoreSink,
    limits: SessionLimits,
    bytes: u64,
    files: u64,
    exceeded: Option<Limit>,
}

impl Limited {
    fn new(store: &Store, limits: &SessionLimits) -> Self {
        Self {
            inner: StoreSink::new(store),
            limits: limits.clone(),
            bytes: 0,
            files: 0,
            exceeded: None,
        }
    }
}

impl Sink for Limited {
    fn check(&mut self, bytes: u64) -> io::Result<()> {
        if bytes > self.limits.max_bytes - self.bytes {
            self.exceeded = Some(Limit::Bytes(self.limits.max_bytes));
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        Ok(())
    }

    fn put(&mut self, path: &TreePath, content: &mut dyn Read) -> io::Result<()> {
        self.files += 1;
        if self.files > self.limits.max_files {
            self.exceeded = Some(Limit::Files(self.limits.max_files));
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let left = self.limits.max_bytes - self.bytes;
        // One more byte shows that the content is longer.
        let mut content = content.take(left.saturating_add(1));
        self.inner.put(path, &mut content)?;
        let read = left.saturating_add(1) - content.limit();
        if read > left {
            self.exceeded = Some(Limit::Bytes(self.limits.max_bytes));
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        self.bytes += read;
        Ok(())
    }
}

/// Errors of capturing a database.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CaptureError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Dump(#[from] DumpError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Path(#[from] InvalidPath),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    TooLarge(Limit),
    #[error("the PostgreSQL server did not answer in time")]
    TooSlow,
}

impl CaptureError {
    /// Reports whether the host or the server failed, so that a restart of the server can help, as opposed to a
    /// database that cannot be captured.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Cluster(_) | Self::Connect(_) | Self::Store(_) | Self::TooSlow => true,
            Self::Dump(error) => error.is_infrastructure(),
            Self::Path(_) | Self::Build(_) | Self::TooLarge(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(sink: &mut Limited, path: &str, bytes: &[u8]) -> io::Result<()> {
        sink.put(&TreePath::parse(path).unwrap(), &mut &*bytes)
    }

    #[test]
    fn a_dump_ends_at_the_limits() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).unwrap();
        let limits = SessionLimits {
            max_bytes: 10,
            max_files: 3,
            ..SessionLimits::default()
        };
        let mut sink = Limited::new(&store, &limits);
        put(&mut sink, "a", b"12345").unwrap();
        put(&mut sink, "b", b"12345").unwrap();
        put(&mut sink, "c", b"").unwrap();
        assert!(put(&mut sink, "d", b"").is_err());
        assert_eq!(sink.exceeded, Some(Limit::Files(3)));

        let mut sink = Limited::new(&store, &limits);
        put(&mut sink, "a", b"12345").unwrap();
        assert!(put(&mut sink, "b", b"123456").is_err());
        assert_eq!(sink.exceeded, Some(Limit::Bytes(10)));

        let mut sink = Limited::new(&store, &limits);
        put(&mut sink, "a", b"1234567890").unwrap();
        assert!(sink.check(0).is_ok());
        assert_eq!(sink.exceeded, None);
        assert!(sink.check(1).is_err());
        assert_eq!(sink.exceeded, Some(Limit::Bytes(10)));
        assert_eq!(sink.inner.finish().unwrap().total_size(), 10);
    }

    #[test]
    fn the_reason_is_stored() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).unwrap();
        let tree = with_error(&store, &Limit::Bytes(10).to_string()).unwrap();
        assert_eq!(store.load_tree(&tree.digest()).unwrap(), tree);
        assert_eq!(tree.len(), 1);
    }
}
