//! Cache of digests of large files. A digest is valid as long as the metadata of the file is unchanged. Reading the
//! interpreter in each process would take longer than most grades.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;

/// Minimum age of the last change before a digest is cached. File systems store times with limited resolution, so a
/// later change within this period might not change the metadata.
const SETTLED: Duration = Duration::from_secs(2);

/// Returns the digest of a file, and reads the file only if it has changed since the digest was cached. `seals` is the
/// directory of the cache.
pub(crate) fn digest(file: &Path, seals: &Path) -> io::Result<Digest> {
    let file = fs::canonicalize(file)?;
    let place = place(&file, seals);
    let looked = fs::metadata(&file)?;
    let kept = fs::read_to_string(&place).unwrap_or_default();
    if let Some((seal, digest)) = kept.split_once('\n')
        && seal == of(&looked)
        && let Ok(digest) = digest.trim().parse()
    {
        return Ok(digest);
    }
    let digest = Digest::of(&fs::read(&file)?);
    if is_settled(&looked) && fs::metadata(&file).is_ok_and(|now| of(&now) == of(&looked)) {
        // If the digest cannot be cached, the next call reads the file again.
        let _ = keep(&place, &format!("{}\n{digest}\n", of(&looked)));
    }
    Ok(digest)
}

fn place(file: &Path, seals: &Path) -> PathBuf {
    seals.join(Digest::of(file.as_os_str().as_bytes()).hex())
}

fn of(metadata: &Metadata) -> String {
    format!(
        "{} bytes, inode {} of {}, written {}.{:09}, changed {}.{:09}",
        metadata.len(),
        metadata.ino(),
        metadata.dev(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

fn is_settled(metadata: &Metadata) -> bool {
    let Ok(seconds) = u64::try_from(metadata.ctime()) else {
        return true;
    };
    let changed = UNIX_EPOCH + Duration::from_secs(seconds.saturating_add(1));
    SystemTime::now()
        .duration_since(changed)
        .is_ok_and(|age| age > SETTLED)
}

fn keep(place: &Path, text: &str) -> io::Result<()> {
    let dir = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mut new = tempfile::Builder::new().prefix("new-").tempfile_in(dir)?;
    new.write_all(text.as_bytes())?;
    new.persist(place)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_only_where_it_was_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (file, seals) = (dir.path().join("guest.wasm"), dir.path().join("seals"));
        fs::write(&file, b"guest").unwrap();
        assert_eq!(digest(&file, &seals).unwrap(), Digest::of(b"guest"));
        assert!(!seals.exists(), "it was written a moment ago");

        // As if the file were old: the cached digest is trusted.
        let canonical = fs::canonicalize(&file).unwrap();
        let seal = |digest: Digest| {
            let seal = of(&fs::metadata(&file).unwrap());
            keep(&place(&canonical, &seals), &format!("{seal}\n{digest}\n")).unwrap();
        };
        seal(Digest::of(b"kept"));
        assert_eq!(digest(&file, &seals).unwrap(), Digest::of(b"kept"));

        // Changed, with the same size and modification time.
        let written = fs::metadata(&file).unwrap().modified().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        fs::write(&file, b"other").unwrap();
        let open = fs::File::options().write(true).open(&file).unwrap();
        open.set_modified(written).unwrap();
        assert_eq!(digest(&file, &seals).unwrap(), Digest::of(b"other"));

        fs::write(place(&canonical, &seals), "no seal").unwrap();
        assert_eq!(digest(&file, &seals).unwrap(), Digest::of(b"other"));
        assert!(digest(&dir.path().join("none"), &seals).is_err());
    }

    #[test]
    fn digests_of_settled_files_are_cached() {
        let dir = tempfile::tempdir().unwrap();
        // The test executable has not changed since it was built.
        let program = std::env::current_exe().unwrap();
        let seals = dir.path().join("seals");
        let read = digest(&program, &seals).unwrap();
        if is_settled(&fs::metadata(&program).unwrap()) {
            let kept = fs::read_to_string(place(&fs::canonicalize(&program).unwrap(), &seals));
            assert!(kept.unwrap().ends_with(&format!("\n{read}\n")));
        }
        assert_eq!(digest(&program, &seals).unwrap(), read);
    }
}
