//! What a session starts from.

use std::sync::Arc;

use mcpmark_snapshot::{ScratchSpace, Store, Tree};
use serde::{Deserialize, Serialize};

/// Everything that a service needs to set up a world.
#[derive(Clone)]
pub struct WorldState {
    /// The starting state.
    pub tree: Tree,
    /// Where the blobs of `tree` are, and where those of the final state go.
    pub store: Arc<Store>,
    /// The seed of whatever the service derives: ids, names of temporary files.
    pub seed: u64,
    /// The time in this world, in seconds since 1970-01-01 UTC. It stands still.
    pub clock: i64,
    /// The version of the published server whose tools are served, one of
    /// [`Service::profiles`](crate::Service::profiles); the default one where none is named.
    pub profile: Option<String>,
    /// What the session may use.
    pub limits: SessionLimits,
    /// Where private copies of the world are made, and how.
    pub scratch: ScratchSpace,
}

/// What one session may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionLimits {
    /// The most bytes that the files of the world may have together.
    pub max_bytes: u64,
    /// The most entries (files, directories and symlinks) that the world may have.
    pub max_files: u64,
    /// The most bytes that the content of one tool result may have.
    pub max_result_bytes: u64,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            max_bytes: 256 * 1024 * 1024,
            max_files: 100_000,
            max_result_bytes: 8 * 1024 * 1024,
        }
    }
}
