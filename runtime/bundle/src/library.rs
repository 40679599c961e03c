//! A bundle as a library: the directory of tasks and worlds that everything else works on.

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
    Bundle, CERTIFICATE, INSTRUCTION, JudgedBy, SOLUTION, TaskArtifact, VERIFIER, WorldArtifact,
    guest_file,
};
use crate::layout::{Source, copy};
use crate::seal::seal;
use crate::{BundleError, corpus};

/// Writes the tasks and worlds of a bundle into a directory. `verifiers` are components by their
/// digests, and scripts as their layers are by the digests of their trees, for tasks that hold
/// theirs back; a task whose verifier is not among them [says so](HeldBack). Tasks of a published corpus become
/// [that again](UnpackedCorpus).
///
/// # Errors
///
/// When a layer is missing or damaged, or the directory cannot be written.
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
    seal(into)
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
    /// Copies the compressed states into a file.
    ///
    /// # Errors
    ///
    /// When they are missing or damaged, or the file cannot be written.
    pub fn copy_states(&self, source: &dyn Source, file: &Path) -> Result<(), BundleError> {
        let failed = |error| BundleError::Write {
            place: file.to_owned(),
            source: error,
        };
        let mut out = File::create(file).map_err(failed)?;
        let what = format!("world {}: states", self.id);
        copy(source, &what, &self.states, Self::LARGEST, &mut |piece| {
            out.write_all(piece).map_err(failed)
        })
    }

    /// Reads the states of a file, as [`copy_states`](Self::copy_states) makes it, into a store.
    ///
    /// # Errors
    ///
    /// When they are not what the config says of them.
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
                return against(format!("have {found} {what}, and its config says {said}"));
            }
        }
        if contents.trees.contains(&self.config.snapshot) {
            Ok(contents)
        } else {
            against("do not hold its tree".to_owned())
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

/// Says in the directory of a task which verifier somebody else has.
pub(crate) fn hold_back(task: &TaskArtifact, dir: &Path) -> Result<(), BundleError> {
    let held_back = match task.judged_by {
        JudgedBy::Component(verifier) => HeldBack {
            verifier,
            beside: None,
        },
        JudgedBy::Script { script, beside } => HeldBack {
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
