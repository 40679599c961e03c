//! Digests of large files, remembered for as long as the file system tells that nobody has touched
//! them: to read a guest whole in each process takes longer than most grades.

use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::Digest;

/// A file that was changed later than this ago may be changed again without any of its times
/// telling so: file systems count them in ticks.
const SETTLED: Duration = Duration::from_secs(2);

/// The digest of a file, read anew only where it was touched since it was last asked for.
/// What is remembered lies in `seals`.
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
        // Who cannot keep it reads the file again.
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

        // As if it had lain here for long: what is kept is believed.
        let canonical = fs::canonicalize(&file).unwrap();
        let seal = |digest: Digest| {
            let seal = of(&fs::metadata(&file).unwrap());
            keep(&place(&canonical, &seals), &format!("{seal}\n{digest}\n")).unwrap();
        };
        seal(Digest::of(b"kept"));
        assert_eq!(digest(&file, &seals).unwrap(), Digest::of(b"kept"));

        // The same size and time of writing, yet touched.
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
    fn what_has_lain_for_a_while_is_sealed() {
        let dir = tempfile::tempdir().unwrap();
        // Nobody has touched the program that runs this since it was made.
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
