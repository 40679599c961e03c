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

/// Changed when stamps mean something else, or when the way of building does.
const FORMAT: u32 = 1;

/// How far the clock of a file system may lie behind the system's.
pub(crate) const CLOCK_STEP: Duration = Duration::from_millis(20);

/// Files beside or above a source that decide how it is built, where they exist.
const GOVERNING: &[&str] = &[
    "Cargo.toml",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Everything a guest was built from, to see later whether building it again could give anything else.
///
/// Sources and manifests count by content, so that a new checkout is no change; files of the compiler count
/// by size and time, because they are large. A file that was not there counts too.
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

/// Files as they are now, each read once.
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
    /// What `built` was made from; none where that cannot be told, because cargo left no list of
    /// sources or because one of them changed after cargo began.
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
            // What registries gave is fixed by Cargo.lock and never changed in place.
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

    /// The component, if nothing it was made from has changed.
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

    /// The files that were compiled, without what only governs how.
    pub(crate) fn sources(&self) -> Vec<PathBuf> {
        let paths = self.contents.keys().filter(|path| is_compiled(path));
        paths.cloned().collect()
    }

    /// The stamp of a source in this environment, if there is one that can be read.
    pub(crate) fn read(dir: &Path, source: &Path, inputs: &Inputs) -> Option<Self> {
        let text = fs::read(Self::path(dir, source, &inputs.environment)).ok()?;
        let stamp: Self = serde_json::from_slice(&text).ok()?;
        (stamp.source == source).then_some(stamp)
    }

    pub(crate) fn write(&self, dir: &Path) -> Result<(), BuildError> {
        let path = Self::path(dir, &self.source, &self.environment);
        let text = serde_json::to_vec(self)
            .map_err(|error| BuildError::io("writing", &path, error.into()))?;
        write_atomically(&path, &text)
    }

    pub(crate) fn forget(dir: &Path, source: &Path, inputs: &Inputs) -> Result<(), BuildError> {
        let path = Self::path(dir, source, &inputs.environment);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(BuildError::io("removing", &path, error))
            }
            _ => Ok(()),
        }
    }

    /// Each environment has a stamp of its own: `cargo run` chooses the compiler by variables that
    /// are not set where the program is started by itself, and both may be used in turn.
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

/// The files that cargo says the module was compiled from, without those of registries and of the
/// standard library.
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

/// The files that cargo says the module was made from: `module: source source`, spaces escaped.
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
