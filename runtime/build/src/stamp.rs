//! Stamps: records of the inputs of built guests, which show whether a guest is up to date.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;
use serde::{Deserialize, Serialize};

use super::cargo::{Artifact, FLAGS, WRAPPER};
use super::component::{self, Stored, write_atomically};
use super::toolchain::{Kind, Toolchain};
use super::{BuildError, ToolchainChoice, environment};

/// Version of the format of stamps and of the build procedure. Increase it if either changes.
const FORMAT: u32 = 2;

/// Maximum lag of file modification times behind the system clock.
pub(crate) const CLOCK_STEP: Duration = Duration::from_millis(20);

/// Files that affect the build of a source if they exist in its directory or one of the ancestors.
const GOVERNING: &[&str] = &[
    "Cargo.toml",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Record of all inputs of a built guest, which shows whether another build could have a different result.
///
/// Sources and manifests are compared by content, so a new checkout is not a change. Files of the compiler are compared
/// by size and modification time, because they are large. Missing files are recorded too.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Stamp {
    format: u32,
    source: PathBuf,
    kind: Kind,
    flags: Vec<String>,
    environment: BTreeMap<String, Option<String>>,
    contents: BTreeMap<PathBuf, Option<Digest>>,
    marks: BTreeMap<PathBuf, Option<Mark>>,
    component: PathBuf,
    digest: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    size: u64,
    modified: u128,
}

/// Current environment variables and state of files. Each file is read once.
#[derive(Debug)]
pub(crate) struct Inputs {
    environment: BTreeMap<String, Option<String>>,
    contents: HashMap<PathBuf, Option<Digest>>,
    marks: HashMap<PathBuf, Option<Mark>>,
}

impl Inputs {
    pub(crate) fn now() -> Self {
        Self {
            environment: environment_now(),
            contents: HashMap::new(),
            marks: HashMap::new(),
        }
    }

    pub(crate) fn content(&mut self, path: &Path) -> Option<Digest> {
        if let Some(known) = self.contents.get(path) {
            return *known;
        }
        let digest = fs::read(path).ok().map(|bytes| Digest::of(&bytes));
        self.contents.insert(path.to_owned(), digest);
        digest
    }

    fn mark(&mut self, path: &Path) -> Option<Mark> {
        if let Some(known) = self.marks.get(path) {
            return *known;
        }
        let mark = fs::metadata(path).ok().and_then(|metadata| {
            let modified = metadata
                .modified()
                .ok()?
                .duration_since(UNIX_EPOCH)
                .ok()?
                .as_nanos();
            Some(Mark {
                size: metadata.len(),
                modified,
            })
        });
        self.marks.insert(path.to_owned(), mark);
        mark
    }
}

impl Stamp {
    /// Creates the stamp of `built`. Returns `None` if its inputs are unknown, because cargo left no list of sources or
    /// one of them may have changed after cargo started.
    pub(crate) fn new(
        artifact: &Artifact,
        root: &Path,
        toolchain: &Toolchain,
        built: &Stored,
        began: SystemTime,
        inputs: &mut Inputs,
    ) -> Option<Self> {
        let mut paths = sources(&artifact.module)?;
        if let Some(home) = environment::cargo_home() {
            // Sources from registries are pinned by Cargo.lock and never change in place.
            paths.retain(|path| !path.starts_with(&home));
            paths.extend(["config.toml", "config"].map(|name| home.join(name)));
        }
        let mut dirs: BTreeSet<PathBuf> = BTreeSet::new();
        for start in paths.iter().chain([
            &artifact.package_dir.join("Cargo.toml"),
            &root.join("Cargo.toml"),
        ]) {
            dirs.extend(start.ancestors().skip(1).map(Path::to_owned));
        }
        paths.extend(
            dirs.iter()
                .flat_map(|dir| GOVERNING.iter().map(|name| dir.join(name))),
        );
        paths.insert(root.join("Cargo.lock"));

        for path in &paths {
            if let Ok(modified) = fs::metadata(path).and_then(|metadata| metadata.modified())
                && modified + CLOCK_STEP >= began
            {
                return None;
            }
        }
        Some(Self {
            format: FORMAT,
            source: artifact.source.clone(),
            kind: toolchain.kind,
            flags: flags(),
            environment: inputs.environment.clone(),
            contents: paths
                .into_iter()
                .map(|path| (path.clone(), inputs.content(&path)))
                .collect(),
            marks: toolchain
                .marks
                .iter()
                .map(|path| (path.clone(), inputs.mark(path)))
                .collect(),
            component: built.path.clone(),
            digest: built.digest,
        })
    }

    /// Returns the component if none of its inputs has changed.
    pub(crate) fn current(&self, choice: ToolchainChoice, inputs: &mut Inputs) -> Option<Stored> {
        let holds = self.format == FORMAT
            && self.kind.allowed(choice)
            && self.flags == flags()
            && self.environment == inputs.environment
            && self
                .marks
                .iter()
                .all(|(path, mark)| inputs.mark(path) == *mark)
            && self
                .contents
                .iter()
                .all(|(path, digest)| inputs.content(path) == *digest);
        if holds {
            component::check(&self.component, &self.digest)
        } else {
            None
        }
    }

    /// Returns the compiled source files, without manifests and configuration files.
    pub(crate) fn sources(&self) -> Vec<PathBuf> {
        let paths = self.contents.keys().filter(|path| is_compiled(path));
        paths.cloned().collect()
    }

    /// Reads the stamp of a source in the current environment. Returns `None` if it does not exist or is invalid.
    pub(crate) fn read(dir: &Path, source: &Path, inputs: &Inputs) -> Option<Self> {
        let text = fs::read(Self::path(dir, source, &inputs.environment)).ok()?;
        let stamp: Self = serde_json::from_slice(&text).ok()?;
        (stamp.source == source).then_some(stamp)
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), BuildError> {
        let path = Self::path(dir, &self.source, &self.environment);
        let text = serde_json::to_vec(self)
            .map_err(|error| BuildError::io("write", &path, error.into()))?;
        write_atomically(&path, &text)
    }

    pub(crate) fn forget(dir: &Path, source: &Path, inputs: &Inputs) -> Result<(), BuildError> {
        let path = Self::path(dir, source, &inputs.environment);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(BuildError::io("remove", &path, error))
            }
            _ => Ok(()),
        }
    }

    /// Returns the path of a stamp. Each environment has its own stamps: `cargo run` selects the compiler by variables
    /// that are not set if the program is started directly, and users may alternate between both.
    fn path(dir: &Path, source: &Path, environment: &BTreeMap<String, Option<String>>) -> PathBuf {
        let full = std::path::absolute(source).unwrap_or_else(|_| source.to_owned());
        let mut digest = Digest::hasher();
        digest.update(full.as_os_str().as_encoded_bytes());
        digest.update(format!("\0{environment:?}").as_bytes());
        dir.join(format!("{}.json", digest.finish().hex()))
    }
}

fn flags() -> Vec<String> {
    let wrapper = Digest::of(WRAPPER.as_bytes()).to_string();
    FLAGS
        .iter()
        .map(|flag| (*flag).to_owned())
        .chain([wrapper])
        .collect()
}

fn environment_now() -> BTreeMap<String, Option<String>> {
    let value =
        |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let mut environment: BTreeMap<_, _> = environment::CHOOSING
        .iter()
        .map(|name| ((*name).to_owned(), value(name)))
        .collect();
    for program in ["cargo", "rustc"] {
        let found = environment::on_path(program).map(|path| path.to_string_lossy().into_owned());
        environment.insert(format!("which {program}"), found);
    }
    environment
}

/// Returns the source files of a module according to cargo, without those of registries and of the standard library.
pub(crate) fn compiled_from(module: &Path) -> Vec<PathBuf> {
    let home = environment::cargo_home();
    let mut paths = sources(module).unwrap_or_default();
    paths.retain(|path| {
        is_compiled(path) && !home.as_ref().is_some_and(|home| path.starts_with(home))
    });
    paths.into_iter().collect()
}

fn is_compiled(path: &Path) -> bool {
    let is_governing = ["Cargo.lock", "config.toml", "config"]
        .iter()
        .chain(GOVERNING)
        .any(|name| path.ends_with(name));
    !is_governing && !path.iter().any(|part| part == "rustlib")
}

/// Parses cargo's dep-info file of a module: `module: source source`, with escaped spaces.
fn sources(module: &Path) -> Option<BTreeSet<PathBuf>> {
    let text = fs::read_to_string(module.with_extension("d")).ok()?;
    let line = text.lines().next()?;
    let (_, list) = line.split_once(": ")?;
    let mut paths = BTreeSet::new();
    let mut path = String::new();
    let mut letters = list.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => path.extend(letters.next()),
            ' ' => {
                if !path.is_empty() {
                    paths.insert(PathBuf::from(std::mem::take(&mut path)));
                }
            }
            other => path.push(other),
        }
    }
    if !path.is_empty() {
        paths.insert(PathBuf::from(path));
    }
    (!paths.is_empty()).then_some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_in_dep_info_are_escaped() {
        let dir = tempfile::tempdir().unwrap();
        let module = dir.path().join("guest.wasm");
        assert_eq!(sources(&module), None);
        fs::write(
            dir.path().join("guest.d"),
            "/a\\ b/guest.wasm: /a\\ b/lib.rs /c/d.rs\n",
        )
        .unwrap();
        let expected = ["/a b/lib.rs", "/c/d.rs"].map(PathBuf::from);
        assert_eq!(sources(&module), Some(BTreeSet::from(expected)));
    }
}
