//! Detection of changed sources that cargo misses. Cargo compares modification times, so it considers a source
//! unchanged if its content is replaced and its modification time is old, for example by an archive or a copy that
//! preserves times.
//!
//! Therefore the digest of each compiled source is recorded. Before the next run of cargo, a source with another digest
//! and a time that would hide the change is touched: its modification time is set to now.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use super::BuildError;
use super::component::write_atomically;
use super::stamp::{CLOCK_STEP, Inputs, compiled_from};

/// Digests of the sources from which each module was compiled in one of cargo's target directories. They are recorded by
/// module, because a run of cargo compiles only some of the modules that share a source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Compiled {
    modules: BTreeMap<PathBuf, BTreeMap<PathBuf, Entry>>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    /// Digest of the content; `None` if unknown, which counts as changed.
    content: Option<Digest>,
    /// Time at which the run of cargo ended, in nanoseconds since 1970.
    ran: u128,
}

impl Compiled {
    /// Reads the record from a target directory of cargo. It is empty if the file is missing or invalid.
    pub(crate) fn read(cargo_dir: &Path) -> Self {
        fs::read(Self::path(cargo_dir))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    pub(crate) fn write(&self, cargo_dir: &Path) -> Result<(), BuildError> {
        let path = Self::path(cargo_dir);
        let text = serde_json::to_vec(self)
            .map_err(|error| BuildError::io("write", &path, error.into()))?;
        write_atomically(&path, &text)
    }

    /// Touches each source whose content differs from the compiled one, so that cargo detects the change.
    pub(crate) fn show_changes(&self, inputs: &mut Inputs) -> Result<(), BuildError> {
        let mut is_any_shown = false;
        for (path, entry) in self.modules.values().flatten() {
            let content = inputs.content(path);
            let is_hidden = content.is_some()
                && content != entry.content
                && modified(path).is_some_and(|modified| nanoseconds(modified) <= entry.ran);
            if is_hidden {
                File::options()
                    .append(true)
                    .open(path)
                    .and_then(|file| file.set_modified(SystemTime::now()))
                    .map_err(|error| BuildError::io("set the modification time of", path, error))?;
                is_any_shown = true;
            }
        }
        if is_any_shown {
            // A source whose time is close to the start of cargo is not recorded, because it could still be changing.
            std::thread::sleep(2 * CLOCK_STEP);
        }
        Ok(())
    }

    /// Records the sources of the modules of a successful run of cargo.
    pub(crate) fn note(&mut self, modules: &[PathBuf], began: SystemTime, inputs: &mut Inputs) {
        let ran = nanoseconds(SystemTime::now());
        for module in modules {
            let sources = compiled_from(module).into_iter().map(|path| {
                let is_settled =
                    modified(&path).is_some_and(|modified| modified + CLOCK_STEP < began);
                let content = inputs.content(&path).filter(|_| is_settled);
                (path, Entry { content, ran })
            });
            self.modules.insert(module.clone(), sources.collect());
        }
    }

    /// Marks changed sources as unknown after a failed run of cargo, which may have compiled some of them.
    pub(crate) fn doubt(&mut self, inputs: &mut Inputs) {
        let ran = nanoseconds(SystemTime::now());
        for (path, entry) in self.modules.values_mut().flatten() {
            if inputs.content(path) != entry.content {
                *entry = Entry { content: None, ran };
            }
        }
    }

    fn path(cargo_dir: &Path) -> PathBuf {
        cargo_dir.join("compiled-modules.json")
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos())
}
