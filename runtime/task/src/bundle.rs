use mcpmark_snapshot::Digest;
use serde_json::{Value, json};

use crate::published::PublishedTask;
use crate::{GuestRole, Task, WorldManifest};

/// Version of the document that [`BundleParts::digest`] hashes.
const SCHEMA: u32 = 1;

/// All that decides what an attempt at a task starts from and how it is judged.
#[derive(Debug)]
pub struct BundleParts<'a> {
    /// The task: its id, metadata and instruction count.
    pub task: &'a Task,
    /// The manifest of its world: the clock counts.
    pub world: &'a WorldManifest,
    /// The seed that the world was made with.
    pub seed: u64,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// Digest of the verifier component.
    pub verifier: Digest,
    /// Digest of the solution component, where there is one.
    pub solution: Option<Digest>,
    /// Digests of the guests that the world brings along, by role.
    pub guests: Vec<(GuestRole, Digest)>,
}

impl BundleParts<'_> {
    /// SHA-256 of [`document`](Self::document) in canonical form: same parts, same digest.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// The parts as a JSON document.
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

/// All that decides what an attempt at a published task starts from and how it is judged.
#[derive(Debug)]
pub struct PublishedParts<'a> {
    /// The task: its id, metadata and instruction count.
    pub task: &'a PublishedTask,
    /// Digest of the starting state.
    pub snapshot: Digest,
    /// The world's instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Digest of the script that judges.
    pub script: Digest,
    /// Digest of all that the script sees beside the state.
    pub beside: Digest,
    /// Digest of the solution component, where there is one.
    pub solution: Option<Digest>,
    /// Digests of the guests that the world brings along, by role.
    pub guests: Vec<(GuestRole, Digest)>,
}

impl PublishedParts<'_> {
    /// SHA-256 of [`document`](Self::document) in canonical form: same parts, same digest.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&self.document()).as_bytes())
    }

    /// The parts as a JSON document.
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

/// Digest of the whole of a task, as `run --json` reports it.
pub fn bundle_digest(parts: &BundleParts<'_>) -> Digest {
    parts.digest()
}
