//! When what is written has reached the disk.
//!
//! Every row is in the file when the call that writes it comes back, so a process that dies takes
//! nothing with it. A machine that dies takes what its disk has not yet. To wait for the disk costs
//! milliseconds, four times a turn, so that is done where something is promised from then on: for
//! an experiment that begins, a state that is kept, and an attempt that is finished. Each waits for
//! all rows before it too, since they go into one write-ahead log, of which a dead machine leaves
//! what was written up to some moment.
//!
//! An attempt that is not finished is made anew, so nobody needs the rest of it but for the bill.
//! Requests to models are therefore brought to the disk by a thread, soon after their replies come,
//! while the attempt goes on. To wait would not make the bill whole: a request that is on its way
//! when the machine dies is paid too, and nobody ever hears what it cost.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::JournalError;

/// The rest of the thread after each sync, which bounds the writes that it causes.
const REST: Duration = Duration::from_millis(100);

/// Runs `write` in a transaction that waits for the disk.
pub(super) fn surely<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, JournalError>,
) -> Result<T, JournalError> {
    surely_or(connection, write)
}

/// The same for what fails in other ways, too.
pub(super) fn surely_or<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
) -> Result<T, E> {
    // Not within a transaction, for SQLite refuses that.
    connection.pragma_update(None, "synchronous", "FULL")?;
    let written = within(connection, write);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    written
}

/// Runs `write` in a transaction that a dying process does not undo, but a dying machine may.
pub(super) fn soon<T>(
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

/// Brings the write-ahead log to the disk when told to, without anybody waiting for it.
#[derive(Debug)]
pub(super) struct Syncer {
    log: PathBuf,
    wishes: OnceLock<SyncSender<()>>,
}

impl Syncer {
    /// A syncer for the log of a database.
    pub(super) fn of(database: &Path) -> Self {
        let mut log = OsString::from(database);
        log.push("-wal");
        Self {
            log: log.into(),
            wishes: OnceLock::new(),
        }
    }

    /// Asks for a sync. The thread begins with the first wish and goes with `self`.
    pub(super) fn wish(&self) {
        let wishes = self.wishes.get_or_init(|| {
            let (sender, receiver) = sync_channel(1);
            let log = self.log.clone();
            std::thread::spawn(move || sync(&receiver, &log));
            sender
        });
        // A full channel is a wish that the thread has not heard yet, and that covers this one.
        let _ = wishes.try_send(());
    }
}

fn sync(wishes: &Receiver<()>, log: &Path) {
    while wishes.recv().is_ok() {
        // Without a log everything is in the database. A disk that cannot sync is reported by the
        // next transaction that waits for it.
        let _ = File::open(log).and_then(|log| log.sync_data());
        std::thread::sleep(REST);
    }
}
