//! Read-only access to a journal that cannot be written, on a read-only file system or of another user.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::{JournalError, schema};

/// Returns true if the cause of an error may be missing write permission.
pub(super) fn may_be_missing_permission(error: &JournalError) -> bool {
    match error {
        JournalError::ReadOnly => true,
        JournalError::Sqlite(error) => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
        ),
        _ => false,
    }
}

/// Opens a journal read-only. Returns the temporary directory of the copy if the journal had to be copied.
///
/// A database in WAL mode needs a shared-memory file next to it. No copy is made if that file exists, or if the
/// write-ahead log is empty. Otherwise, the rows in the log can only be read from a copy. A journal of an older format
/// is copied too, because it has to be migrated.
pub(super) fn open(path: &Path) -> Result<(Connection, Option<TempDir>), JournalError> {
    let beside = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    if let Some(connection) = beside.ok().filter(schema::is_current) {
        return Ok((connection, None));
    }
    let log = with_end(path, "-wal");
    if fs::metadata(&log).map_or(0, |metadata| metadata.len()) == 0 {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let unchanging = Connection::open_with_flags(immutable(path), flags);
        if let Some(connection) = unchanging.ok().filter(schema::is_current) {
            return Ok((connection, None));
        }
    }
    let dir = TempDir::new().map_err(JournalError::Copy)?;
    let copy = dir.path().join("journal.db");
    fs::copy(path, &copy).map_err(JournalError::Copy)?;
    match fs::copy(&log, with_end(&copy, "-wal")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(JournalError::Copy(error));
        }
        _ => {}
    }
    let mut connection = Connection::open(&copy)?;
    schema::prepare(&mut connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok((connection, Some(dir)))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = OsString::from(path);
    path.push(end);
    path.into()
}

/// Characters that are percent-encoded in the URI of a file.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_');

/// Returns the URI of a file that SQLite opens as immutable.
fn immutable(path: &Path) -> String {
    let path = percent_encode(path.as_os_str().as_bytes(), ENCODED);
    format!("file:{path}?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Journal;

    const SPEC: &str = r#"{"tasks":["t"],"agent":"nop","attempts":1}"#;

    #[test]
    fn a_journal_is_read_whatever_lies_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a journal?#%.db");
        let writer = Journal::open(&path).unwrap();
        writer.create_experiment("e", SPEC).unwrap();
        let names = |connection: &Connection| -> String {
            let name = connection.query_row("SELECT name FROM experiments", [], |row| row.get(0));
            name.unwrap()
        };
        // Another connection is open, and the rows are in the log.
        assert!(fs::metadata(with_end(&path, "-wal")).unwrap().len() > 0);
        let (connection, copy) = open(&path).unwrap();
        assert_eq!(
            (names(&connection), copy.is_some()),
            ("e".to_owned(), false)
        );
        // A log without its shared memory, as left by a killed process on a disk that later became read-only.
        let left = dir.path().join("left.db");
        fs::copy(&path, &left).unwrap();
        fs::copy(with_end(&path, "-wal"), with_end(&left, "-wal")).unwrap();
        drop((connection, writer));
        assert!(!with_end(&path, "-wal").exists());
        let sound = fs::read(&path).unwrap();
        let uri = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let unchanging = Connection::open_with_flags(immutable(&path), uri).unwrap();
        assert_eq!(names(&unchanging), "e");
        assert_eq!(fs::read(&path).unwrap(), sound);
        let (connection, _copy) = open(&left).unwrap();
        assert_eq!(names(&connection), "e");
        let written = connection.execute("DELETE FROM experiments", []);
        assert!(matches!(
            JournalError::from(written.unwrap_err()),
            JournalError::ReadOnly
        ));
    }

    #[test]
    fn an_older_journal_is_read_from_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(include_str!("../tests/format-1.sql"))
            .unwrap();
        drop(old);
        let before = fs::read(&path).unwrap();
        let (connection, copy) = open(&path).unwrap();
        assert!(copy.is_some() && schema::is_current(&connection));
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
