//! Compiled guests on disk.
//!
//! Compiled code is trusted code: it runs with no check once it is mapped. So the
//! directory is private to the user, each file carries the digest of its content,
//! and whatever does not fit is compiled anew.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;

#[derive(Debug)]
pub(crate) struct Cache {
    dir: PathBuf,
}

impl Cache {
    pub(crate) fn new(root: PathBuf, profile: &str) -> Self {
        Self {
            dir: root.join(profile),
        }
    }

    fn path(&self, component: &Digest) -> PathBuf {
        self.dir.join(format!("{}.cwasm", component.hex()))
    }

    /// The artefact of a component, if it is there, whole, and ours.
    pub(crate) fn get(&self, component: &Digest) -> Option<Vec<u8>> {
        private(&self.dir).ok()?;
        let mut content = fs::read(self.path(component)).ok()?;
        let artefact = content.split_off_checked(32)?;
        (Digest::of(&artefact).as_bytes() == content.as_slice()).then_some(artefact)
    }

    /// Keeps an artefact. A cache that cannot be written to costs time and nothing else.
    pub(crate) fn put(&self, component: &Digest, artefact: &[u8]) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)?;
        private(&self.dir)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.dir)?;
        file.write_all(Digest::of(artefact).as_bytes())?;
        file.write_all(artefact)?;
        file.persist(self.path(component))
            .map_err(|error| error.error)?;
        Ok(())
    }
}

trait SplitOffChecked {
    fn split_off_checked(&mut self, at: usize) -> Option<Self>
    where
        Self: Sized;
}

impl SplitOffChecked for Vec<u8> {
    fn split_off_checked(&mut self, at: usize) -> Option<Self> {
        (self.len() > at).then(|| self.split_off(at))
    }
}

/// Refuses a directory that somebody else owns or may write to.
fn private(dir: &Path) -> io::Result<()> {
    let metadata = File::open(dir)?.metadata()?;
    let owner = rustix::process::geteuid().as_raw();
    if metadata.uid() != owner || metadata.permissions().mode() & 0o077 != 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} is not private to this user", dir.display()),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_private_artefacts_come_back() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().join("guests"), "x86_64-1");
        let key = Digest::of(b"component");
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"code").unwrap();
        assert_eq!(cache.get(&key).as_deref(), Some(&b"code"[..]));

        let path = cache.path(&key);
        let whole = fs::read(&path).unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[..31], b""] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.get(&key), None);
        }

        fs::write(&path, &whole).unwrap();
        assert!(cache.get(&key).is_some());
        fs::set_permissions(&cache.dir, fs::Permissions::from_mode(0o750)).unwrap();
        assert_eq!(cache.get(&key), None);
        assert!(cache.put(&key, b"code").is_err());
    }
}
