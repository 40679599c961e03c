//! Inputs and limits of a session.

use std::sync::Arc;

use mcpmark_snapshot::{ScratchSpace, Store, Tree};
use serde::{Deserialize, Serialize};

/// Inputs for setting up a world.
#[derive(Clone)]
pub struct WorldState {
    /// Starting state.
    pub tree: Tree,
    /// Store with the blobs of `tree`, to which the blobs of the final state are written.
    pub store: Arc<Store>,
    /// Seed for derived values such as ids and names of temporary files.
    pub seed: u64,
    /// Virtual time at which the session starts, in seconds since 1970-01-01 UTC. It is independent of the clock of the
    /// host.
    pub clock: i64,
    /// Version of the published server whose tools are served, one of [`Service::profiles`](crate::Service::profiles).
    /// `None` means the default.
    pub profile: Option<String>,
    /// Limits of the session.
    pub limits: SessionLimits,
    /// Location and method for making private copies of the world.
    pub scratch: ScratchSpace,
}

/// Limits of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionLimits {
    /// Maximum total size of the files of the world, in bytes.
    pub max_bytes: u64,
    /// Maximum number of entries (files, directories and symlinks) of the world.
    pub max_files: u64,
    /// Maximum size of the content of one tool result, in bytes.
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

/// Minimum working memory of a call, for a world of any size, in bytes.
const LEAST_CALL_MEMORY: u64 = 256 * 1024 * 1024;

impl SessionLimits {
    /// Default ceiling of a host, unless its operator sets another one.
    pub const CEILING: Self = Self {
        max_bytes: 4 * 1024 * 1024 * 1024,
        max_files: 1_000_000,
        max_result_bytes: 64 * 1024 * 1024,
    };

    /// Returns these limits, each lowered to the ceiling if it is higher.
    #[must_use]
    pub fn below(&self, ceiling: &Self) -> Self {
        Self {
            max_bytes: self.max_bytes.min(ceiling.max_bytes),
            max_files: self.max_files.min(ceiling.max_files),
            max_result_bytes: self.max_result_bytes.min(ceiling.max_result_bytes),
        }
    }

    /// Returns the working memory that one call may reserve at a time, in bytes: for data read from the world, and
    /// copies of it.
    pub fn call_memory(&self) -> u64 {
        self.max_bytes.saturating_mul(4).max(LEAST_CALL_MEMORY)
    }

    /// Returns the limits with the names that operators use to set a ceiling.
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
