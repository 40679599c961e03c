//! Detection of changed sources that cargo misses. Cargo compares modification times, so it considers a source
//! unchanged if its content is replaced and its modification time is old, for example by an archive or a copy that
//! preserves times.
//!
//! Therefore the digest of each compiled source is recorded. Before the next run of cargo, a source with another digest
//! and a time that would hide the change is touched: its modification time is set to now.
//!
//! Libraries share a target directory, and two things of theirs can have the same name there. Cargo identifies a package
//! by its name, version and path *within its workspace*, so tasks at the same path share fingerprints; and the module of
//! a guest is named after its target alone. Cargo would take a guest of one library for that of the other. So each name
//! has an owner, the workspace that compiled it last. For another workspace, the fingerprints are removed, and cargo
//! compiles the package again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use super::component::write_atomically;
use super::stamp::{CLOCK_STEP, Inputs, compiled_from};
use super::{BuildError, TARGET};

/// Digests of the sources from which each module was compiled in one of cargo's target directories. They are recorded by
/// module, because a run of cargo compiles only some of the modules that share a source.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Compiled {
    modules: BTreeMap<PathBuf, BTreeMap<PathBuf, Entry>>,
    /// Root of the workspace that last compiled something with a name, by the names of packages and targets.
    #[serde(default)]
    owners: BTreeMap<String, PathBuf>,
}

/// Names of a member of a workspace in a target directory.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    /// Name of the package.
    pub(crate) package: &'a str,
    /// Names of its targets.
    pub(crate) targets: Vec<&'a str>,
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

    /// Makes the workspace at `root` the owner of its members. Cargo will compile those again that another workspace
    /// owns.
    ///
    /// All members must be claimed, not only those with requested guests: they may depend on each other.
    pub(crate) fn claim<'a>(
        &mut self,
        root: &Path,
        members: impl IntoIterator<Item = Member<'a>>,
        cargo_dir: &Path,
    ) -> Result<(), BuildError> {
        let mut foreign = BTreeSet::new();
        for member in members {
            for name in member.targets.into_iter().chain([member.package]) {
                let owner = self.owners.get(name);
                if owner.is_none_or(|owner| owner != root) {
                    foreign.insert(member.package);
                    self.owners.insert(name.to_owned(), root.to_owned());
                }
            }
        }
        if foreign.is_empty() {
            return Ok(());
        }
        remove_fingerprints(&foreign, cargo_dir)?;
        // Only now: if the removal is interrupted, the next build must repeat it.
        self.write(cargo_dir)
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

/// Removes cargo's fingerprints of packages with these names: those of guests, and those of build scripts and macros,
/// which are compiled for the host. Without a fingerprint, cargo compiles a package again.
fn remove_fingerprints(names: &BTreeSet<&str>, cargo_dir: &Path) -> Result<(), BuildError> {
    for profile in [cargo_dir.join(TARGET), cargo_dir.to_owned()] {
        remove_fingerprints_in(&profile.join("release/.fingerprint"), names)?;
    }
    Ok(())
}

fn remove_fingerprints_in(dir: &Path, names: &BTreeSet<&str>) -> Result<(), BuildError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(BuildError::io("read", dir, error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| BuildError::io("read", dir, error))?;
        // The name of a directory is that of the package, a hyphen and a hash.
        let file_name = entry.file_name();
        let package = file_name.to_str().and_then(|name| name.rsplit_once('-'));
        if package.is_some_and(|(package, _)| names.contains(package)) {
            let path = entry.path();
            fs::remove_dir_all(&path).map_err(|error| BuildError::io("remove", &path, error))?;
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprints(cargo_dir: &Path) -> Vec<String> {
        let dir = cargo_dir.join(TARGET).join("release/.fingerprint");
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn packages_of_another_workspace_lose_their_fingerprints() {
        let dir = tempfile::tempdir().unwrap();
        let cargo_dir = dir.path();
        for name in ["filing-0123456789abcdef", "filing-box-0123456789abcdef"] {
            let path = cargo_dir
                .join(TARGET)
                .join("release/.fingerprint")
                .join(name);
            fs::create_dir_all(path).unwrap();
        }
        let claim = |root: &str, package: &'static str| {
            let member = Member {
                package,
                targets: vec!["solution"],
            };
            let mut compiled = Compiled::read(cargo_dir);
            compiled
                .claim(Path::new(root), [member], cargo_dir)
                .unwrap();
        };

        // An unknown owner counts as another workspace.
        claim("/one", "filing");
        assert_eq!(fingerprints(cargo_dir), ["filing-box-0123456789abcdef"]);

        let path = cargo_dir.join(TARGET).join("release/.fingerprint");
        let path = path.join("filing-fedcba9876543210");
        fs::create_dir(&path).unwrap();
        claim("/one", "filing");
        assert!(path.exists());
        claim("/two", "filing");
        assert!(!path.exists());

        // Another package of the first workspace has a target of the same name.
        claim("/one", "other");
        fs::create_dir(&path).unwrap();
        claim("/two", "filing");
        assert!(!path.exists());
    }
}
