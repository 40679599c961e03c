//! Files of a release, in a fixed order and with one time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use jiff::Timestamp as Instant;

use crate::{DistError, output};

/// Time of all files of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp(Instant);

impl Timestamp {
    /// Returns the time in `SOURCE_DATE_EPOCH`, or that of the last commit. A directory without git has none, and its
    /// release is of 1980, the first year of zip archives.
    pub(crate) fn of(root: &Path) -> Result<Self, DistError> {
        let seconds = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(seconds) => seconds,
            Err(_) if root.join(".git").exists() => {
                let mut log = Command::new("git");
                output(log.args(["log", "-1", "--format=%ct"]).current_dir(root))?
            }
            Err(_) => "315532800".to_owned(),
        };
        Self::parse(seconds.trim())
    }

    fn parse(seconds: &str) -> Result<Self, DistError> {
        let invalid = || DistError::Time(seconds.to_owned());
        let number: i64 = seconds.parse().map_err(|_| invalid())?;
        let instant = Instant::from_second(number).map_err(|_| invalid())?;
        let year = instant.to_zoned(jiff::tz::TimeZone::UTC).year();
        if (1980..2100).contains(&year) {
            Ok(Self(instant))
        } else {
            Err(invalid())
        }
    }

    pub(crate) fn instant(self) -> Instant {
        self.0
    }
}

/// File of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_executable: bool,
}

/// Files of a release by their paths.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    pub(crate) timestamp: Timestamp,
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Content {
    pub(crate) fn new(timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            entries: BTreeMap::new(),
        }
    }

    pub(crate) fn add_text(&mut self, path: impl Into<String>, text: String) {
        self.add(path.into(), text.into_bytes(), false);
    }

    pub(crate) fn add_file(
        &mut self,
        path: impl Into<String>,
        source: &Path,
    ) -> Result<(), DistError> {
        let bytes = fs::read(source).map_err(|e| DistError::read(source, e))?;
        self.add(path.into(), bytes, false);
        Ok(())
    }

    pub(crate) fn add_program(&mut self, path: &str, source: &Path) -> Result<(), DistError> {
        let bytes = fs::read(source).map_err(|e| DistError::read(source, e))?;
        self.add(path.to_owned(), bytes, true);
        Ok(())
    }

    /// Adds all files below a directory.
    pub(crate) fn add_dir(&mut self, path: &str, source: &Path) -> Result<(), DistError> {
        let failed = |e| DistError::read(source, e);
        for entry in fs::read_dir(source).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = format!("{path}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(failed)?.is_dir() {
                self.add_dir(&path, &entry.path())?;
            } else {
                self.add_file(path, &entry.path())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, bytes: Vec<u8>, is_executable: bool) {
        let entry = Entry {
            bytes,
            is_executable,
        };
        self.entries.insert(path, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_seconds_and_fits_a_zip_archive() {
        let time = Timestamp::parse("1780000000").unwrap();
        assert_eq!(time.instant().to_string(), "2026-05-28T20:26:40Z");
        for wrong in ["", "today", "-1", "0", "9999999999"] {
            let error = Timestamp::parse(wrong).unwrap_err().to_string();
            assert!(error.ends_with(&format!("found {wrong:?}")), "{error}");
        }
    }

    #[test]
    fn directories_are_added_with_their_paths() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("inner")).unwrap();
        fs::write(dir.path().join("inner/b"), "2").unwrap();
        fs::write(dir.path().join("a"), "1").unwrap();
        let mut content = Content::new(Timestamp::parse("1780000000").unwrap());
        content.add_dir("share", dir.path()).unwrap();
        let paths: Vec<_> = content.entries.keys().collect();
        assert_eq!(paths, ["share/a", "share/inner/b"]);
        assert_eq!(content.entries["share/inner/b"].bytes, b"2");
        let missing = dir.path().join("missing");
        assert!(matches!(
            content.add_file("x", &missing),
            Err(DistError::Read { path, .. }) if path == missing
        ));
    }
}
