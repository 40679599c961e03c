//! What cargo cannot see: it goes by times, so a source that gets other content with an old time,
//! as from an archive or a copy that keeps times, is to it what it compiled before.
//!
//! So it is noted with what content each source was compiled. Before the next run, a source whose
//! content is another and whose time would hide that gets the time of now.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use super::BuildError;
use super::component::write_atomically;
use super::stamp::{CLOCK_STEP, Inputs, compiled_from};

/// The sources that lie compiled in one of cargo's directories.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Compiled {
    sources: BTreeMap<PathBuf, Entry>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Entry {
    /// None where it cannot be told, which is like another content.
    content: Option<Digest>,
    /// When the run of cargo was over, in nanoseconds since 1970.
    ran: u128,
}

impl Compiled {
    /// What is noted in a directory of cargo's; nothing where there is no note.
    pub(crate) fn read(cargo_dir: &Path) -> Self {
        fs::read(Self::path(cargo_dir))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    pub(crate) fn write(&self, cargo_dir: &Path) -> Result<(), BuildError> {
        let path = Self::path(cargo_dir);
        let text = serde_json::to_vec(self)
            .map_err(|error| BuildError::io("writing", &path, error.into()))?;
        write_atomically(&path, &text)
    }

    /// Lets cargo see each source that has another content than it compiled.
    pub(crate) fn show_changes(&self, inputs: &mut Inputs) -> Result<(), BuildError> {
        let mut is_any_shown = false;
        for (path, entry) in &self.sources {
            let content = inputs.content(path);
            let is_hidden = content.is_some()
                && content != entry.content
                && modified(path).is_some_and(|modified| nanoseconds(modified) <= entry.ran);
            if is_hidden {
                File::options()
                    .append(true)
                    .open(path)
                    .and_then(|file| file.set_modified(SystemTime::now()))
                    .map_err(|error| BuildError::io("dating", path, error))?;
                is_any_shown = true;
            }
        }
        if is_any_shown {
            // A source as young as the run of cargo could still be changing.
            std::thread::sleep(2 * CLOCK_STEP);
        }
        Ok(())
    }

    /// Takes note of a run of cargo that made these modules.
    pub(crate) fn note(&mut self, modules: &[PathBuf], began: SystemTime, inputs: &mut Inputs) {
        let ran = nanoseconds(SystemTime::now());
        for path in modules.iter().flat_map(|module| compiled_from(module)) {
            let is_settled = modified(&path).is_some_and(|modified| modified + CLOCK_STEP < began);
            let content = inputs.content(&path).filter(|_| is_settled);
            self.sources.insert(path, Entry { content, ran });
        }
    }

    /// Takes note of a run of cargo that failed, and may have compiled some of what changed.
    pub(crate) fn doubt(&mut self, inputs: &mut Inputs) {
        let ran = nanoseconds(SystemTime::now());
        for (path, entry) in &mut self.sources {
            if inputs.content(path) != entry.content {
                *entry = Entry { content: None, ran };
            }
        }
    }

    fn path(cargo_dir: &Path) -> PathBuf {
        cargo_dir.join("compiled.json")
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
