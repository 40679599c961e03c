//! Durability of writes: transactions with and without a sync to the disk.
//!
//! Every row is in the file when the call that writes it returns, so the death of a process loses nothing. A crash of
//! the machine loses the rows that have not been synced to the disk. A sync takes milliseconds and would be needed four
//! times per turn. A transaction therefore waits for the sync only if later steps rely on it, for example when an
//! experiment begins, a final state is stored, or an attempt is finished. Such a sync includes all earlier rows,
//! because they are in the same write-ahead log, and a crash of the machine keeps a prefix of that log.
//!
//! An unfinished attempt is repeated, so its other rows are only needed for the bill. A background thread syncs the
//! records of model requests soon after the replies arrive, while the attempt continues. Waiting for the sync would not
//! make the bill complete: a request in flight during a crash is charged too, and its cost is never known.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::JournalError;

/// Pause of the thread after each sync. It limits the rate of disk writes.
const REST: Duration = Duration::from_millis(100);

/// Runs `write` in a durable transaction, which waits for the disk.
pub(super) fn write_durable<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    write_durable_or(connection, write)
}

/// Like [`write_durable`], with an error type of the caller.
pub(super) fn write_durable_or<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    // SQLite refuses to change this pragma within a transaction.
    connection.pragma_update(None, "synchronous", "FULL")?;
    let written = within(connection, write);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    written
}

/// Runs `write` in a transaction that survives the death of the process, but not necessarily a crash of the machine.
pub(super) fn write<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    within(connection, write)
}

fn within<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let written = write(&transaction)?;
    transaction.commit()?;
    Ok(written)
}

/// Background thread that syncs the write-ahead log to the disk on request. Callers do not wait for it.
#[derive(Debug)]
pub(super) struct Syncer {
    log: PathBuf,
    requests: OnceLock<SyncSender<()>>,
}

impl Syncer {
    /// Creates a syncer for the log of a database.
    pub(super) fn of(database: &Path) -> Self {
        let mut log = OsString::from(database);
        log.push("-wal");
        Self {
            log: log.into(),
            requests: OnceLock::new(),
        }
    }

    /// Requests a sync. The first request starts the thread, which ends when `self` is dropped.
    pub(super) fn request(&self) {
        let requests = self.requests.get_or_init(|| {
            let (sender, receiver) = sync_channel(1);
            let log = self.log.clone();
            std::thread::spawn(move || sync(&receiver, &log));
            sender
        });
        // A full channel holds a request that the thread has not received yet, which covers this one.
        let _ = requests.try_send(());
    }
}

fn sync(requests: &Receiver<()>, log: &Path) {
    while requests.recv().is_ok() {
        // If the log does not exist, everything is in the database. The next durable transaction reports a disk that
        // cannot sync.
        let _ = File::open(log).and_then(|log| log.sync_data());
        std::thread::sleep(REST);
    }
}
