//! Tasks, worlds and suites as OCI artifacts: their types and their configs.

mod compression;
mod read;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_archive::states::Written;
use mcpmark_snapshot::Digest;
use mcpmark_task::{ByRole, GuestRole, TaskId, World, WorldId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(crate) use self::compression::compressed;
use self::compression::decompressed;
use crate::BundleError;
use crate::layout::{Source, fetch};
use crate::oci::Descriptor;

/// The type of a task.
pub const TASK: &str = "application/vnd.mcpmark.task.v1";
/// The type of a world.
pub const WORLD: &str = "application/vnd.mcpmark.world.v1";
/// The type of a suite.
pub const SUITE: &str = "application/vnd.mcpmark.suite.v1";
pub(crate) const TASK_CONFIG: &str = "application/vnd.mcpmark.task.config.v1+json";
pub(crate) const WORLD_CONFIG: &str = "application/vnd.mcpmark.world.config.v1+json";
pub(crate) const STATES: &str = "application/vnd.mcpmark.states.v1.tar+zstd";
pub(crate) const WASM: &str = "application/wasm+zstd";
pub(crate) const MARKDOWN: &str = "text/markdown";
pub(crate) const JSON: &str = "application/json";

/// The remark that names a suite.
pub(crate) const NAME: &str = "dev.mcpmark.name";

/// The version of the configs.
pub(crate) const SCHEMA: u32 = 1;

const LARGEST_CONFIG: u64 = 2 << 20;
const LARGEST_TEXT: u64 = 1 << 20;
const LARGEST_GUEST: u64 = 256 << 20;
const LARGEST_STATES: u64 = 2 << 30;
const LARGEST_SCRIPT: u64 = 128 << 20;

/// The most tasks and worlds of a suite.
const MOST: usize = 20_000;

/// The file of a layer, its type, and the most bytes that are read of it.
const FILES: [(&str, &str, u64); 6] = [
    (INSTRUCTION, MARKDOWN, LARGEST_TEXT),
    (VERIFIER, WASM, LARGEST_GUEST),
    (SCRIPT, STATES, LARGEST_SCRIPT),
    (INTERPRETER, WASM, LARGEST_GUEST),
    (SOLUTION, WASM, LARGEST_GUEST),
    (CERTIFICATE, JSON, 4 << 20),
];

/// The layer with the instruction.
pub const INSTRUCTION: &str = "description.md";
/// The layer with the verifier.
pub const VERIFIER: &str = "verifier.wasm";
/// The layer with a script that judges and the files beside it, as states of a world are packed.
pub const SCRIPT: &str = "verifier.tar.zst";
/// The layer with the guest that runs the script.
pub const INTERPRETER: &str = "interpreter.wasm";
/// The layer with the solution.
pub const SOLUTION: &str = "solution.wasm";
/// The layer with the certificate.
pub const CERTIFICATE: &str = "certificate.json";

/// The layer of a world with its guest of a role.
pub fn guest_file(role: GuestRole) -> String {
    format!("{role}.wasm")
}

/// All that decides what an attempt at the task starts from and how it is judged. Its digest is the
/// `bundle` of receipts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// The version of this document.
    pub schema: u32,
    /// The id of the task.
    pub task: String,
    /// Its `meta.json`.
    pub meta: Map<String, Value>,
    /// The digest of the instruction.
    pub instruction: Digest,
    /// The digest of the verifier, where it is a component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<Digest>,
    /// The digest of the script that judges, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Digest>,
    /// The digest of the tree of all that the script sees beside the states, itself among it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Digest>,
    /// The digest of the solution.
    pub solution: Option<Digest>,
    /// Where it starts.
    pub world: StartParts,
}

/// What an attempt starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartParts {
    /// The id of the world; tasks of published corpora have a state without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The digest of its tree.
    pub snapshot: Digest,
    /// Its instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// The seed that it was made with, where it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The digests of the guests of its world.
    #[serde(flatten)]
    pub guests: ByRole<Digest>,
}

/// Who judges a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedBy {
    /// A component, by its digest.
    Component(Digest),
    /// A Python script of a published corpus.
    Script {
        /// Its digest.
        script: Digest,
        /// The digest of the tree of all that it sees beside the states.
        beside: Digest,
    },
}

impl JudgedBy {
    /// The digest that tells verifiers apart.
    pub fn digest(&self) -> Digest {
        match *self {
            Self::Component(digest) => digest,
            Self::Script { beside, .. } => beside,
        }
    }
}

/// A guest as it is described to people who have not got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestConfig {
    /// `verifier`, `solution`, `interpreter` or `ci`.
    pub role: String,
    /// Of its component; of the tree of a script and what lies beside it.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
    /// Whether the component is left out.
    pub held_back: bool,
    /// What it asks for, by name.
    pub imports: Vec<String>,
    /// What it can do with that, in words.
    pub can: String,
}

/// A certificate as it is described to people who have not got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateConfig {
    /// The task that it is for.
    pub task: String,
    /// The starting state that was examined.
    pub world: Digest,
    /// The verifier that was examined.
    pub verifier: Digest,
    /// How much was found to hold.
    pub checks: u64,
    /// Worlds that were almost solved.
    pub mutants: u64,
    /// How many of these the verifier rejected.
    pub rejected: u64,
}

/// The config of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskConfig {
    /// The version of this document.
    pub schema: u32,
    /// What makes the task.
    pub parts: Parts,
    /// Its guests.
    pub guests: Vec<GuestConfig>,
    /// Its certificate, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateConfig>,
    /// The manifest of its world.
    pub world: Descriptor,
}

/// The config of a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldConfig {
    /// The version of this document.
    pub schema: u32,
    /// Its id.
    pub world: String,
    /// Its title.
    pub title: String,
    /// What is in it.
    pub description: Option<String>,
    /// Under which licence, as an SPDX expression.
    pub license: String,
    /// The instant at which it stands still, as RFC 3339 has it.
    pub clock: String,
    /// The seed that it was made with.
    pub seed: u64,
    /// The digest of its tree.
    pub snapshot: Digest,
    /// Entries of its states, once they are decompressed.
    pub entries: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Its guests.
    #[serde(flatten)]
    pub guests: ByRole<GuestConfig>,
}

/// A task in a bundle.
#[derive(Debug, Clone)]
pub struct TaskArtifact {
    /// Its id.
    pub id: TaskId,
    /// Its manifest.
    pub descriptor: Descriptor,
    /// What the manifest says of it.
    pub config: TaskConfig,
    /// Who judges.
    pub judged_by: JudgedBy,
    config_descriptor: Descriptor,
    layers: BTreeMap<String, Descriptor>,
}

/// A world in a bundle.
#[derive(Debug, Clone)]
pub struct WorldArtifact {
    /// Its id.
    pub id: WorldId,
    /// Its manifest.
    pub descriptor: Descriptor,
    /// What the manifest says of it.
    pub config: WorldConfig,
    config_descriptor: Descriptor,
    /// Its states.
    pub states: Descriptor,
    /// The components of its guests.
    pub guests: ByRole<Descriptor>,
}

/// A suite, or one task, with the worlds that they start from: all but the layers.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The manifest or index that names all of it.
    pub root: Descriptor,
    /// The name of a suite.
    pub name: Option<String>,
    /// Sorted by id.
    pub tasks: Vec<TaskArtifact>,
    /// By the digests of their manifests.
    pub worlds: BTreeMap<Digest, WorldArtifact>,
}

impl Parts {
    /// The digest that receipts name the task by.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&json!(self)).as_bytes())
    }

    /// The version of the published server whose tools agents get, where the task names one.
    pub fn profile(&self) -> Option<&str> {
        match self.judged_by()? {
            JudgedBy::Component(_) => self.meta.get("profile")?.as_str(),
            // The same key of somebody else's would mean something else.
            JudgedBy::Script { .. } => None,
        }
    }

    /// Who judges; none where that is not said, or said twice.
    pub fn judged_by(&self) -> Option<JudgedBy> {
        let named = self.world.id.is_some() && self.world.seed.is_some();
        let nameless = self.world.id.is_none() && self.world.seed.is_none();
        match (self.verifier, self.script, self.beside) {
            (Some(verifier), None, None) if named => Some(JudgedBy::Component(verifier)),
            (None, Some(script), Some(beside)) if nameless => {
                Some(JudgedBy::Script { script, beside })
            }
            _ => None,
        }
    }
}

impl CertificateConfig {
    /// What was examined in the place of what makes the task, in a word; none where it fits. Another
    /// compiler makes another verifier of the same sources.
    pub fn misfit(&self, parts: &Parts) -> Option<&'static str> {
        if self.task != parts.task {
            Some("task")
        } else if self.world != parts.world.snapshot {
            Some("world")
        } else if Some(self.verifier) != parts.verifier {
            Some("verifier")
        } else {
            None
        }
    }
}

impl TaskArtifact {
    /// A layer by the name of its file.
    pub fn layer(&self, file: &str) -> Option<&Descriptor> {
        self.layers.get(file)
    }

    /// The layers, by the names of their files.
    pub fn layers(&self) -> impl Iterator<Item = (&str, &Descriptor)> {
        self.layers
            .iter()
            .map(|(file, layer)| (file.as_str(), layer))
    }

    /// A guest by its role.
    pub fn guest(&self, role: &str) -> Option<&GuestConfig> {
        self.config.guests.iter().find(|guest| guest.role == role)
    }

    /// The verifier's digest, where it is left out.
    pub fn held_back(&self) -> Option<Digest> {
        let verifier = self.guest("verifier")?;
        verifier.held_back.then_some(verifier.digest)
    }

    /// The bytes of a layer; those of a guest are decompressed.
    ///
    /// # Errors
    ///
    /// When they are not there, or not what manifest and config say.
    pub fn read(&self, source: &dyn Source, file: &str) -> Result<Option<Vec<u8>>, BundleError> {
        let Some(descriptor) = self.layers.get(file) else {
            return Ok(None);
        };
        let limit = FILES.iter().find(|(name, ..)| *name == file);
        let limit = limit.map_or(LARGEST_TEXT, |(.., limit)| *limit);
        let what = format!("task {}: layer {file}", self.id);
        let bytes = fetch(source, &what, descriptor, limit)?;
        match file.strip_suffix(".wasm").and_then(|role| self.guest(role)) {
            Some(guest) => decompressed(what, &bytes, guest).map(Some),
            None => Ok(Some(bytes)),
        }
    }
}

impl WorldArtifact {
    /// The most bytes of its compressed states that are read.
    pub const LARGEST: u64 = LARGEST_STATES;

    /// The components of its guests.
    ///
    /// # Errors
    ///
    /// When one is missing, or not what manifest and config say.
    pub fn read_guests(
        &self,
        source: &dyn Source,
    ) -> Result<Vec<(GuestRole, Vec<u8>)>, BundleError> {
        let layers = self.guests.iter();
        let described =
            layers.filter_map(|(role, layer)| Some((role, layer, self.config.guests.get(role)?)));
        described
            .map(|(role, layer, guest)| {
                let what = format!("world {}: layer {}", self.id, guest_file(role));
                let bytes = fetch(source, &what, layer, LARGEST_GUEST)?;
                Ok((role, decompressed(what, &bytes, guest)?))
            })
            .collect()
    }
}

impl Bundle {
    /// Whether its tasks are those of a published corpus.
    pub fn is_published(&self) -> bool {
        let first = self.tasks.first();
        first.is_some_and(|task| matches!(task.judged_by, JudgedBy::Script { .. }))
    }

    /// The task with an id.
    pub fn task(&self, id: &TaskId) -> Option<&TaskArtifact> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// All blobs, what they are and what they take: the root first.
    pub fn blobs(&self) -> Vec<(String, Descriptor)> {
        let mut blobs = vec![("the manifest of the bundle".to_owned(), self.root.clone())];
        for task in &self.tasks {
            let id = &task.id;
            if task.descriptor.digest != self.root.digest {
                blobs.push((format!("task {id}: manifest"), task.descriptor.clone()));
            }
            blobs.push((format!("task {id}: config"), task.config_descriptor.clone()));
            for (file, layer) in &task.layers {
                blobs.push((format!("task {id}: layer {file}"), layer.clone()));
            }
        }
        for world in self.worlds.values() {
            let id = &world.id;
            blobs.push((format!("world {id}: manifest"), world.descriptor.clone()));
            blobs.push((
                format!("world {id}: config"),
                world.config_descriptor.clone(),
            ));
            blobs.push((format!("world {id}: states"), world.states.clone()));
            for (role, layer) in world.guests.iter() {
                let name = format!("world {id}: layer {}", guest_file(role));
                blobs.push((name, layer.clone()));
            }
        }
        let mut seen = BTreeSet::new();
        blobs.retain(|(_, descriptor)| seen.insert(descriptor.digest));
        blobs
    }
}

impl WorldConfig {
    /// Describes a state that has no name, clock or licence of its own.
    pub fn nameless(id: &WorldId, seed: u64, snapshot: Digest, states: Written) -> Self {
        Self {
            schema: SCHEMA,
            world: id.to_string(),
            title: String::new(),
            description: None,
            license: String::new(),
            clock: String::new(),
            seed,
            snapshot,
            entries: states.entries,
            bytes: states.bytes,
            guests: ByRole::default(),
        }
    }

    /// Describes a world whose states were written.
    pub fn new(world: &World, seed: u64, snapshot: Digest, states: Written) -> Self {
        let manifest = &world.manifest;
        Self {
            schema: SCHEMA,
            world: world.id.to_string(),
            title: manifest.title.clone(),
            description: manifest.description.clone(),
            license: manifest.license.clone(),
            clock: manifest.clock.to_string(),
            seed,
            snapshot,
            entries: states.entries,
            bytes: states.bytes,
            guests: ByRole::default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
