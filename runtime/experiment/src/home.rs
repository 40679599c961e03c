use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use mcpmark_snapshot::{Store, StoreError};

use crate::{Journal, JournalError};

/// The directory that holds the journal and the store.
#[derive(Debug, Clone)]
pub struct Home {
    dir: PathBuf,
}

/// Why a home cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// A directory cannot be made.
    #[error("{}: cannot be made", dir.display())]
    Make {
        /// The directory.
        dir: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The store cannot be opened.
    #[error("{}: the store cannot be opened", dir.display())]
    Store {
        /// The store's directory.
        dir: PathBuf,
        /// What is wrong.
        source: StoreError,
    },
    /// The journal cannot be opened.
    #[error("{}: the journal cannot be opened", file.display())]
    Journal {
        /// The journal's file.
        file: PathBuf,
        /// What is wrong.
        source: JournalError,
    },
    /// Another process runs the experiment.
    #[error("experiment {name:?} is running in another process")]
    Running {
        /// The experiment.
        name: String,
    },
}

/// Says that this process runs an experiment, for as long as it lives.
#[derive(Debug)]
pub struct ExperimentLock {
    _file: File,
}

/// How often, and after how long, a lock is tried again.
const LOOKS: u32 = 10;
const LOOK: Duration = Duration::from_millis(10);

impl Home {
    /// Uses `dir`, which need not be there yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of the journal.
    pub fn journal_file(&self) -> PathBuf {
        self.dir.join("journal.db")
    }

    /// The directory of the store.
    pub fn store_dir(&self) -> PathBuf {
        self.dir.join("store")
    }

    /// Opens the journal.
    ///
    /// # Errors
    ///
    /// When it cannot be made or has a newer format.
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
    /// When it cannot be made or has a newer format.
    pub fn store(&self) -> Result<Store, HomeError> {
        self.make(&self.dir)?;
        let dir = self.store_dir();
        Store::open(&dir).map_err(|source| HomeError::Store { dir, source })
    }

    /// Opens the store for this process alone, so that something may be removed.
    ///
    /// # Errors
    ///
    /// When another process uses it.
    pub fn store_alone(&self) -> Result<Store, HomeError> {
        self.make(&self.dir)?;
        let dir = self.store_dir();
        Store::open_alone(&dir).map_err(|source| HomeError::Store { dir, source })
    }

    /// Takes an experiment for this process. The lock goes with the process, however it ends.
    ///
    /// # Errors
    ///
    /// When another process has it.
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
            // It may be somebody who only looks whether it is free.
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

    /// Takes away the lock of an experiment that is no more, by whoever has it.
    pub fn forget_lock(&self, id: &str) {
        // An empty file that stays is in nobody's way.
        let _ = fs::remove_file(self.dir.join("locks").join(id));
    }

    /// Whether a process runs an experiment. None does where that cannot be found out.
    pub fn is_running(&self, id: &str) -> bool {
        let lock = File::open(self.dir.join("locks").join(id));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// What was run is nobody else's business: the directory is private.
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
