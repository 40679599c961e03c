//! States of worlds, their differences, and imported worlds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Entry of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateEntry {
    /// Path below the root of the state.
    pub path: String,
    /// Kind of the entry with its properties.
    #[serde(flatten)]
    pub node: StateNode,
}

/// Directory, file or symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum StateNode {
    /// Directory.
    Directory,
    /// Regular file.
    File {
        /// Length of the content in bytes.
        size: u64,
        /// Executable bit of the owner.
        executable: bool,
        /// Modification time in seconds since 1970-01-01T00:00:00Z; null means the world's clock.
        modified: Option<i64>,
        /// Digest of the content.
        digest: String,
    },
    /// Symbolic link.
    Symlink {
        /// Target, as written.
        target: String,
    },
}

/// Difference between two states, in the output of `show` and `world diff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateChange {
    /// Path below the root of the states.
    pub path: String,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Entry in the first state; null if it does not exist there.
    pub before: Option<StateNode>,
    /// Entry in the second state; null if it does not exist there.
    pub after: Option<StateNode>,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The entry exists only in the second state.
    Added,
    /// The entry exists only in the first state.
    Removed,
    /// The entry differs.
    Modified,
}

/// World in the output of `world list`, an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorldSummary {
    /// Id of the world: `<service>/<world>`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Description of the content; null if there is none.
    pub description: Option<String>,
    /// Licence, as an SPDX expression.
    pub license: String,
    /// Clock of the world, in RFC 3339 (UTC).
    pub clock: String,
    /// Seed that determines generated content.
    pub seed: u64,
}

/// Output of `world show`: a state with its entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateDetail {
    /// Digest of the state.
    pub digest: String,
    /// Total size of the files in bytes.
    pub bytes: u64,
    /// World whose starting state this is.
    #[serde(flatten)]
    pub start: Option<WorldStart>,
    /// Summary in the terms of the service, under a key that the service chooses. Absent if there is none.
    #[serde(flatten)]
    pub summary: Map<String, Value>,
    /// All entries, sorted by path.
    pub entries: Vec<StateEntry>,
}

/// World of a starting state. Its keys are absent for other states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorldStart {
    /// Id of the world: `<service>/<world>`.
    pub world: String,
    /// Seed that determines generated content.
    pub seed: u64,
    /// Clock of the world in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
}

/// Output of `world import`: a world that was made from a published template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedWorld {
    /// Digest of the starting state.
    pub digest: String,
    /// Summary in the terms of the service: the name of the world, under a key such as `repository`, and the numbers of
    /// imported entries, each under the name of its kind, such as `issues`.
    #[serde(flatten)]
    pub summary: Map<String, Value>,
    /// Entries that were not imported.
    pub skipped: Vec<SkippedEntry>,
}

/// Entry of a template that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedEntry {
    /// Document and position of the entry.
    pub place: String,
    /// Title of the entry.
    pub title: String,
    /// Reason why the entry was skipped.
    pub why: String,
}
