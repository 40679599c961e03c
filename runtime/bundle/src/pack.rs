//! Packing of tasks and worlds into bundles.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use mcpmark_snapshot::Digest;
use mcpmark_task::{ByRole, WorldId};
use serde::Serialize;
use serde_json::json;

use crate::artifact::{
    CERTIFICATE, CertificateConfig, GuestConfig, INSTRUCTION, INTERPRETER, JSON, MARKDOWN, NAME,
    Parts, SCHEMA, SCRIPT, SOLUTION, STATES, SUITE, TASK, TASK_CONFIG, TaskConfig, VERIFIER, WASM,
    WORLD, WORLD_CONFIG, WorldConfig, compressed, guest_file,
};
use crate::layout::NewLayout;
use crate::oci::{self, Descriptor, Index, Manifest, TITLE};

/// Content of a task to pack.
#[derive(Debug)]
pub struct TaskContent {
    /// Parts that define the task.
    pub parts: Parts,
    /// Descriptions of the guests.
    pub guests: Vec<GuestConfig>,
    /// Instruction for the agent.
    pub instruction: Vec<u8>,
    /// Verifier.
    pub judge: VerifierContent,
    /// Component of the solution, if the task has one.
    pub solution: Option<Vec<u8>>,
    /// Certificate, if the task has one.
    pub certificate: Option<CertificateContent>,
}

/// Content of a certificate to pack.
#[derive(Debug)]
pub struct CertificateContent {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Description for the config.
    pub described: CertificateConfig,
}

/// Content of a verifier to pack.
#[derive(Debug)]
pub enum VerifierContent {
    /// Component.
    Component(Vec<u8>),
    /// Script with the files next to it, and its interpreter.
    Script {
        /// Tree with the script and the files next to it, packed in the format of states.
        beside: Vec<u8>,
        /// Component of the interpreter.
        interpreter: Arc<Vec<u8>>,
    },
}

/// Packs tasks and worlds into a layout. Equal input has equal bytes.
#[derive(Debug, Default)]
pub struct Packer {
    layout: NewLayout,
    worlds: BTreeMap<WorldId, Descriptor>,
    /// Compressed guests by the digests of their components, because tasks may share guests.
    guests: BTreeMap<Digest, Descriptor>,
    tasks: Vec<Descriptor>,
}

/// Packed suite.
#[derive(Debug)]
pub struct Packed {
    /// Descriptor of the suite.
    pub root: Descriptor,
    /// Layout with all blobs.
    pub layout: NewLayout,
}

impl Packer {
    /// Adds a world with its compressed states and the components of the guests in its config. Add worlds before their
    /// tasks.
    ///
    /// # Errors
    ///
    /// Returns an error if a component cannot be compressed.
    pub fn world(
        &mut self,
        id: &WorldId,
        config: &WorldConfig,
        states: Vec<u8>,
        guests: &ByRole<&[u8]>,
    ) -> io::Result<()> {
        let mut layers = vec![self.layout.put(STATES, states)];
        for (role, component) in guests.iter() {
            let layer = self.guest(component)?;
            layers.push(layer.annotated(TITLE, &guest_file(role)));
        }
        let licence = config.license.clone();
        let annotations = BTreeMap::from([(oci::LICENCES.to_owned(), licence)]);
        let config = self.json(WORLD_CONFIG, config);
        let manifest = self.manifest(WORLD, config, layers, annotations);
        self.worlds.insert(id.clone(), manifest);
        Ok(())
    }

    /// Adds a task. Omits the verifier if its description says that it is held back.
    ///
    /// # Errors
    ///
    /// Returns an error if a component cannot be compressed.
    ///
    /// # Panics
    ///
    /// Panics if the world was not added before.
    pub fn task(&mut self, world: &WorldId, content: TaskContent) -> io::Result<()> {
        let held_back = |role: &str| {
            let mut guests = content.guests.iter();
            guests.any(|guest| guest.role == role && guest.held_back)
        };
        let shown = !held_back("verifier");
        let mut layers = vec![(INSTRUCTION, self.layout.put(MARKDOWN, content.instruction))];
        match content.judge {
            VerifierContent::Component(component) if shown => {
                layers.push((VERIFIER, self.guest(&component)?));
            }
            VerifierContent::Component(_) => {}
            VerifierContent::Script {
                beside,
                interpreter,
            } => {
                if shown {
                    layers.push((SCRIPT, self.layout.put(STATES, beside)));
                }
                layers.push((INTERPRETER, self.guest(&interpreter)?));
            }
        }
        if let Some(solution) = content.solution {
            layers.push((SOLUTION, self.guest(&solution)?));
        }
        let certificate = content.certificate.map(|certificate| {
            layers.push((CERTIFICATE, self.layout.put(JSON, certificate.bytes)));
            certificate.described
        });
        let layers = layers.into_iter();
        let layers = layers.map(|(file, layer)| layer.annotated(TITLE, file));
        let layers = layers.collect();
        let config = TaskConfig {
            schema: SCHEMA,
            parts: content.parts,
            guests: content.guests,
            certificate,
            world: self.worlds[world].clone(),
        };
        let config = self.json(TASK_CONFIG, &config);
        let manifest = self.manifest(TASK, config, layers, BTreeMap::new());
        self.tasks.push(manifest);
        Ok(())
    }

    /// Finishes the suite, with an optional name.
    pub fn finish(mut self, name: Option<&str>) -> Packed {
        let mut manifests: Vec<Descriptor> = self.worlds.into_values().collect();
        manifests.append(&mut self.tasks);
        let name = name.map(|name| (NAME.to_owned(), name.to_owned()));
        let index = Index {
            schema_version: 2,
            media_type: Some(oci::INDEX.to_owned()),
            artifact_type: Some(SUITE.to_owned()),
            manifests,
            annotations: name.into_iter().collect(),
        };
        let bytes = mcpmark_json::canonical(&json!(index)).into_bytes();
        let root = Descriptor {
            artifact_type: Some(SUITE.to_owned()),
            ..self.layout.put(oci::INDEX, bytes)
        };
        self.layout.list(root.clone());
        Packed {
            root,
            layout: self.layout,
        }
    }

    fn guest(&mut self, component: &[u8]) -> io::Result<Descriptor> {
        let digest = Digest::of(component);
        if let Some(known) = self.guests.get(&digest) {
            return Ok(known.clone());
        }
        let layer = self.layout.put(WASM, compressed(component)?);
        self.guests.insert(digest, layer.clone());
        Ok(layer)
    }

    fn json(&mut self, media_type: &str, document: &impl Serialize) -> Descriptor {
        let text = mcpmark_json::canonical(&json!(document));
        self.layout.put(media_type, text.into_bytes())
    }

    fn manifest(
        &mut self,
        artifact: &str,
        config: Descriptor,
        layers: Vec<Descriptor>,
        annotations: BTreeMap<String, String>,
    ) -> Descriptor {
        let manifest = Manifest {
            schema_version: 2,
            media_type: oci::MANIFEST.to_owned(),
            artifact_type: Some(artifact.to_owned()),
            config,
            layers,
            annotations,
        };
        Descriptor {
            artifact_type: Some(artifact.to_owned()),
            ..self.json(oci::MANIFEST, &manifest)
        }
    }
}

impl Packed {
    /// Returns the digest of the suite.
    pub fn digest(&self) -> Digest {
        self.root.digest
    }
}
