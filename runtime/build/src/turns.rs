//! Lock of a build directory: concurrent processes take turns.
//!
//! A turn is short. After a limited number of packages a waiting process gets the lock, so that a process that needs
//! one guest does not wait for all guests of another. The holder of the lock writes its process id and progress to a
//! file next to the lock, for display by waiting processes.

use std::fs::{self, File, TryLockError};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::{BuildError, BuildEvent};

/// Interval at which a waiting process reads the progress of the holder.
const LOOK: Duration = Duration::from_secs(1);
/// Time for which the lock stays free after a turn. It is enough for a waiting process to take the lock.
const GAP: Duration = Duration::from_millis(30);
/// Packages per core in one turn, because they are compiled in parallel. Some cores are idle at the end of each turn, so
/// short turns cost time.
const PACKAGES_PER_CORE: usize = 8;
const PACKAGES_AT_LEAST: usize = 16;

/// Returns the default maximum number of packages in one turn.
pub(super) fn packages() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    (cores * PACKAGES_PER_CORE).max(PACKAGES_AT_LEAST)
}

/// Lets another process take the lock after a turn.
pub(super) fn pause() {
    thread::sleep(GAP);
}

/// The lock of a build directory, held by this process.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: File,
    told: String,
}

impl Turn {
    /// Waits for the lock. While waiting, reports the holder and its progress whenever it changes.
    pub(super) fn take(
        target_dir: &Path,
        report: &mut dyn FnMut(BuildEvent),
    ) -> Result<Self, BuildError> {
        let path = target_dir.join("lock");
        let failed = |error| BuildError::io("lock", &path, error);
        let file = fs::create_dir_all(target_dir)
            .and_then(|()| {
                File::options()
                    .create(true)
                    .truncate(false)
                    .write(true)
                    .open(&path)
            })
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => wait(&file, target_dir, report).map_err(failed)?,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut turn = Self {
            _lock: file,
            told: String::new(),
        };
        turn.tell(target_dir, "");
        Ok(turn)
    }

    /// Writes the progress of this process to the holder file. It is only for display, so errors are ignored.
    pub(super) fn tell(&mut self, target_dir: &Path, progress: &str) {
        let text = match progress {
            "" => format!("process {}", std::process::id()),
            progress => format!("process {}: {progress}", std::process::id()),
        };
        if text != self.told {
            let _ = fs::write(holder(target_dir), &text);
            self.told = text;
        }
    }
}

fn holder(target_dir: &Path) -> std::path::PathBuf {
    target_dir.join("holder")
}

fn wait(file: &File, target_dir: &Path, report: &mut dyn FnMut(BuildEvent)) -> std::io::Result<()> {
    let (locked, taken) = sync_channel(1);
    let mut told = None;
    thread::scope(|scope| {
        scope.spawn(move || {
            let _ = locked.send(file.lock());
        });
        loop {
            let now = fs::read_to_string(holder(target_dir)).unwrap_or_default();
            if told.as_ref() != Some(&now) {
                report(BuildEvent::Waiting {
                    target_dir: target_dir.to_owned(),
                    holder: now.trim().to_owned(),
                });
                told = Some(now);
            }
            match taken.recv_timeout(LOOK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(std::io::Error::other("waiting for the lock failed"));
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_build_is_told_the_progress_of_the_other_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut first = Turn::take(dir.path(), &mut |_| panic!("nobody else is there")).unwrap();
        first.tell(dir.path(), "3 of 8 guests compiled");
        let mut first = Some(first);
        let mut heard = Vec::new();
        let second = Turn::take(dir.path(), &mut |event| {
            heard.push(event.to_string());
            drop(first.take());
        });
        second.unwrap();
        let line = format!(
            "waiting for process {}: 3 of 8 guests compiled (building into {})",
            std::process::id(),
            dir.path().display()
        );
        assert_eq!(heard, [line]);
    }
}
