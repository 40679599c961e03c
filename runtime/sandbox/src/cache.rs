//! On-disk cache of compiled guests.
//!
//! Compiled code is trusted: it runs without checks once it is mapped. Therefore the directory is private to the user
//! and only accessed through one open handle. Each file must be owned by the user and private, and has a digest of its
//! profile, component and content. A file that does not match is compiled again. Processes share the directory without
//! waiting for each other: a file appears complete or not at all, and a deleted file stays readable for processes that
//! have it open.

use std::ffi::CString;
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use mcpmark_snapshot::Digest;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

#[derive(Debug)]
pub(crate) struct Cache {
    root: PathBuf,
    profile: String,
    most_bytes: u64,
}

const MAGIC: &[u8; 16] = b"mcpmark guest 1\n";
const SUFFIX: &str = ".cwasm";
const TEMPORARY: &str = "new-";
const LOCK: &str = "lock";
/// Age at which a temporary file counts as left by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

impl Cache {
    pub(crate) fn new(root: PathBuf, profile: String, most_bytes: u64) -> Self {
        Self {
            root,
            profile,
            most_bytes,
        }
    }

    fn name(&self, component: &Digest) -> String {
        format!("{}.{}{SUFFIX}", component.hex(), self.profile)
    }

    /// Returns a digest that binds the content of a file to its profile and component.
    fn seal(&self, component: &Digest, artefact: &[u8]) -> [u8; 32] {
        Sha256::new()
            .chain_update(MAGIC)
            .chain_update((self.profile.len() as u64).to_le_bytes())
            .chain_update(&self.profile)
            .chain_update(component.as_bytes())
            .chain_update(artefact)
            .finalize()
            .into()
    }

    /// Returns the artefact of a component if the file exists, is complete, and is private to this user.
    pub(crate) fn get(&self, component: &Digest) -> Option<Vec<u8>> {
        let dir = self.open().ok()?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&dir, self.name(component), flags, Mode::empty()).ok()?;
        let mut file = File::from(file);
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !private(&metadata) {
            return None;
        }
        let mut header = [0; MAGIC.len() + 32];
        file.read_exact(&mut header).ok()?;
        let mut artefact = Vec::new();
        artefact
            .try_reserve_exact(usize::try_from(metadata.len()).ok()?)
            .ok()?;
        file.read_to_end(&mut artefact).ok()?;
        let (magic, seal) = header.split_at(MAGIC.len());
        if magic != MAGIC || seal != self.seal(component, &artefact) {
            return None;
        }
        // Records the last use. If this fails, the file is only evicted too early.
        let _ = file.set_modified(SystemTime::now());
        Some(artefact)
    }

    /// Stores an artefact, and evicts those that were used least recently.
    pub(crate) fn put(&self, component: &Digest, artefact: &[u8]) -> io::Result<()> {
        let size = (MAGIC.len() + 32 + artefact.len()) as u64;
        if size > self.most_bytes {
            return Ok(());
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.root)?;
        let dir = self.open()?;
        let (temporary, mut file) = create(&dir)?;
        let name = self.name(component);
        let kept = file
            .write_all(MAGIC)
            .and_then(|()| file.write_all(&self.seal(component, artefact)))
            .and_then(|()| file.write_all(artefact))
            // The time stamp that the kernel sets is coarser than those of uses, and would sort before them.
            .and_then(|()| file.set_modified(SystemTime::now()))
            .and_then(|()| Ok(renameat(&dir, &temporary, &dir, &name)?));
        if kept.is_err() {
            let _ = unlinkat(&dir, &temporary, AtFlags::empty());
        }
        kept.and_then(|()| self.evict(&dir, &name))
    }

    /// Opens the directory. Refuses it if another user owns it or has access to it.
    fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = File::from(rustix::fs::open(&self.root, flags, Mode::empty())?);
        if !private(&dir.metadata()?) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("{} is not private to this user", self.root.display()),
            ));
        }
        Ok(dir)
    }

    /// Deletes the least recently used artefacts except `newest` until the rest fits.
    fn evict(&self, dir: &File, newest: &str) -> io::Result<()> {
        let lock = openat(
            dir,
            LOCK,
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::RUSR | Mode::WUSR,
        )?;
        let lock = File::from(lock);
        match lock.try_lock() {
            Ok(()) => {}
            // Another process is evicting, with the same result.
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut kept = Vec::new();
        let mut total: u64 = 0;
        for entry in Dir::read_from(dir)? {
            let name = entry?.file_name().to_owned();
            let Ok(stat) = statat(dir, &name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                continue;
            }
            let used = (stat.st_mtime, stat.st_mtime_nsec);
            if name.to_bytes().starts_with(TEMPORARY.as_bytes()) {
                if abandoned(used.0) {
                    remove(dir, &name)?;
                }
            } else if name.to_bytes().ends_with(SUFFIX.as_bytes()) {
                let size = u64::try_from(stat.st_size).unwrap_or_default();
                total += size;
                kept.push((used, name, size));
            }
        }
        kept.sort();
        for (_, name, size) in kept {
            if total <= self.most_bytes {
                break;
            }
            if name.to_bytes() != newest.as_bytes() {
                remove(dir, &name)?;
                total -= size;
            }
        }
        Ok(())
    }
}

pub(crate) fn private(metadata: &std::fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o077 == 0
}

fn abandoned(modified: i64) -> bool {
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(modified.max(0) as u64);
    modified.elapsed().is_ok_and(|age| age > ABANDONED)
}

/// Creates a temporary file with a unique name.
fn create(dir: &File) -> io::Result<(String, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMPORARY}{}-{number}", std::process::id());
        match openat(dir, &name, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => return Ok((name, File::from(file))),
            // The file was left by an earlier process with the same id.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn remove(dir: &File, name: &CString) -> io::Result<()> {
    match unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    fn cache(root: &Path, most_bytes: u64) -> Cache {
        Cache::new(root.join("guests"), "pulley-1".into(), most_bytes)
    }

    fn key(number: u64) -> Digest {
        Digest::of(&number.to_le_bytes())
    }

    #[test]
    fn only_whole_private_artefacts_come_back() {
        let root = tempfile::tempdir().unwrap();
        let cache = cache(root.path(), 1 << 20);
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), b"code").unwrap();
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&b"code"[..]));

        let path = cache.root.join(cache.name(&key(1)));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert_eq!(cache.get(&key(1)), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.get(&key(1)), None, "{at} bytes");
        }
        fs::write(&path, &whole).unwrap();
        assert!(cache.get(&key(1)).is_some());

        // An artefact for another component or another engine is not accepted.
        fs::copy(&path, cache.root.join(cache.name(&key(2)))).unwrap();
        assert_eq!(cache.get(&key(2)), None);
        let other = Cache::new(cache.root.clone(), "pulley-2".into(), 1 << 20);
        fs::copy(&path, cache.root.join(other.name(&key(1)))).unwrap();
        assert_eq!(other.get(&key(1)), None);

        // A file that others may write to is not accepted, nor a symlink.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let elsewhere = root.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), b"code").unwrap();
        assert!(cache.get(&key(1)).is_some());
        assert_eq!(fs::read(&elsewhere).unwrap(), whole);

        fs::set_permissions(&cache.root, fs::Permissions::from_mode(0o750)).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        assert!(cache.put(&key(1), b"code").is_err());
    }

    #[test]
    fn a_link_to_a_directory_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let real = cache(root.path(), 1 << 20);
        real.put(&key(1), b"code").unwrap();
        symlink(&real.root, root.path().join("link")).unwrap();
        let linked = Cache::new(root.path().join("link"), "pulley-1".into(), 1 << 20);
        assert_eq!(linked.get(&key(1)), None);
        assert!(linked.put(&key(2), b"code").is_err());
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let root = tempfile::tempdir().unwrap();
        let room_for_three = 3 * (1000 + 48);
        let cache = cache(root.path(), room_for_three);
        let artefact = vec![7; 1000];
        let used = |number, seconds| {
            let path = cache.root.join(cache.name(&key(number)));
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
                .unwrap();
        };
        for number in 1..=3 {
            cache.put(&key(number), &artefact).unwrap();
            used(number, number);
        }
        assert!(cache.get(&key(1)).is_some());
        fs::write(cache.root.join("new-1-0"), b"left").unwrap();
        cache.put(&key(4), &artefact).unwrap();
        let there: Vec<_> = (1..=4).filter(|n| cache.get(&key(*n)).is_some()).collect();
        assert_eq!(there, [1, 3, 4]);
        assert!(cache.root.join("new-1-0").exists(), "it may be in use");

        // Artefacts of other profiles also count, and are also evicted.
        let other = Cache::new(cache.root.clone(), "cranelift-2".into(), room_for_three);
        for number in 5..=7 {
            other.put(&key(number), &artefact).unwrap();
        }
        assert!((1..=4).all(|n| cache.get(&key(n)).is_none()));

        // An artefact that never fits is not stored, and evicts nothing.
        other.put(&key(8), &vec![7; 4000]).unwrap();
        assert_eq!(other.get(&key(8)), None);
        assert!((5..=7).all(|n| other.get(&key(n)).is_some()));
    }

    #[test]
    fn many_may_use_it_at_once() {
        let root = tempfile::tempdir().unwrap();
        let artefact = |number: u64| vec![number as u8; 1000 + number as usize];
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let root = root.path();
                scope.spawn(move || {
                    // Each thread has its own handles and locks, like another process.
                    let cache = cache(root, 5_000);
                    for round in 0..100 {
                        let number = (thread * 7 + round) % 12;
                        if let Some(found) = cache.get(&key(number)) {
                            assert_eq!(found, artefact(number));
                        }
                        cache.put(&key(number), &artefact(number)).unwrap();
                    }
                });
            }
        });
        cache(root.path(), 5_000)
            .put(&key(0), &artefact(0))
            .unwrap();
        let bytes: u64 = fs::read_dir(root.path().join("guests"))
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(bytes <= 5_000, "{bytes}");
    }
}
