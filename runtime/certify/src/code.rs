//! What the guests of a task are compiled of beyond its directory.
//!
//! Verifiers take rules from beside their tasks and helpers from the SDK, so a certificate that
//! were bound to the directory alone would outlive a change of the code that judges. All of these
//! sources count by their bytes, a comment included: what makes no difference cannot be told
//! without compiling, and to renew all certificates takes minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use mcpmark_task::build::Built;
use mcpmark_task::{GuestSource, Library, Task};

/// The code of a task's guests.
#[derive(Debug)]
pub(crate) struct Code {
    /// Of the sources outside of the task's directory, and of the versions that registries gave.
    pub(crate) digest: Digest,
    /// Sources of both the verifier and the solution, the SDK's aside, as paths in the library.
    pub(crate) shared: Vec<String>,
}

/// Reads what the guests of a task were compiled from.
pub(crate) fn code(library: &Library, task: &Task, guests: &[Built]) -> io::Result<Code> {
    let (root, dir) = (canonical(&library.root), canonical(&task.dir));
    let mut sources: BTreeMap<PathBuf, BTreeSet<&GuestSource>> = BTreeMap::new();
    for guest in guests {
        for path in &guest.compiled_from {
            let users = sources.entry(canonical(path)).or_default();
            users.insert(&guest.source);
        }
    }
    // A library may lie anywhere beside the SDK, so what is not in it goes by its name.
    let name = |path: &Path| {
        let inside = path.strip_prefix(&root).ok();
        let name = inside.or_else(|| path.file_name().map(Path::new));
        name.unwrap_or(path).to_string_lossy().into_owned()
    };
    let mut parts = BTreeSet::new();
    for path in sources.keys().filter(|path| !path.starts_with(&dir)) {
        parts.insert((name(path), Digest::of(&fs::read(path)?).to_string()));
    }
    for lock in guests.iter().filter_map(|guest| lock_file(&guest.source)) {
        for package in registry_packages(&fs::read_to_string(lock)?) {
            parts.insert(package);
        }
    }
    let mut digest = Digest::hasher();
    for (name, content) in &parts {
        digest.update(format!("{name}\0{content}\n").as_bytes());
    }
    let world = dir.parent().unwrap_or(&dir);
    let is_shared = |users: &BTreeSet<&GuestSource>| {
        let solution = task.solution.as_ref();
        users.contains(&task.verifier) && solution.is_some_and(|guest| users.contains(guest))
    };
    let shared = sources
        .iter()
        .filter(|(path, users)| path.starts_with(world) && is_shared(users))
        .map(|(path, _)| name(path));
    Ok(Code {
        digest: digest.finish(),
        shared: shared.collect(),
    })
}

/// The lock file that the package of a guest is built with.
fn lock_file(guest: &GuestSource) -> Option<PathBuf> {
    let GuestSource::Rust { package_dir, .. } = guest else {
        return None;
    };
    let manifest = fs::read_to_string(package_dir.join("Cargo.toml"));
    // The workspace that a package names may lie anywhere, and there may be another lock above the package.
    if let Some(workspace) = manifest.ok().as_deref().and_then(named_workspace) {
        return Some(package_dir.join(workspace).join("Cargo.lock"));
    }
    let mut locks = package_dir.ancestors().map(|dir| dir.join("Cargo.lock"));
    locks.find(|lock| lock.is_file())
}

/// The key `package.workspace` of a manifest.
fn named_workspace(manifest: &str) -> Option<String> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let workspace = manifest.get("package")?.get("workspace")?;
    workspace.as_str().map(str::to_owned)
}

/// The packages of a lock file that come from elsewhere, each with its version and checksum. The
/// members of the workspace do not count: another task would change them.
fn registry_packages(lock: &str) -> impl Iterator<Item = (String, String)> {
    lock.split("[[package]]").filter_map(|entry| {
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_matches(['"', ' ', '=']).to_owned())
        };
        value("source ")?;
        let checksum = value("checksum ").unwrap_or_default();
        Some((
            value("name ")?,
            format!("{} {checksum}", value("version ")?),
        ))
    })
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_locked_by_the_workspace_that_it_names() {
        let home = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = home.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("Cargo.lock", "");
        write("tasks/Cargo.lock", "");
        write("tasks/a/Cargo.toml", "[package]\nname = \"a\"\n");
        write(
            "worlds/b/Cargo.toml",
            "[package]\nname = \"b\"\nworkspace = \"../../tasks\"\n",
        );
        for package in ["tasks/a", "worlds/b"] {
            let package_dir = home.path().join(package);
            let guest = GuestSource::Rust {
                source: package_dir.join("lib.rs"),
                package_dir,
            };
            let lock = lock_file(&guest).unwrap();
            assert_eq!(
                canonical(&lock),
                canonical(&home.path().join("tasks/Cargo.lock"))
            );
        }
    }

    #[test]
    fn packages_of_registries_are_read_from_a_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\
                    dependencies = [\n \"jiff\",\n]\n\n[[package]]\nname = \"jiff\"\n\
                    version = \"0.2.1\"\nsource = \"registry+https://example.org\"\n\
                    checksum = \"abc\"\ndependencies = [\n \"x\",\n]\n";
        let found: Vec<_> = registry_packages(lock).collect();
        assert_eq!(found, [("jiff".to_owned(), "0.2.1 abc".to_owned())]);
    }
}
