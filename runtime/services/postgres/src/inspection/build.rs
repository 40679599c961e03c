//! Building of clusters from states.

use std::time::Duration;

use mcpmark_snapshot::{Snapshot, TreePath};
use tokio::runtime::Handle;

use super::InspectionError;
use crate::golden::{self, ConnectError, DATABASE, Goldens};
use crate::{ADMINISTRATOR, Cluster, GoldenError, Installation, Settings, state};

/// Space for the write-ahead log and temporary files, in addition to the data of a state, in bytes.
const WORKING_SPACE: u64 = 512 << 20;
/// Copies of a state that fit into the file system of its cluster: rows, their indexes, and what statements change.
const COPIES: u64 = 6;

/// Time for a state of any size. A check or an index of the agent can call a function that never ends.
const BASE_TIME: Duration = Duration::from_secs(20);
/// Bytes of a state for which one more second is granted.
const BYTES_PER_SECOND: u64 = 2 << 20;

/// Returns the size of the file system of a cluster for a state.
pub(super) fn disk_bytes(state: &Snapshot) -> u64 {
    let data = state.tree.total_size().saturating_mul(COPIES);
    data.saturating_add(WORKING_SPACE)
}

/// Source of a cluster, and its settings.
pub(super) struct Plan {
    pub(super) goldens: Goldens,
    pub(super) installation: Installation,
    pub(super) settings: Settings,
    pub(super) start: Option<Snapshot>,
    pub(super) state: Snapshot,
}

impl Plan {
    /// Builds the cluster of the state: from the golden cluster of the starting state if only rows differ, and from the
    /// empty one otherwise. The choice follows from the two states, so it does not make grades differ.
    pub(super) fn build(&self, runtime: &Handle) -> Result<Cluster, InspectionError> {
        if let Some(start) = &self.start
            && let Some(changed) = state::rows_only(&start.tree, &self.state.tree)
            && let Some(cluster) = self.replace(runtime, start, &changed)?
        {
            return Ok(cluster);
        }
        state::check(&self.state).map_err(GoldenError::from)?;
        let empty = self.goldens.empty(&self.installation, &self.settings)?;
        let cluster = empty.copy(&self.installation, &self.settings)?;
        let restored = runtime.block_on(self.limited(async {
            let client = golden::connect(&cluster, ADMINISTRATOR, DATABASE).await?;
            golden::restore(&client, &self.state).await
        }));
        match restored {
            Ok(()) => Ok(cluster),
            Err(error) => {
                cluster.close();
                Err(error)
            }
        }
    }

    /// Builds the cluster from that of the starting state. Returns `None` if the rows cannot be replaced, for example
    /// because a constraint that does not hold for all rows refuses them.
    fn replace(
        &self,
        runtime: &Handle,
        start: &Snapshot,
        changed: &[TreePath],
    ) -> Result<Option<Cluster>, InspectionError> {
        let golden = match self.goldens.get(start, &self.installation, &self.settings) {
            Ok(golden) => golden,
            // A state that is no world of a session can be a database nevertheless.
            Err(error) if error.is_invalid_world() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let cluster = golden.copy(&self.installation, &self.settings)?;
        if changed.is_empty() {
            return Ok(Some(cluster));
        }
        let replaced = runtime.block_on(self.limited(async {
            let client = golden::connect(&cluster, ADMINISTRATOR, DATABASE).await?;
            let Some(tables) = state::replace_rows(&client, &self.state, changed).await? else {
                return Ok(false);
            };
            for table in tables {
                // As in a restored database.
                let vacuum = format!("VACUUM (FREEZE, ANALYZE) {table}");
                client
                    .batch_execute(&vacuum)
                    .await
                    .map_err(ConnectError::from)?;
            }
            Ok(true)
        }));
        match replaced {
            Ok(true) => Ok(Some(cluster)),
            Err(error @ InspectionError::Slow { .. }) => {
                cluster.close();
                Err(error)
            }
            Ok(false) | Err(_) => {
                cluster.close();
                Ok(None)
            }
        }
    }

    /// Limits the time of work on the state.
    async fn limited<T>(
        &self,
        work: impl Future<Output = Result<T, GoldenError>>,
    ) -> Result<T, InspectionError> {
        let limit =
            BASE_TIME + Duration::from_secs(self.state.tree.total_size() / BYTES_PER_SECOND);
        match tokio::time::timeout(limit, work).await {
            Ok(done) => Ok(done?),
            Err(_) => Err(InspectionError::Slow {
                seconds: limit.as_secs(),
            }),
        }
    }
}
