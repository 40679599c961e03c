//! Tasks, worlds and suites as OCI artifacts: their types, their configs, and how they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};

use mcpmark_archive::states::Written;
use mcpmark_snapshot::Digest;
use mcpmark_task::{TaskId, World, WorldId, canonical_json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::BundleError;
use crate::layout::{Source, fetch};
use crate::oci::{self, Descriptor, Index, Manifest};

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

/// The most tasks and worlds of a suite.
const MOST: usize = 20_000;

/// The file of a layer, its type, and the most bytes that are read of it.
const FILES: [(&str, &str, u64); 4] = [
    (INSTRUCTION, MARKDOWN, LARGEST_TEXT),
    (VERIFIER, WASM, LARGEST_GUEST),
    (SOLUTION, WASM, LARGEST_GUEST),
    (CERTIFICATE, JSON, 4 << 20),
];

/// The layer with the instruction.
pub const INSTRUCTION: &str = "description.md";
/// The layer with the verifier.
pub const VERIFIER: &str = "verifier.wasm";
/// The layer with the solution.
pub const SOLUTION: &str = "solution.wasm";
/// The layer of a world with the guest that runs its workflows.
pub const CI: &str = "ci.wasm";
/// The layer with the certificate.
pub const CERTIFICATE: &str = "certificate.json";

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
    /// The digest of the verifier.
    pub verifier: Digest,
    /// The digest of the solution.
    pub solution: Option<Digest>,
    /// Where it starts.
    pub world: StartParts,
}

/// What an attempt starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartParts {
    /// The id of the world.
    pub id: String,
    /// The digest of its tree.
    pub snapshot: Digest,
    /// Its instant, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
    /// The seed that it was made with.
    pub seed: u64,
    /// The digest of the guest that runs its workflows, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci: Option<Digest>,
}

/// A guest as it is described to people who have not got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestConfig {
    /// `verifier`, `solution` or `ci`.
    pub role: String,
    /// Of its component.
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
    /// The manifest of its world.
    pub world: Descriptor,
}

/// The config of a world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// The guest that runs its workflows, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci: Option<GuestConfig>,
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
    /// The guest that runs its workflows, where it has one.
    pub ci: Option<Descriptor>,
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
        Digest::of(canonical_json(&json!(self)).as_bytes())
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

    /// The component of the guest that runs its workflows.
    ///
    /// # Errors
    ///
    /// When it is missing, or not what manifest and config say.
    pub fn read_ci(&self, source: &dyn Source) -> Result<Option<Vec<u8>>, BundleError> {
        let (Some(layer), Some(guest)) = (&self.ci, &self.config.ci) else {
            return Ok(None);
        };
        let what = format!("world {}: layer {CI}", self.id);
        let bytes = fetch(source, &what, layer, LARGEST_GUEST)?;
        decompressed(what, &bytes, guest).map(Some)
    }
}

impl Bundle {
    /// Reads the manifests and configs of a bundle, no layer.
    ///
    /// # Errors
    ///
    /// When one is missing, or not what it should be, or contradicts another.
    pub fn read(source: &dyn Source, root: &Descriptor) -> Result<Self, BundleError> {
        let what = "the manifest of the bundle";
        let bytes = fetch(source, what, root, oci::LARGEST_MANIFEST)?;
        if root.media_type == oci::MANIFEST {
            let task = TaskArtifact::read_manifest(source, root)?;
            let world = WorldArtifact::read_manifest(source, &task.config.world)?;
            let bundle = Self {
                root: root.clone(),
                name: None,
                tasks: vec![task],
                worlds: BTreeMap::from([(world.descriptor.digest, world)]),
            };
            bundle.check()?;
            return Ok(bundle);
        }
        oci::expect(what, &root.media_type, oci::INDEX)?;
        let index = Index::parse(what, &bytes, SUITE)?;
        if index.manifests.len() > MOST {
            return Err(BundleError::TooLarge {
                what: "the list of the suite's tasks and worlds".to_owned(),
                size: index.manifests.len() as u64,
                limit: MOST as u64,
            });
        }
        let (mut tasks, mut worlds) = (Vec::new(), BTreeMap::new());
        for descriptor in &index.manifests {
            match descriptor.artifact_type.as_deref() {
                Some(TASK) => tasks.push(TaskArtifact::read_manifest(source, descriptor)?),
                Some(WORLD) => {
                    let world = WorldArtifact::read_manifest(source, descriptor)?;
                    worlds.insert(world.descriptor.digest, world);
                }
                other => {
                    return Err(BundleError::Foreign {
                        what: format!("{} in the suite", descriptor.digest),
                        found: other.unwrap_or_default().to_owned(),
                        wanted: TASK,
                    });
                }
            }
        }
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        let bundle = Self {
            root: root.clone(),
            name: index.annotations.get(NAME).cloned(),
            tasks,
            worlds,
        };
        bundle.check()?;
        Ok(bundle)
    }

    /// Whether tasks and worlds fit together.
    fn check(&self) -> Result<(), BundleError> {
        let against = |message: String| Err(BundleError::Contradiction(message));
        let mut ids = BTreeSet::new();
        let mut names = BTreeSet::new();
        for world in self.worlds.values() {
            if !names.insert(&world.id) {
                return against(format!("world {} is there twice", world.id));
            }
        }
        for task in &self.tasks {
            let id = &task.id;
            if !ids.insert(id) {
                return against(format!("task {id} is there twice"));
            }
            let Some(world) = self.worlds.get(&task.config.world.digest) else {
                return against(format!("task {id} starts from a world that is not there"));
            };
            let (start, config) = (&task.config.parts.world, &world.config);
            let ci = config.ci.as_ref().map(|guest| guest.digest);
            let of_world = (&config.world, config.snapshot, config.seed, ci);
            if (&start.id, start.snapshot, start.seed, start.ci) != of_world {
                return against(format!(
                    "task {id} starts from another world than {}",
                    world.id
                ));
            }
        }
        Ok(())
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
            if let Some(ci) = &world.ci {
                blobs.push((format!("world {id}: layer {CI}"), ci.clone()));
            }
        }
        let mut seen = BTreeSet::new();
        blobs.retain(|(_, descriptor)| seen.insert(descriptor.digest));
        blobs
    }
}

/// The component of a guest, if it is the one that the config speaks of.
fn decompressed(what: String, bytes: &[u8], guest: &GuestConfig) -> Result<Vec<u8>, BundleError> {
    let GuestConfig {
        digest,
        bytes: size,
        ..
    } = *guest;
    if size > LARGEST_GUEST {
        let limit = LARGEST_GUEST;
        return Err(BundleError::TooLarge { what, size, limit });
    }
    let mut component = Vec::new();
    let read = zstd::Decoder::new(bytes).and_then(|mut decoder| {
        decoder.window_log_max(WINDOW)?;
        decoder.take(size + 1).read_to_end(&mut component)
    });
    if let Err(error) = read {
        return Err(BundleError::Shape {
            what,
            reason: error.to_string(),
        });
    }
    if component.len() as u64 != size {
        let wanted = size;
        return Err(BundleError::Length {
            what,
            digest,
            wanted,
        });
    }
    match Digest::of(&component) {
        found if found == digest => Ok(component),
        found => Err(BundleError::Damaged {
            what,
            digest,
            found,
        }),
    }
}

/// The binary logarithm of the most bytes that whoever decompresses a guest keeps: 8 MiB.
const WINDOW: u32 = 23;

/// Compresses the component of a guest.
pub(crate) fn compressed(component: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 9)?;
    encoder.window_log(WINDOW)?;
    encoder.write_all(component)?;
    encoder.finish()
}

fn config<T: for<'a> Deserialize<'a>>(
    source: &dyn Source,
    what: &str,
    descriptor: &Descriptor,
    media_type: &'static str,
) -> Result<T, BundleError> {
    oci::expect(what, &descriptor.media_type, media_type)?;
    let bytes = fetch(source, what, descriptor, LARGEST_CONFIG)?;
    let value: Value = oci::parse(what, &bytes)?;
    // The version first: what a later one has besides is not known here.
    if value["schema"] != SCHEMA {
        return Err(BundleError::Shape {
            what: what.to_owned(),
            reason: format!(
                "it has schema {}, and this mcpmark knows {SCHEMA}",
                value["schema"]
            ),
        });
    }
    serde_json::from_value(value).map_err(|error| BundleError::Shape {
        what: what.to_owned(),
        reason: error.to_string(),
    })
}

impl TaskArtifact {
    fn read_manifest(source: &dyn Source, descriptor: &Descriptor) -> Result<Self, BundleError> {
        let what = format!("the manifest {} of a task", descriptor.digest);
        oci::expect(&what, &descriptor.media_type, oci::MANIFEST)?;
        let bytes = fetch(source, &what, descriptor, oci::LARGEST_MANIFEST)?;
        let manifest = Manifest::parse(&what, &bytes, TASK)?;
        let of_config = format!("the config {} of a task", manifest.config.digest);
        let config: TaskConfig = config(source, &of_config, &manifest.config, TASK_CONFIG)?;
        let id: TaskId = config
            .parts
            .task
            .parse()
            .map_err(|error: mcpmark_task::Error| BundleError::Shape {
                what: of_config,
                reason: error.to_string(),
            })?;
        let mut layers = BTreeMap::new();
        for layer in manifest.layers {
            let what = format!("task {id}: a layer");
            let file = layer.title().unwrap_or("").to_owned();
            let known = FILES.iter().find(|(name, ..)| *name == file);
            let Some((_, media_type, _)) = known else {
                return Err(BundleError::Foreign {
                    what,
                    found: file,
                    wanted: INSTRUCTION,
                });
            };
            oci::expect(&what, &layer.media_type, media_type)?;
            if layers.insert(file.clone(), layer).is_some() {
                let message = format!("task {id} has {file} twice");
                return Err(BundleError::Contradiction(message));
            }
        }
        let task = Self {
            id,
            descriptor: descriptor.clone(),
            config,
            config_descriptor: manifest.config,
            layers,
        };
        task.check()?;
        Ok(task)
    }

    /// Whether the layers are those that the config speaks of.
    fn check(&self) -> Result<(), BundleError> {
        let parts = &self.config.parts;
        let against = |what: &str| {
            let message = format!("task {}: {what}", self.id);
            Err(BundleError::Contradiction(message))
        };
        let layer = |file| self.layer(file).map(|layer| layer.digest);
        if layer(INSTRUCTION) != Some(parts.instruction) {
            return against("its instruction is another than its config says");
        }
        for (role, file, digest) in [
            ("verifier", VERIFIER, Some(parts.verifier)),
            ("solution", SOLUTION, parts.solution),
        ] {
            let guest = self.guest(role);
            if guest.map(|guest| guest.digest) != digest {
                return against(&format!("its config describes another {role}"));
            }
            let held_back = guest.is_some_and(|guest| guest.held_back);
            if layer(file).is_some() != (digest.is_some() && !held_back) {
                return against(&format!(
                    "its config does not say whether its {role} is there"
                ));
            }
        }
        Ok(())
    }
}

impl WorldArtifact {
    fn read_manifest(source: &dyn Source, descriptor: &Descriptor) -> Result<Self, BundleError> {
        let what = format!("the manifest {} of a world", descriptor.digest);
        oci::expect(&what, &descriptor.media_type, oci::MANIFEST)?;
        let bytes = fetch(source, &what, descriptor, oci::LARGEST_MANIFEST)?;
        let manifest = Manifest::parse(&what, &bytes, WORLD)?;
        let of_config = format!("the config {} of a world", manifest.config.digest);
        let config: WorldConfig = config(source, &of_config, &manifest.config, WORLD_CONFIG)?;
        let id: WorldId =
            config
                .world
                .parse()
                .map_err(|error: mcpmark_task::Error| BundleError::Shape {
                    what: of_config,
                    reason: error.to_string(),
                })?;
        let wanted = 1 + usize::from(config.ci.is_some());
        let found = manifest.layers.len();
        let mut layers = manifest.layers.into_iter();
        let (Some(states), ci) = (layers.next().filter(|_| found == wanted), layers.next()) else {
            return Err(BundleError::Shape {
                what,
                reason: format!("it has {found} layers, and its config speaks of {wanted}"),
            });
        };
        oci::expect(&what, &states.media_type, STATES)?;
        if let Some(ci) = &ci {
            oci::expect(&what, &ci.media_type, WASM)?;
        }
        Ok(Self {
            id,
            descriptor: descriptor.clone(),
            config,
            config_descriptor: manifest.config,
            states,
            ci,
        })
    }
}

impl WorldConfig {
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
            ci: None,
        }
    }
}

#[cfg(test)]
mod tests;
