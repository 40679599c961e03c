//! Parsing of artifacts: manifests and configs, and their consistency.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use mcpmark_archive::states;
use mcpmark_snapshot::Digest;
use mcpmark_task::{ByRole, GuestRole, TaskId, WorldId};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Bundle, CERTIFICATE, FILES, INSTRUCTION, INTERPRETER, MARKDOWN, MAX_CONFIG, MAX_ENTRIES, NAME,
    SCHEMA, SCRIPT, SOLUTION, STATES, SUITE, TASK, TASK_CONFIG, TaskArtifact, TaskConfig, VERIFIER,
    VerifierDigest, WASM, WORLD, WORLD_CONFIG, WorldArtifact, WorldConfig,
};
use crate::BundleError;
use crate::layout::{BlobDirectory, Source, fetch};
use crate::oci::{self, Descriptor, Index, Manifest};

/// Reason for the refusal of a task whose parts define no verifier, or a world of the wrong kind.
const NO_JUDGE: &str = "expected either a component as verifier and a world with id and seed, or a script as verifier \
                        and a world without them";

impl Bundle {
    /// Reads the manifests and configs of a bundle, but no other layers.
    ///
    /// # Errors
    ///
    /// Returns an error if a document is missing or invalid, or if two documents contradict each other.
    pub fn read(source: &dyn Source, root: &Descriptor) -> Result<Self, BundleError> {
        let what = "the manifest of the bundle";
        let bytes = fetch(source, what, root, oci::MAX_MANIFEST)?;
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
        if index.manifests.len() > MAX_ENTRIES {
            let found = index.manifests.len();
            return Err(BundleError::Shape {
                what: what.to_owned(),
                reason: format!(
                    "it lists {found} tasks and worlds, but the limit is {MAX_ENTRIES}"
                ),
            });
        }
        let (mut tasks, mut worlds) = (Vec::new(), BTreeMap::new());
        for descriptor in &index.manifests {
            match kind(source, descriptor)?.as_deref() {
                Some(TASK | TASK_CONFIG) => {
                    tasks.push(TaskArtifact::read_manifest(source, descriptor)?)
                }
                Some(WORLD | WORLD_CONFIG) => {
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

    /// Reads the manifests and configs of a bundle that [`keep_documents`](Self::keep_documents) stored, by its digest.
    ///
    /// # Errors
    ///
    /// Returns an error if a document is missing or invalid.
    pub fn kept(blobs: &BlobDirectory, digest: &Digest) -> Result<Self, BundleError> {
        let what = "the manifest of the bundle";
        let missing = |source| BundleError::Missing {
            what: what.to_owned(),
            digest: *digest,
            source,
        };
        let mut bytes = Vec::new();
        let stream = blobs.open(digest).map_err(missing)?;
        let mut stream = stream.take(oci::MAX_MANIFEST + 1);
        stream.read_to_end(&mut bytes).map_err(missing)?;
        let document: Value = oci::parse(what, &bytes)?;
        let media_type = document["mediaType"].as_str().unwrap_or("");
        let root = Descriptor {
            digest: *digest,
            ..Descriptor::of(media_type, &bytes)
        };
        Self::read(blobs, &root)
    }

    /// Stores the documents of the bundle: manifests, configs and instructions.
    ///
    /// # Errors
    ///
    /// Returns an error if a document is missing, damaged, or cannot be written.
    pub fn keep_documents(
        &self,
        source: &dyn Source,
        into: &BlobDirectory,
    ) -> Result<(), BundleError> {
        into.prepare()?;
        let documents = [
            oci::MANIFEST,
            oci::INDEX,
            TASK_CONFIG,
            WORLD_CONFIG,
            MARKDOWN,
        ];
        for (what, descriptor) in self.blobs() {
            let is_document = documents.contains(&descriptor.media_type.as_str());
            if is_document && fetch(into, &what, &descriptor, oci::MAX_MANIFEST).is_err() {
                let bytes = fetch(source, &what, &descriptor, oci::MAX_MANIFEST)?;
                into.keep(&descriptor.digest, &bytes)?;
            }
        }
        Ok(())
    }

    /// Checks that the tasks and worlds are consistent.
    fn check(&self) -> Result<(), BundleError> {
        let against = |message: String| Err(BundleError::Contradiction(message));
        if self.tasks.is_empty() {
            return against("the suite contains no tasks".to_owned());
        }
        let mut ids = BTreeSet::new();
        let mut names = BTreeSet::new();
        for world in self.worlds.values() {
            if !names.insert(&world.id) {
                return against(format!("world {} occurs twice", world.id));
            }
        }
        for task in &self.tasks {
            let id = &task.id;
            if !ids.insert(id) {
                return against(format!("task {id} occurs twice"));
            }
            let Some(world) = self.worlds.get(&task.config.world.digest) else {
                return against(format!("task {id} starts from a world that is missing"));
            };
            let (start, config) = (&task.config.parts.world, &world.config);
            let guests = config
                .guests
                .iter()
                .map(|(role, guest)| (role, guest.digest));
            let guests: ByRole<Digest> = guests.collect();
            let named = start.id.as_ref().is_none_or(|id| *id == config.world);
            let seeded = start.seed.is_none_or(|seed| seed == config.seed);
            if !(named && seeded) || (start.snapshot, &start.guests) != (config.snapshot, &guests) {
                return against(format!(
                    "the starting state of task {id} does not match the config of world {}",
                    world.id
                ));
            }
            if matches!(task.judged_by, VerifierDigest::Script { .. }) != self.is_published() {
                return against(
                    "some tasks have a component as verifier, and others a script".to_owned(),
                );
            }
            let interpreter = |task: &TaskArtifact| task.guest("interpreter").map(|it| it.digest);
            if interpreter(task) != interpreter(&self.tasks[0]) {
                return against(format!(
                    "the interpreter of task {id} differs from that of the other tasks"
                ));
            }
        }
        Ok(())
    }
}

/// Returns the artifact type of a manifest in a suite. Programs that copy a suite may omit the type from its index;
/// then it is that of the manifest, or else the media type of the config.
fn kind(source: &dyn Source, descriptor: &Descriptor) -> Result<Option<String>, BundleError> {
    if descriptor.artifact_type.is_some() {
        return Ok(descriptor.artifact_type.clone());
    }
    let what = format!("the manifest {} in the suite", descriptor.digest);
    oci::expect(&what, &descriptor.media_type, oci::MANIFEST)?;
    let bytes = fetch(source, &what, descriptor, oci::MAX_MANIFEST)?;
    let manifest: Manifest = oci::parse(&what, &bytes)?;
    let kind = manifest.artifact_type;
    Ok(kind.or(Some(manifest.config.media_type)))
}

fn config<T: for<'a> Deserialize<'a>>(
    source: &dyn Source,
    what: &str,
    descriptor: &Descriptor,
    media_type: &'static str,
) -> Result<T, BundleError> {
    oci::expect(what, &descriptor.media_type, media_type)?;
    let bytes = fetch(source, what, descriptor, MAX_CONFIG)?;
    let value: Value = oci::parse(what, &bytes)?;
    // The version is checked first, because a later version may have keys that are unknown here.
    if value["schema"] != SCHEMA {
        return Err(BundleError::Shape {
            what: what.to_owned(),
            reason: format!(
                "it has schema {}, but this version of mcpmark reads schema {SCHEMA}",
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
        let bytes = fetch(source, &what, descriptor, oci::MAX_MANIFEST)?;
        let manifest = Manifest::parse(&what, &bytes, TASK)?;
        let of_config = format!("the config {} of a task", manifest.config.digest);
        let config: TaskConfig = config(source, &of_config, &manifest.config, TASK_CONFIG)?;
        let shape = |reason: String| BundleError::Shape {
            what: of_config.clone(),
            reason,
        };
        if config.parts.schema != SCHEMA {
            let found = config.parts.schema;
            let reason = format!(
                "its parts have schema {found}, but this version of mcpmark reads schema {SCHEMA}"
            );
            return Err(shape(reason));
        }
        let judged_by = config.parts.judged_by();
        let judged_by = judged_by.ok_or_else(|| shape(NO_JUDGE.to_owned()))?;
        let id = match judged_by {
            VerifierDigest::Component(_) => config.parts.task.parse(),
            VerifierDigest::Script { .. } => TaskId::published(&config.parts.task),
        };
        let id = id.map_err(|error| shape(error.to_string()))?;
        let mut layers = BTreeMap::new();
        for layer in manifest.layers {
            let what = format!("task {id}: a layer");
            let file = layer.title().unwrap_or("").to_owned();
            let known = FILES.iter().find(|(name, ..)| *name == file);
            let Some((_, media_type, _)) = known else {
                let names = FILES.map(|(name, ..)| name).join(", ");
                return Err(BundleError::Shape {
                    what,
                    reason: format!("unknown file {file:?}; expected one of {names}"),
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
            judged_by,
            config_descriptor: manifest.config,
            layers,
        };
        task.check()?;
        Ok(task)
    }

    /// Checks that the layers match the config.
    fn check(&self) -> Result<(), BundleError> {
        let parts = &self.config.parts;
        let against = |what: &str| {
            let message = format!("task {}: {what}", self.id);
            Err(BundleError::Contradiction(message))
        };
        let layer = |file| self.layer(file).map(|layer| layer.digest);
        if layer(INSTRUCTION) != Some(parts.instruction) {
            return against("the digest of its instruction differs from its config");
        }
        match (&self.config.certificate, layer(CERTIFICATE)) {
            (Some(_), None) => {
                return against("its config describes a certificate that is missing");
            }
            (None, Some(_)) => {
                return against("its config does not describe its certificate");
            }
            _ => {}
        }
        let (judge, other, interpreter) = match self.judged_by {
            VerifierDigest::Component(_) => (VERIFIER, SCRIPT, None),
            VerifierDigest::Script { .. } => (SCRIPT, VERIFIER, self.guest("interpreter")),
        };
        let interpreter = interpreter.map(|guest| guest.digest);
        if layer(other).is_some() || interpreter.is_some() != (judge == SCRIPT) {
            return against("its layers do not match the kind of its verifier");
        }
        for (role, file, digest) in [
            ("verifier", judge, Some(self.judged_by.digest())),
            ("solution", SOLUTION, parts.solution),
            ("interpreter", INTERPRETER, interpreter),
        ] {
            let guest = self.guest(role);
            if guest.map(|guest| guest.digest) != digest {
                return against(&format!("its config describes a different {role}"));
            }
            let held_back = guest.is_some_and(|guest| guest.held_back);
            if layer(file).is_some() != (digest.is_some() && !held_back) {
                return against(&format!(
                    "its config and its layers disagree on whether it contains its {role}"
                ));
            }
        }
        // Reviewers see every guest in the config, so it must not describe guests that the task does not have.
        let mut roles = BTreeSet::new();
        for guest in &self.config.guests {
            let role = guest.role.as_str();
            if !["verifier", "solution", "interpreter"].contains(&role) {
                return against(&format!(
                    "its config describes a guest of unknown role {role:?}"
                ));
            }
            if !roles.insert(role) {
                return against(&format!("its config describes its {role} twice"));
            }
        }
        Ok(())
    }
}

impl WorldArtifact {
    fn read_manifest(source: &dyn Source, descriptor: &Descriptor) -> Result<Self, BundleError> {
        let what = format!("the manifest {} of a world", descriptor.digest);
        oci::expect(&what, &descriptor.media_type, oci::MANIFEST)?;
        let bytes = fetch(source, &what, descriptor, oci::MAX_MANIFEST)?;
        let manifest = Manifest::parse(&what, &bytes, WORLD)?;
        let of_config = format!("the config {} of a world", manifest.config.digest);
        let config: WorldConfig = config(source, &of_config, &manifest.config, WORLD_CONFIG)?;
        let shape = |reason: String| BundleError::Shape {
            what: of_config.clone(),
            reason,
        };
        let id: WorldId = config
            .world
            .parse()
            .map_err(|error: mcpmark_task::Error| shape(error.to_string()))?;
        let most = states::WORLD_BOUNDS;
        for (what, found, limit) in [
            ("bytes", config.bytes, most.bytes),
            ("entries", config.entries, most.entries),
        ] {
            if found > limit {
                let reason = format!("its states have {found} {what}, but the limit is {limit}");
                return Err(shape(reason));
            }
        }
        for (role, guest) in config.guests.iter() {
            if guest.role != role.as_str() {
                let found = &guest.role;
                let reason = format!(
                    "guest {role}: expected role {:?}, found {found:?}",
                    role.as_str()
                );
                return Err(shape(reason));
            }
        }
        let roles: Vec<GuestRole> = config.guests.iter().map(|(role, _)| role).collect();
        let wanted = 1 + roles.len();
        let found = manifest.layers.len();
        let mut layers = manifest.layers.into_iter();
        let Some(states) = layers.next().filter(|_| found == wanted) else {
            return Err(BundleError::Shape {
                what,
                reason: format!("it has {found} layers, but its config requires {wanted}"),
            });
        };
        oci::expect(&what, &states.media_type, STATES)?;
        let guests: ByRole<Descriptor> = roles.into_iter().zip(layers).collect();
        for (_, layer) in guests.iter() {
            oci::expect(&what, &layer.media_type, WASM)?;
        }
        Ok(Self {
            id,
            descriptor: descriptor.clone(),
            config,
            config_descriptor: manifest.config,
            states,
            guests,
        })
    }
}
