//! Task digests: the digest of everything that defines a task, for tasks of a library and of a published corpus.

use mcpmark_snapshot::{Digest, DigestOf};
use serde_json::{Value, json};

use crate::published::PublishedTask;
use crate::{GuestRole, Task, WorldManifest};

/// Version of the document that [`BundleParts::digest`] and [`PublishedParts::digest`] hash.
const SCHEMA: u32 = 1;

/// Parts of a task of a library that define its task digest: everything that determines the start of an attempt and its
/// grade.
#[derive(Debug)]
pub struct BundleParts<'a> {
    /// Task; its id, metadata and instruction enter the digest.
    pub task: &'a Task,
    /// Manifest of the task's world; only the clock enters the digest.
    pub world: &'a WorldManifest,
    /// Seed from which the world was built.
    pub seed: u64,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// Digest of the verifier component.
    pub verifier: Digest,
    /// Digest of the solution component, if the task has a solution.
    pub solution: Option<Digest>,
    /// Digests of the world's guests, by role.
    pub guests: Vec<(GuestRole, Digest)>,
}

/// Digest of a task: of everything that an attempt at it and its grade depend on.
pub type TaskDigest = DigestOf<crate::Task>;

impl BundleParts<'_> {
    /// Returns the task digest: the SHA-256 of [`document`](Self::document) as canonical JSON.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// Returns the parts as a JSON document.
    pub fn document(&self) -> Value {
        let mut document = json!({
            "schema": SCHEMA,
            "task": self.task.id.to_string(),
            "meta": self.task.meta.document,
            "instruction": Digest::of(self.task.instruction.as_bytes()),
            "verifier": self.verifier,
            "solution": self.solution,
            "world": {
                "id": self.task.world.to_string(),
                "snapshot": self.snapshot,
                "clock": self.world.clock.as_second(),
                "seed": self.seed,
            },
        });
        for (role, guest) in &self.guests {
            document["world"][role.as_str()] = json!(guest);
        }
        document
    }
}

/// Parts of a published task that define its task digest: everything that determines the start of an attempt and its
/// grade.
#[derive(Debug)]
pub struct PublishedParts<'a> {
    /// Task; its id, metadata and instruction enter the digest.
    pub task: &'a PublishedTask,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// Clock of the world, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Digest of the verifier script.
    pub script: Digest,
    /// Digest of the tree with the script and the files in its directory, which the script can read.
    pub beside: Digest,
    /// Digest of the solution component, if the task has a solution.
    pub solution: Option<Digest>,
    /// Digests of the guests of the starting state, by role.
    pub guests: Vec<(GuestRole, Digest)>,
}

impl PublishedParts<'_> {
    /// Returns the task digest: the SHA-256 of [`document`](Self::document) as canonical JSON.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// Returns the parts as a JSON document.
    pub fn document(&self) -> Value {
        let mut document = json!({
            "schema": SCHEMA,
            "task": self.task.id.to_string(),
            "meta": self.task.metadata,
            "instruction": Digest::of(self.task.instruction.as_bytes()),
            "script": self.script,
            "beside": self.beside,
            "solution": self.solution,
            "world": {
                "snapshot": self.snapshot,
                "clock": self.clock,
            },
        });
        for (role, guest) in &self.guests {
            document["world"][role.as_str()] = json!(guest);
        }
        document
    }
}

/// Returns the task digest, as `run --json` reports it under the key `bundle`.
pub fn bundle_digest(parts: &BundleParts<'_>) -> Digest {
    parts.digest()
}
