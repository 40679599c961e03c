//! On-disk cache of compiled interpreters.
//!
//! An interpreter is large, and nearly all of it is a memory image. Unlike guests in the other cache, it is mapped
//! instead of read, which takes a few milliseconds per process. Its content is not hashed. Instead, metadata of the
//! file system must show that the directory and the file are private to this user, and that the file was not changed
//! since it was written.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcpmark_snapshot::Digest;
use rustix::fs::OFlags;
use wasmtime::component::Component;
use wasmtime::{Engine, Precompiled};

use crate::cache::private;

/// Maximum number of interpreters that are kept.
const KEPT: usize = 4;
/// Prefix of the names of incomplete files, and the age at which they count as abandoned.
const NEW: &str = "new-";
const ABANDONED: Duration = Duration::from_secs(3600);
const CODE: &str = "cwasm";
const SEAL: &str = "seal";

#[derive(Debug)]
pub(crate) struct Artefacts {
    root: PathBuf,
    profile: String,
}

impl Artefacts {
    pub(crate) fn new(root: PathBuf, profile: String) -> Self {
        Self { root, profile }
    }

    fn path(&self, digest: &Digest, extension: &str) -> PathBuf {
        let name = format!("{}.{}.{extension}", digest.hex(), self.profile);
        self.root.join(name)
    }

    /// Opens the file of an interpreter if it exists, is private to this user, and was not changed.
    fn open(&self, digest: &Digest) -> Option<File> {
        let root = open(&self.root).ok()?;
        let metadata = root.metadata().ok()?;
        if !metadata.is_dir() || !private(&metadata) {
            return None;
        }
        let file = open(&self.path(digest, CODE)).ok()?;
        let metadata = file.metadata().ok()?;
        let sealed = fs::read_to_string(self.path(digest, SEAL)).ok()?;
        let whole = metadata.is_file() && private(&metadata) && sealed == seal(digest, &metadata);
        whole.then_some(file)
    }

    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.open(digest).is_some()
    }

    /// Maps the interpreter with this digest, if it is cached.
    pub(crate) fn get(&self, engine: &Engine, digest: &Digest) -> Option<Component> {
        let file = self.open(digest)?;
        // Map the file that was checked, even if its name now refers to another file.
        let path = if cfg!(target_os = "linux") {
            PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
        } else {
            self.path(digest, CODE)
        };
        map(engine, &path)
    }

    /// Stores an interpreter, and maps it from the cache.
    pub(crate) fn put(
        &self,
        engine: &Engine,
        digest: &Digest,
        artefact: &[u8],
    ) -> io::Result<Option<Component>> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.root)?;
        let code = tempfile::Builder::new()
            .prefix(NEW)
            .tempfile_in(&self.root)?;
        code.as_file().write_all(artefact)?;
        code.as_file().sync_all()?;
        let file = code.persist(self.path(digest, CODE))?;
        // Must be read after the rename, which changes the `ctime`.
        let text = seal(digest, &file.metadata()?);
        let mut sealed = tempfile::Builder::new()
            .prefix(NEW)
            .tempfile_in(&self.root)?;
        sealed.write_all(text.as_bytes())?;
        sealed.persist(self.path(digest, SEAL))?;
        self.forget()?;
        Ok(self.get(engine, digest))
    }

    /// Deletes all interpreters except the newest, and temporary files of processes that died.
    fn forget(&self) -> io::Result<()> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.root)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == CODE)
                && let Ok(metadata) = path.symlink_metadata()
            {
                kept.push((metadata.mtime(), metadata.mtime_nsec(), path));
            } else if is_abandoned(&path) {
                let _ = fs::remove_file(path);
            }
        }
        kept.sort();
        for (_, _, path) in kept.iter().rev().skip(KEPT) {
            // Another process may delete the same files.
            let _ = fs::remove_file(path.with_extension(SEAL));
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

/// Reports whether a file is temporary and so old that no process writes to it.
fn is_abandoned(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let age = path
        .symlink_metadata()
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|modified| modified.elapsed().ok());
    name.is_some_and(|name| name.starts_with(NEW)) && age.is_some_and(|age| age > ABANDONED)
}

/// Returns a record of the metadata that changes if the file is modified or replaced.
fn seal(digest: &Digest, metadata: &fs::Metadata) -> String {
    format!(
        "mcpmark interpreter 1\n{digest}\n{} bytes, inode {}, changed {}.{:09}\n",
        metadata.len(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits() as i32)
        .open(path)
}

#[allow(unsafe_code, reason = "wasmtime maps compiled code as it is")]
fn map(engine: &Engine, path: &Path) -> Option<Component> {
    if Engine::detect_precompiled_file(path).ok()? != Some(Precompiled::Component) {
        return None;
    }
    // SAFETY: the artefact was made by this user with this engine's compiler, and is in a directory that no other user
    // can enter. It differs from what this process wrote only if the user changed it and forged its seal. wasmtime
    // checks version and settings.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::SystemTime;

    use super::*;

    fn digest() -> Digest {
        Digest::of(b"interpreter")
    }

    fn kept() -> (tempfile::TempDir, Engine, Artefacts) {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::default();
        let artefacts = Artefacts::new(dir.path().join("interpreters"), "wasi-1".into());
        let empty = wat::parse_str("(component)").unwrap();
        let code = engine.precompile_component(&empty).unwrap();
        assert!(artefacts.put(&engine, &digest(), &code).unwrap().is_some());
        (dir, engine, artefacts)
    }

    #[test]
    fn a_cached_artefact_is_returned_until_it_is_touched() {
        let (_dir, engine, artefacts) = kept();
        assert!(artefacts.has(&digest()));
        assert!(artefacts.get(&engine, &digest()).is_some());
        assert!(!artefacts.has(&Digest::of(b"other")));

        let path = artefacts.path(&digest(), CODE);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole).unwrap();
        assert!(!artefacts.has(&digest()), "it was written to");
        artefacts.put(&engine, &digest(), &whole).unwrap();
        assert!(artefacts.has(&digest()));
        fs::copy(&path, artefacts.root.join("copy")).unwrap();
        fs::rename(artefacts.root.join("copy"), &path).unwrap();
        assert!(!artefacts.has(&digest()), "it is another file");
    }

    #[test]
    fn artefacts_that_others_may_write_are_not_taken() {
        let (_dir, _engine, artefacts) = kept();
        let mode = |mode| fs::Permissions::from_mode(mode);
        fs::set_permissions(&artefacts.root, mode(0o755)).unwrap();
        assert!(!artefacts.has(&digest()));
        fs::set_permissions(&artefacts.root, mode(0o700)).unwrap();
        assert!(artefacts.has(&digest()));
        fs::set_permissions(artefacts.path(&digest(), CODE), mode(0o666)).unwrap();
        assert!(!artefacts.has(&digest()));
    }

    #[test]
    fn the_newest_are_kept() {
        let (_dir, engine, artefacts) = kept();
        let code = fs::read(artefacts.path(&digest(), CODE)).unwrap();
        for number in 0..KEPT as u64 {
            let digest = Digest::of(&number.to_le_bytes());
            artefacts.put(&engine, &digest, &code).unwrap();
        }
        assert!(!artefacts.has(&digest()));
        assert_eq!(fs::read_dir(&artefacts.root).unwrap().count(), 2 * KEPT);
    }

    #[test]
    fn remains_of_dead_processes_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let artefacts = Artefacts::new(dir.path().to_owned(), "profile".to_owned());
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, modified) in [("new-a", Some(old)), ("new-b", None), ("other", Some(old))] {
            let file = fs::File::create(dir.path().join(name)).unwrap();
            if let Some(modified) = modified {
                file.set_modified(modified).unwrap();
            }
        }
        artefacts.forget().unwrap();
        let mut left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["new-b", "other"]);
    }
}
