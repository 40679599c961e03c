//! Digest of the code outside a task's directory that its guests are compiled from.
//!
//! Verifiers use rules from sources next to their tasks and helpers from the SDK. If a certificate were bound only to
//! the task's directory, it would remain valid after a change of that code. The digest covers all bytes of these
//! sources, including comments: only a compilation could tell whether a change matters, and renewing all certificates
//! takes minutes.
//!
//! The sources of cheats and variants are not part of it, so that they need not be built to find out whether a
//! certificate holds. They must not use other sources outside of the task's directory, which [`uncovered`] tests. The
//! lock files of their packages are part of it, which takes no build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcpmark_build::Built;
use mcpmark_snapshot::Digest;
use mcpmark_task::{GuestSource, Library, Task};

/// Code that a certificate is bound to.
#[derive(Debug)]
pub(crate) struct Code {
    /// Digest of the sources of the guests outside the task's directory, and of the versions of packages from
    /// registries.
    pub(crate) digest: Digest,
    /// Sources that both the verifier and the solution use, as paths in the library. Only those in the parent of the
    /// task's directory or below it are listed, so the SDK is not.
    pub(crate) shared: Vec<String>,
}

/// Reads the sources that the verifier and the solution of a task and the guests of its world were compiled from, and
/// the lock files of these guests, of the cheats and of the variants.
pub(crate) fn code(library: &Library, task: &Task, guests: &[Built]) -> io::Result<Code> {
    let (root, dir) = (canonical(&library.root), canonical(&task.dir));
    let mut sources: BTreeMap<PathBuf, BTreeSet<&GuestSource>> = BTreeMap::new();
    for guest in guests {
        for path in &guest.compiled_from {
            let users = sources.entry(canonical(path)).or_default();
            users.insert(&guest.source);
        }
    }
    // The position of the library relative to the SDK is not fixed, so files outside the library are identified by name
    // only.
    let name = |path: &Path| {
        let inside = path.strip_prefix(&root).ok();
        let name = inside.or_else(|| path.file_name().map(Path::new));
        name.unwrap_or(path).to_string_lossy().into_owned()
    };
    let mut parts = BTreeSet::new();
    for path in sources.keys().filter(|path| !path.starts_with(&dir)) {
        parts.insert((name(path), Digest::of(&fs::read(path)?).to_string()));
    }
    let built = guests.iter().map(|guest| &guest.source);
    parts.extend(locked_packages(built.chain(task.only_certified()))?);
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

/// Returns the sources of cheats and variants that a certificate would not be bound to: those outside the task's
/// directory that no other guest is compiled from, as paths in the library.
pub(crate) fn uncovered<'a>(
    library: &Path,
    task: &Path,
    cheats: impl IntoIterator<Item = &'a PathBuf>,
    others: impl IntoIterator<Item = &'a PathBuf>,
) -> Vec<String> {
    let (root, dir) = (canonical(library), canonical(task));
    let covered: BTreeSet<PathBuf> = others.into_iter().map(|path| canonical(path)).collect();
    let used: BTreeSet<PathBuf> = cheats.into_iter().map(|path| canonical(path)).collect();
    used.difference(&covered)
        .filter(|path| !path.starts_with(&dir))
        .map(|path| {
            path.strip_prefix(&root)
                .unwrap_or(path)
                .display()
                .to_string()
        })
        .collect()
}

/// Returns the external packages of the lock files that apply to guests.
fn locked_packages<'a>(
    guests: impl IntoIterator<Item = &'a GuestSource>,
) -> io::Result<BTreeSet<(String, String)>> {
    let locks: BTreeSet<PathBuf> = guests.into_iter().filter_map(lock_file).collect();
    let mut packages = BTreeSet::new();
    for lock in locks {
        packages.extend(registry_packages(&fs::read_to_string(lock)?));
    }
    Ok(packages)
}

/// Returns the lock file that applies to the package of a guest. `None` if the package was never built and has none.
fn lock_file(guest: &GuestSource) -> Option<PathBuf> {
    let GuestSource::Rust { package_dir, .. } = guest else {
        return None;
    };
    let manifest = fs::read_to_string(package_dir.join("Cargo.toml"));
    // The manifest may name a workspace elsewhere, although there is another lock file in a parent directory.
    if let Some(workspace) = manifest.ok().as_deref().and_then(named_workspace) {
        let lock = package_dir.join(workspace).join("Cargo.lock");
        return lock.is_file().then_some(lock);
    }
    let mut locks = package_dir.ancestors().map(|dir| dir.join("Cargo.lock"));
    locks.find(|lock| lock.is_file())
}

/// Returns the key `package.workspace` of a manifest.
fn named_workspace(manifest: &str) -> Option<String> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let workspace = manifest.get("package")?.get("workspace")?;
    workspace.as_str().map(str::to_owned)
}

/// Returns the external packages of a lock file, each with its version and checksum. Members of the workspace are left
/// out, because other tasks would change them.
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
    fn packages_of_a_cheat_count_although_the_verifier_is_a_component() {
        let task = tempfile::tempdir().unwrap();
        fs::write(
            task.path().join("Cargo.lock"),
            "[[package]]\nname = \"jiff\"\nversion = \"0.2.1\"\nsource = \"registry+https://example.org\"\n",
        )
        .unwrap();
        let verifier = GuestSource::Wasm(task.path().join("verifier.wasm"));
        let cheat = GuestSource::Rust {
            source: task.path().join("cheats/x.rs"),
            package_dir: task.path().to_owned(),
        };
        assert!(locked_packages([&verifier]).unwrap().is_empty());
        let packages = locked_packages([&verifier, &cheat, &cheat]).unwrap();
        let jiff = ("jiff".to_owned(), "0.2.1 ".to_owned());
        assert_eq!(packages, BTreeSet::from([jiff]));
        // A workspace without a lock file was never built.
        let manifest = "[package]\nname = \"a\"\nworkspace = \"../none\"\n";
        fs::write(task.path().join("Cargo.toml"), manifest).unwrap();
        assert!(locked_packages([&cheat]).unwrap().is_empty());
    }

    #[test]
    fn sources_of_cheats_are_covered_by_the_task_and_its_other_guests() {
        let library = tempfile::tempdir().unwrap();
        let task = library.path().join("tasks/a/b/c");
        let files = [
            "c/play.rs",
            "c/cheats/x.rs",
            "lab.rs",
            "other.rs",
            "c-2/play.rs",
        ];
        let files = files.map(|name| library.path().join("tasks/a/b").join(name));
        for file in &files {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let sdk = PathBuf::from("/guest-sdk/src/lib.rs");
        let cheats = || files.iter().chain([&sdk]);
        // Paths of cargo are not always in canonical form.
        let others = [task.join("../lab.rs"), sdk.clone()];
        assert_eq!(
            uncovered(library.path(), &task, cheats(), &others),
            ["tasks/a/b/c-2/play.rs", "tasks/a/b/other.rs"]
        );
        assert!(uncovered(library.path(), &task, &files[..3], &others).is_empty());
        assert_eq!(
            uncovered(library.path(), &task, cheats(), &files),
            ["/guest-sdk/src/lib.rs"]
        );
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
