//! Home directory: opens the journal and the store, and locks experiments.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mcpmark_journal::{Journal, JournalError};
use mcpmark_snapshot::{Store, StoreError};

/// Directory of the journal and the store.
#[derive(Debug, Clone)]
pub struct Home {
    dir: PathBuf,
}

/// Errors of opening a home directory.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// A directory or lock file cannot be created.
    #[error("cannot create {}", dir.display())]
    Make {
        /// Path of the directory or file.
        dir: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The store cannot be opened.
    #[error("cannot open the store {}", dir.display())]
    Store {
        /// Directory of the store.
        dir: PathBuf,
        /// Error of the store.
        source: StoreError,
    },
    /// The journal cannot be opened.
    #[error("cannot open the journal {}", file.display())]
    Journal {
        /// File of the journal.
        file: PathBuf,
        /// Error of the journal.
        source: JournalError,
    },
    /// Another process runs the experiment.
    #[error("experiment {name:?} is running in another process")]
    Running {
        /// Name of the experiment.
        name: String,
    },
}

/// Lock that marks an experiment as running until it is dropped or the process ends.
#[derive(Debug)]
pub struct ExperimentLock {
    _file: File,
}

/// Number of retries of a lock, and the delay before each.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(10);

impl Home {
    /// Returns the home in `dir`. The directory need not exist yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the path of the journal.
    pub fn journal_file(&self) -> PathBuf {
        self.dir.join("journal.db")
    }

    /// Returns the directory of the store.
    pub fn store_dir(&self) -> PathBuf {
        self.dir.join("store")
    }

    /// Returns the directory of the sockets of open attempts.
    pub fn sockets_dir(&self) -> PathBuf {
        self.dir.join("sockets")
    }

    /// Creates the directory of the sockets of open attempts. Only the user can enter it, because each client of a
    /// socket can act in the attempt.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be created, or its permissions cannot be set.
    pub fn make_sockets_dir(&self) -> Result<PathBuf, HomeError> {
        let dir = self.sockets_dir();
        self.make(&dir)?;
        fs::set_permissions(&dir, Permissions::from_mode(0o700)).map_err(|source| {
            HomeError::Make {
                dir: dir.clone(),
                source,
            }
        })?;
        Ok(dir)
    }

    /// Opens the journal.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be created or opened, or if its format is newer.
    pub fn journal(&self) -> Result<Arc<Journal>, HomeError> {
        self.make(&self.dir)?;
        let file = self.journal_file();
        let journal = Journal::open(&file).map_err(|source| HomeError::Journal { file, source })?;
        Ok(Arc::new(journal))
    }

    /// Opens the store.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be created or opened, or if its format is newer.
    pub fn store(&self) -> Result<Store, HomeError> {
        self.make(&self.dir)?;
        let dir = self.store_dir();
        Store::open(&dir).map_err(|source| HomeError::Store { dir, source })
    }

    /// Opens the store exclusively, so that objects can be removed.
    ///
    /// # Errors
    ///
    /// Returns an error if another process uses the store, or if it cannot be created or opened.
    pub fn store_alone(&self) -> Result<Store, HomeError> {
        self.make(&self.dir)?;
        let dir = self.store_dir();
        Store::open_exclusive(&dir).map_err(|source| HomeError::Store { dir, source })
    }

    /// Locks an experiment for this process. The lock is released when the process ends, even if it crashes.
    ///
    /// # Errors
    ///
    /// Returns an error if another process holds the lock.
    pub fn lock_experiment(&self, id: &str, name: &str) -> Result<ExperimentLock, HomeError> {
        let dir = self.dir.join("locks");
        self.make(&dir)?;
        let file = dir.join(id);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&file);
        let lock = lock.map_err(|source| HomeError::Make {
            dir: file.clone(),
            source,
        })?;
        let mut tried = lock.try_lock();
        for _ in 0..LOOKS {
            if !matches!(tried, Err(TryLockError::WouldBlock)) {
                break;
            }
            // Another process may hold the lock only briefly, to check whether the experiment is running.
            thread::sleep(LOOK);
            tried = lock.try_lock();
        }
        match tried {
            Ok(()) => Ok(ExperimentLock { _file: lock }),
            Err(TryLockError::WouldBlock) => Err(HomeError::Running {
                name: name.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(HomeError::Make { dir: file, source }),
        }
    }

    /// Removes the lock file of a removed experiment. The caller must hold the lock.
    pub fn remove_lock(&self, id: &str) {
        // An error is ignored, because an empty file does no harm.
        let _ = fs::remove_file(self.dir.join("locks").join(id));
    }

    /// Reports whether a process runs an experiment. Returns false if this cannot be determined.
    pub fn is_running(&self, id: &str) -> bool {
        let lock = File::open(self.dir.join("locks").join(id));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Creates a directory with mode 0700, because its content is private.
    fn make(&self, dir: &Path) -> Result<(), HomeError> {
        let made = if dir.is_dir() {
            Ok(())
        } else {
            DirBuilder::new().recursive(true).mode(0o700).create(dir)
        };
        made.and_then(|()| fs::metadata(dir).map(drop))
            .map_err(|source| HomeError::Make {
                dir: dir.to_owned(),
                source,
            })
    }
}
