//! Packages that a release contains: those of the program and those of the guests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::{DistError, output};

/// Target of guests.
const GUEST_TARGET: &str = "wasm32-unknown-unknown";

/// Name and version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// Package of Rust.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub(crate) key: Key,
    pub(crate) version: String,
    pub(crate) description: String,
    /// SPDX expression.
    pub(crate) license: Option<String>,
    pub(crate) license_file: Option<PathBuf>,
    pub(crate) authors: Vec<String>,
    pub(crate) repository: Option<String>,
    pub(crate) dir: PathBuf,
    /// The package is not from this repository.
    pub(crate) is_foreign: bool,
}

/// Packages with their dependencies.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    program: Option<Package>,
    pub(crate) all: BTreeMap<Key, Package>,
    pub(crate) dependencies: BTreeMap<Key, BTreeSet<Key>>,
}

impl Packages {
    /// Reads the packages that the program and the guests of a repository consist of.
    pub(crate) fn of_release(root: &Path, target: &str) -> Result<Self, DistError> {
        let mut packages = Self::default();
        let program = packages.add(&root.join("Cargo.toml"), target, Some("mcpmark"))?;
        packages.program = program;
        for manifest in guest_workspaces(root)? {
            packages.add(&manifest, GUEST_TARGET, None)?;
        }
        Ok(packages)
    }

    /// Returns the package of the program.
    pub(crate) fn program(&self) -> &Package {
        let program = self.program.as_ref();
        program.expect("the constructor adds the program or fails")
    }

    /// Adds a package of a workspace, or all of its members, with everything that they depend on. Returns the named
    /// package.
    fn add(
        &mut self,
        manifest: &Path,
        target: &str,
        name: Option<&str>,
    ) -> Result<Option<Package>, DistError> {
        let metadata = Metadata::read(manifest, target)?;
        let by_id: BTreeMap<&str, &MetadataPackage> = metadata
            .packages
            .iter()
            .map(|package| (package.id.as_str(), package))
            .collect();
        let package = |id: &str| match by_id.get(id) {
            Some(package) => Ok(*package),
            None => Err(DistError::UnknownPackage(id.to_owned())),
        };
        let mut pending = Vec::new();
        for id in &metadata.workspace_members {
            if name.is_none_or(|name| package(id).is_ok_and(|it| it.name == name)) {
                pending.push(id.as_str());
            }
        }
        if pending.is_empty() {
            return Err(DistError::UnknownPackage(
                name.unwrap_or_default().to_owned(),
            ));
        }
        let first = name.is_some().then(|| package(pending[0])).transpose()?;
        let mut seen: BTreeSet<&str> = pending.iter().copied().collect();
        while let Some(id) = pending.pop() {
            let key = package(id)?.key();
            self.all
                .entry(key.clone())
                .or_insert_with_key(|_| by_id[id].to_package());
            let node = metadata.resolve.nodes.iter().find(|node| node.id == id);
            let dependencies = node.map_or(&[][..], |node| node.deps.as_slice());
            for dependency in dependencies.iter().filter(|it| it.is_linked()) {
                let of = self.dependencies.entry(key.clone()).or_default();
                of.insert(package(&dependency.pkg)?.key());
                if seen.insert(&dependency.pkg) {
                    pending.push(&dependency.pkg);
                }
            }
        }
        Ok(first.map(MetadataPackage::to_package))
    }
}

/// Returns the manifests of the workspaces whose packages are compiled into the components of the tasks. A service can
/// have a workspace of its own.
fn guest_workspaces(root: &Path) -> Result<Vec<PathBuf>, DistError> {
    let tasks = root.join("tasks");
    let failed = |e| DistError::read(&tasks, e);
    let mut manifests = vec![tasks.join("Cargo.toml")];
    for entry in fs::read_dir(&tasks).map_err(failed)? {
        let manifest = entry.map_err(failed)?.path().join("Cargo.toml");
        if manifest.is_file() {
            manifests.push(manifest);
        }
    }
    manifests.sort();
    Ok(manifests)
}

/// Output of `cargo metadata`.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct MetadataPackage {
    id: String,
    name: String,
    version: String,
    description: Option<String>,
    license: Option<String>,
    license_file: Option<PathBuf>,
    authors: Vec<String>,
    repository: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
struct DependencyKind {
    /// `build`, `dev`, or nothing for what is linked.
    kind: Option<String>,
}

impl Metadata {
    fn read(manifest: &Path, target: &str) -> Result<Self, DistError> {
        let text = output(
            Command::new("cargo")
                .args(["metadata", "--format-version", "1", "--locked"])
                .args(["--filter-platform", target])
                .arg("--manifest-path")
                .arg(manifest),
        )?;
        serde_json::from_str(&text).map_err(|source| DistError::Metadata {
            manifest: manifest.to_owned(),
            source,
        })
    }
}

impl MetadataPackage {
    fn key(&self) -> Key {
        Key {
            name: self.name.clone(),
            version: self.version.clone(),
        }
    }

    fn to_package(&self) -> Package {
        let dir = self.manifest_path.parent().unwrap_or(Path::new("."));
        Package {
            key: self.key(),
            version: self.version.clone(),
            description: self.description.clone().unwrap_or_default(),
            license: self.license.clone(),
            license_file: self.license_file.as_ref().map(|file| dir.join(file)),
            authors: self.authors.clone(),
            repository: self.repository.clone(),
            dir: dir.to_owned(),
            is_foreign: self.source.is_some(),
        }
    }
}

impl Dependency {
    /// Returns true if it is not needed only by build scripts or tests.
    fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|it| it.kind.is_none())
    }
}
