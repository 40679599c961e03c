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

/// The working memory of a call in a world of any size, in bytes.
const LEAST_CALL_MEMORY: u64 = 256 * 1024 * 1024;

impl SessionLimits {
    /// What a host grants at most, unless its operator says otherwise.
    pub const CEILING: Self = Self {
        max_bytes: 4 * 1024 * 1024 * 1024,
        max_files: 1_000_000,
        max_result_bytes: 64 * 1024 * 1024,
    };

    /// These limits, lowered where the ceiling is below them.
    #[must_use]
    pub fn below(&self, ceiling: &Self) -> Self {
        Self {
            max_bytes: self.max_bytes.min(ceiling.max_bytes),
            max_files: self.max_files.min(ceiling.max_files),
            max_result_bytes: self.max_result_bytes.min(ceiling.max_result_bytes),
        }
    }

    /// The working memory that one call may reserve at a time: what it reads of the world, and copies of it.
    pub fn call_memory(&self) -> u64 {
        self.max_bytes.saturating_mul(4).max(LEAST_CALL_MEMORY)
    }

    /// The limits by the names that operators set a ceiling with.
    pub fn named(&mut self) -> [(&'static str, &mut u64); 3] {
        [
            ("world_bytes", &mut self.max_bytes),
            ("world_files", &mut self.max_files),
            ("result_bytes", &mut self.max_result_bytes),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_call_follows_the_world() {
        let of = |max_bytes| {
            let limits = SessionLimits {
                max_bytes,
                ..SessionLimits::default()
            };
            limits.call_memory()
        };
        assert_eq!(
            SessionLimits::default().call_memory(),
            crate::DEFAULT_CALL_MEMORY
        );
        assert_eq!((of(0), of(u64::MAX)), (LEAST_CALL_MEMORY, u64::MAX));
    }

    #[test]
    fn a_ceiling_lowers_and_never_raises() {
        let default = SessionLimits::default();
        assert_eq!(default.below(&SessionLimits::CEILING), default);
        let greedy = SessionLimits {
            max_bytes: 1 << 62,
            max_files: u64::MAX,
            max_result_bytes: u64::MAX,
        };
        assert_eq!(
            greedy.below(&SessionLimits::CEILING),
            SessionLimits::CEILING
        );
    }
}
