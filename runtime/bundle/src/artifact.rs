//! OCI artifacts of tasks, worlds and suites: their types and configs.

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

/// Artifact type of a task.
pub const TASK: &str = "application/vnd.mcpmark.task.v1";
/// Artifact type of a world.
pub const WORLD: &str = "application/vnd.mcpmark.world.v1";
/// Artifact type of a suite.
pub const SUITE: &str = "application/vnd.mcpmark.suite.v1";
pub(crate) const TASK_CONFIG: &str = "application/vnd.mcpmark.task.config.v1+json";
pub(crate) const WORLD_CONFIG: &str = "application/vnd.mcpmark.world.config.v1+json";
pub(crate) const STATES: &str = "application/vnd.mcpmark.states.v1.tar+zstd";
pub(crate) const WASM: &str = "application/wasm+zstd";
pub(crate) const MARKDOWN: &str = "text/markdown";
pub(crate) const JSON: &str = "application/json";

/// Annotation with the name of a suite.
pub(crate) const NAME: &str = "dev.mcpmark.name";

/// Version of the configs.
pub(crate) const SCHEMA: u32 = 1;

const MAX_CONFIG: u64 = 2 << 20;
const MAX_TEXT: u64 = 1 << 20;
const MAX_GUEST: u64 = 256 << 20;
const MAX_STATES: u64 = 2 << 30;
const MAX_SCRIPT: u64 = 128 << 20;

/// Maximum number of tasks and worlds in a suite.
const MAX_ENTRIES: usize = 20_000;

/// Layers of a task: file name, media type, and maximum size in bytes.
const FILES: [(&str, &str, u64); 6] = [
    (INSTRUCTION, MARKDOWN, MAX_TEXT),
    (VERIFIER, WASM, MAX_GUEST),
    (SCRIPT, STATES, MAX_SCRIPT),
    (INTERPRETER, WASM, MAX_GUEST),
    (SOLUTION, WASM, MAX_GUEST),
    (CERTIFICATE, JSON, 4 << 20),
];

/// File name of the layer with the instruction.
pub const INSTRUCTION: &str = "description.md";
/// File name of the layer with the verifier component.
pub const VERIFIER: &str = "verifier.wasm";
/// File name of the layer with a verifier script and the files next to it, in the format of the states of a world.
pub const SCRIPT: &str = "verifier.tar.zst";
/// File name of the layer with the interpreter that runs the script.
pub const INTERPRETER: &str = "interpreter.wasm";
/// File name of the layer with the solution.
pub const SOLUTION: &str = "solution.wasm";
/// File name of the layer with the certificate.
pub const CERTIFICATE: &str = "certificate.json";

/// Returns the file name of a world's layer with the guest of a role.
pub fn guest_file(role: GuestRole) -> String {
    format!("{role}.wasm")
}

/// Parts that define a task: everything that determines the start of an attempt and its grade. Its digest is the
/// `bundle` of receipts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// Version of this document.
    pub schema: u32,
    /// Id of the task.
    pub task: String,
    /// Content of `meta.json`.
    pub meta: Map<String, Value>,
    /// Digest of the instruction.
    pub instruction: Digest,
    /// Digest of the verifier, if it is a component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<Digest>,
    /// Digest of the verifier, if it is a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Digest>,
    /// Digest of the tree with the script and the files that it can read, apart from the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Digest>,
    /// Digest of the solution, if the task has one.
    pub solution: Option<Digest>,
    /// Starting state.
    pub world: StartParts,
}

/// Parts that define a starting state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartParts {
    /// Id of the world. `None` for tasks of published corpora, whose states have no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Digest of the tree.
    pub snapshot: Digest,
    /// Clock, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// Seed from which the world was built. `None` for states without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Digests of the world's guests, by role.
    #[serde(flatten)]
    pub guests: ByRole<Digest>,
}

/// Verifier of a task, by digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerifierDigest {
    /// Digest of a component.
    Component(Digest),
    /// Python script of a published corpus.
    Script {
        /// Digest of the script.
        script: Digest,
        /// Digest of the tree with the script and the files that it can read, apart from the states.
        beside: Digest,
    },
}

impl VerifierDigest {
    /// Returns the digest that identifies the verifier: that of the component, or of the tree with the script.
    pub fn digest(&self) -> Digest {
        match *self {
            Self::Component(digest) => digest,
            Self::Script { beside, .. } => beside,
        }
    }
}

/// Description of a guest, for review before its component is downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestConfig {
    /// Role: `verifier`, `solution`, `interpreter` or `ci`.
    pub role: String,
    /// Digest of the component, or of the tree with a script and the files next to it.
    pub digest: Digest,
    /// Size of the component, or of the uncompressed layer with a script, in bytes.
    pub bytes: u64,
    /// True if the bundle omits the guest.
    pub held_back: bool,
    /// Names of the imported interfaces.
    pub imports: Vec<String>,
    /// Description of the capabilities that the imports provide.
    pub can: String,
}

/// Description of a certificate, for review before it is downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateConfig {
    /// Id of the certified task.
    pub task: String,
    /// Digest of the certified starting state.
    pub world: Digest,
    /// Digest of the certified verifier.
    pub verifier: Digest,
    /// Number of checks that passed in the certification.
    pub checks: u64,
    /// Number of mutants.
    pub mutants: u64,
    /// Number of mutants that the verifier rejected.
    pub rejected: u64,
}

/// Config of a task artifact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskConfig {
    /// Version of this document.
    pub schema: u32,
    /// Parts that define the task.
    pub parts: Parts,
    /// Guests of the task.
    pub guests: Vec<GuestConfig>,
    /// Certificate, if the task has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateConfig>,
    /// Descriptor of the world's manifest.
    pub world: Descriptor,
}

/// Config of a world artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorldConfig {
    /// Version of this document.
    pub schema: u32,
    /// Id of the world.
    pub world: String,
    /// Title.
    pub title: String,
    /// Description of the content.
    pub description: Option<String>,
    /// Licence, as an SPDX expression.
    pub license: String,
    /// Virtual time at the start, in RFC 3339 format.
    pub clock: String,
    /// Seed from which the world was built.
    pub seed: u64,
    /// Digest of the tree.
    pub snapshot: Digest,
    /// Number of entries of the states after decompression.
    pub entries: u64,
    /// Size of the states after decompression, in bytes.
    pub bytes: u64,
    /// Guests of the world, by role.
    #[serde(flatten)]
    pub guests: ByRole<GuestConfig>,
}

/// Task in a bundle.
#[derive(Debug, Clone)]
pub struct TaskArtifact {
    /// Id of the task.
    pub id: TaskId,
    /// Descriptor of the manifest.
    pub descriptor: Descriptor,
    /// Config of the artifact.
    pub config: TaskConfig,
    /// Verifier.
    pub judged_by: VerifierDigest,
    config_descriptor: Descriptor,
    layers: BTreeMap<String, Descriptor>,
}

/// World in a bundle.
#[derive(Debug, Clone)]
pub struct WorldArtifact {
    /// Id of the world.
    pub id: WorldId,
    /// Descriptor of the manifest.
    pub descriptor: Descriptor,
    /// Config of the artifact.
    pub config: WorldConfig,
    config_descriptor: Descriptor,
    /// Descriptor of the layer with the states.
    pub states: Descriptor,
    /// Descriptors of the layers with the guests' components, by role.
    pub guests: ByRole<Descriptor>,
}

/// Suite or single task with its worlds: manifests and configs, without the content of layers.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Descriptor of the suite's index or of the task's manifest, which references everything else.
    pub root: Descriptor,
    /// Name of the suite, if it has one.
    pub name: Option<String>,
    /// Tasks, sorted by id.
    pub tasks: Vec<TaskArtifact>,
    /// Worlds by the digests of their manifests.
    pub worlds: BTreeMap<Digest, WorldArtifact>,
}

impl Parts {
    /// Returns the task digest, which receipts contain.
    pub fn digest(&self) -> Digest {
        Digest::of(mcpmark_json::canonical(&json!(self)).as_bytes())
    }

    /// Returns the version of the published server whose tools agents get, if the task names one.
    pub fn profile(&self) -> Option<&str> {
        match self.judged_by()? {
            VerifierDigest::Component(_) => self.meta.get("profile")?.as_str(),
            // In a published task, a key with the same name would have another meaning.
            VerifierDigest::Script { .. } => None,
        }
    }

    /// Returns the verifier. Returns `None` if the parts name no verifier or several, or if the world does not match
    /// its kind: a component needs id and seed of the world, a script needs neither.
    pub fn judged_by(&self) -> Option<VerifierDigest> {
        let named = self.world.id.is_some() && self.world.seed.is_some();
        let nameless = self.world.id.is_none() && self.world.seed.is_none();
        match (self.verifier, self.script, self.beside) {
            (Some(verifier), None, None) if named => Some(VerifierDigest::Component(verifier)),
            (None, Some(script), Some(beside)) if nameless => {
                Some(VerifierDigest::Script { script, beside })
            }
            _ => None,
        }
    }
}

impl CertificateConfig {
    /// Compares the certificate with the parts of a task. Returns `"task"`, `"world"` or `"verifier"` for the first
    /// difference, or `None` if all are equal. The verifier differs, for example, if another compiler built the same
    /// sources.
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
    /// Returns the descriptor of a layer by file name.
    pub fn layer(&self, file: &str) -> Option<&Descriptor> {
        self.layers.get(file)
    }

    /// Iterates over the layers with their file names.
    pub fn layers(&self) -> impl Iterator<Item = (&str, &Descriptor)> {
        self.layers
            .iter()
            .map(|(file, layer)| (file.as_str(), layer))
    }

    /// Returns the description of a guest by role.
    pub fn guest(&self, role: &str) -> Option<&GuestConfig> {
        self.config.guests.iter().find(|guest| guest.role == role)
    }

    /// Returns the digest of the verifier if it is held back.
    pub fn held_back(&self) -> Option<Digest> {
        let verifier = self.guest("verifier")?;
        verifier.held_back.then_some(verifier.digest)
    }

    /// Reads the content of a layer; guests are decompressed. Returns `None` if the task has no such layer.
    ///
    /// # Errors
    ///
    /// Returns an error if the blob is missing or does not match the manifest and the config.
    pub fn read(&self, source: &dyn Source, file: &str) -> Result<Option<Vec<u8>>, BundleError> {
        let Some(descriptor) = self.layers.get(file) else {
            return Ok(None);
        };
        let limit = FILES.iter().find(|(name, ..)| *name == file);
        let limit = limit.map_or(MAX_TEXT, |(.., limit)| *limit);
        let what = format!("task {}: layer {file}", self.id);
        let bytes = fetch(source, &what, descriptor, limit)?;
        match file.strip_suffix(".wasm").and_then(|role| self.guest(role)) {
            Some(guest) => decompressed(what, &bytes, guest).map(Some),
            None => Ok(Some(bytes)),
        }
    }
}

impl WorldArtifact {
    /// Maximum size of the compressed states, in bytes. It is also the limit of every blob that is pushed or pulled.
    pub const MAX_BYTES: u64 = MAX_STATES;

    /// Reads the components of the world's guests.
    ///
    /// # Errors
    ///
    /// Returns an error if one is missing or does not match the manifest and the config.
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
                let bytes = fetch(source, &what, layer, MAX_GUEST)?;
                Ok((role, decompressed(what, &bytes, guest)?))
            })
            .collect()
    }
}

impl Bundle {
    /// Reports whether the tasks are those of a published corpus.
    pub fn is_published(&self) -> bool {
        let first = self.tasks.first();
        first.is_some_and(|task| matches!(task.judged_by, VerifierDigest::Script { .. }))
    }

    /// Returns the task with an id.
    pub fn task(&self, id: &TaskId) -> Option<&TaskArtifact> {
        self.tasks.iter().find(|task| task.id == *id)
    }

    /// Lists all blobs with their descriptions, without duplicates, the root first.
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
    /// Creates the config of a state that has no title, clock or licence.
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

    /// Creates the config of a world with its packed states.
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
