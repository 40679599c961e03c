//! Unpacking of bundles to libraries.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::path::Path;

use mcpmark_archive::states::{self, Contents};
use mcpmark_archive::tar::Bounds;
use mcpmark_snapshot::{Digest, Store};
use mcpmark_task::HeldBack;
use serde_json::{Value, json};

use crate::artifact::{
    Bundle, CERTIFICATE, INSTRUCTION, SOLUTION, TaskArtifact, VERIFIER, VerifierDigest,
    WorldArtifact, guest_file,
};
use crate::integrity::write_integrity_record;
use crate::layout::{Source, copy};
use crate::{BundleError, corpus};

/// Writes the tasks and worlds of a bundle to a directory.
///
/// `verifiers` contains verifiers that tasks hold back: components by their digests, and packed scripts, in the format
/// of their layer, by the digests of their trees. A task whose verifier is not in it gets a [declaration](HeldBack)
/// instead. Tasks of a published corpus are unpacked as a [corpus](crate::UnpackedCorpus).
///
/// # Errors
///
/// Returns an error if a layer is missing or damaged, or if the directory cannot be written.
pub fn unpack(
    bundle: &Bundle,
    source: &dyn Source,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
    into: &Path,
) -> Result<(), BundleError> {
    for name in ["tasks", "worlds"] {
        make(&into.join(name))?;
    }
    if bundle.is_published() {
        corpus::unpack(bundle, source, verifiers, into)?
    } else {
        unpack_library(bundle, source, verifiers, into)?
    }
    write_integrity_record(into)
}

fn unpack_library(
    bundle: &Bundle,
    source: &dyn Source,
    verifiers: &BTreeMap<Digest, Vec<u8>>,
    into: &Path,
) -> Result<(), BundleError> {
    for world in bundle.worlds.values() {
        let dir = into
            .join("worlds")
            .join(world.id.service())
            .join(world.id.name());
        make(&dir)?;
        write(&dir.join("world.json"), &pretty(&manifest(world)))?;
        world.copy_states(source, &dir.join("states.tar.zst"))?;
        for (role, component) in world.read_guests(source)? {
            write(&dir.join(guest_file(role)), &component)?;
        }
    }
    for task in &bundle.tasks {
        let id = &task.id;
        let dir = into
            .join("tasks")
            .join(id.service())
            .join(id.group())
            .join(id.name());
        make(&dir)?;
        let parts = &task.config.parts;
        let meta = Value::Object(parts.meta.clone());
        write(&dir.join("meta.json"), &pretty(&meta))?;
        for file in [INSTRUCTION, VERIFIER, SOLUTION, CERTIFICATE] {
            if let Some(bytes) = task.read(source, file)? {
                write(&dir.join(file), &bytes)?;
            }
        }
        match task.held_back().map(|digest| verifiers.get(&digest)) {
            Some(Some(bytes)) => write(&dir.join(VERIFIER), bytes)?,
            Some(None) => hold_back(task, &dir)?,
            None => {}
        }
    }
    Ok(())
}

impl WorldArtifact {
    /// Copies the compressed states to a file.
    ///
    /// # Errors
    ///
    /// Returns an error if they are missing or damaged, or if the file cannot be written.
    pub fn copy_states(&self, source: &dyn Source, file: &Path) -> Result<(), BundleError> {
        let failed = |error| BundleError::Write {
            place: file.to_owned(),
            source: error,
        };
        let mut out = File::create(file).map_err(failed)?;
        let what = format!("world {}: states", self.id);
        copy(source, &what, &self.states, Self::MAX_BYTES, &mut |piece| {
            out.write_all(piece).map_err(failed)
        })
    }

    /// Reads the states in a file, as written by [`copy_states`](Self::copy_states), into a store.
    ///
    /// # Errors
    ///
    /// Returns an error if they do not match the config.
    pub fn read_states(&self, file: &Path, store: &Store) -> Result<Contents, BundleError> {
        let opened = File::open(file).map_err(|source| BundleError::Read {
            place: file.to_owned(),
            source,
        })?;
        let bounds = Bounds {
            entries: self.config.entries,
            bytes: self.config.bytes,
        };
        let contents = states::read(BufReader::new(opened), bounds, store).map_err(|source| {
            BundleError::States {
                world: self.id.to_string(),
                source: Box::new(source),
            }
        })?;
        let against = |problem: String| {
            let message = format!("the states of world {} {problem}", self.id);
            Err(BundleError::Contradiction(message))
        };
        for (what, found, said) in [
            ("bytes", contents.size.bytes, self.config.bytes),
            ("entries", contents.size.entries, self.config.entries),
        ] {
            if found != said {
                return against(format!("have {found} {what}, but its config states {said}"));
            }
        }
        if contents.trees.contains(&self.config.snapshot) {
            Ok(contents)
        } else {
            against("do not contain its tree".to_owned())
        }
    }
}

fn manifest(world: &WorldArtifact) -> Value {
    let config = &world.config;
    json!({
        "title": config.title,
        "description": config.description,
        "license": config.license,
        "clock": config.clock,
        "seed": config.seed,
        "snapshot": config.snapshot,
    })
}

/// Writes the declaration that a verifier is held back to the directory of a task.
pub(crate) fn hold_back(task: &TaskArtifact, dir: &Path) -> Result<(), BundleError> {
    let held_back = match task.judged_by {
        VerifierDigest::Component(verifier) => HeldBack {
            verifier,
            beside: None,
        },
        VerifierDigest::Script { script, beside } => HeldBack {
            verifier: script,
            beside: Some(beside),
        },
    };
    write(&dir.join(HeldBack::FILE), &pretty(&json!(held_back)))
}

pub(crate) fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

pub(crate) fn make(dir: &Path) -> Result<(), BundleError> {
    fs::create_dir_all(dir).map_err(|source| BundleError::Write {
        place: dir.to_owned(),
        source,
    })
}

pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), BundleError> {
    fs::write(file, bytes).map_err(|source| BundleError::Write {
        place: file.to_owned(),
        source,
    })
}
