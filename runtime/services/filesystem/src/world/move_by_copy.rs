//! Move of directories by copying, for directories that the kernel cannot rename.
//!
//! If the world is an overlay mount, a directory of the lower layer cannot be renamed. It is copied into the staging
//! directory, renamed into its new place, and then removed from the old one.

use std::io;
use std::time::SystemTime;

use cap_std::fs::{Dir, DirBuilder};
use mcpmark_service::{Interrupted, checkpoint};
use rustix::io::Errno;

use super::{STAGED, World};
use crate::failure::Failure;

/// Reports whether the kernel refused to move a directory with `EXDEV`.
pub(super) fn is_refused(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::XDEV)
}

impl World {
    /// Moves a directory to a free path, or onto an empty directory. An error before the directory is in its new place
    /// changes nothing.
    pub(super) fn move_by_copy(&self, from: &str, to: &str, during: &str) -> Result<(), Failure> {
        let moved = copy(&self.root, from, &self.staging, STAGED).and_then(|()| {
            checkpoint()?;
            Ok(self.staging.rename(STAGED, &self.root, to)?)
        });
        if let Err(stopped) = moved {
            // As with a staged file: the remains are outside the world, and are removed with the private copy.
            let _ = self.staging.remove_dir_all(STAGED);
            return Err(match stopped {
                Stopped::Disk(error) => Failure::io(&error, during),
                Stopped::Interrupted(interrupted) => interrupted.into(),
            });
        }
        // Until the removal is complete, the world contains the directory twice, so a failure makes the world unusable.
        self.root
            .remove_dir_all(from)
            .map_err(|error| Failure::Host(format!("{during}: {error}")))
    }
}

/// Error of copying a directory.
enum Stopped {
    Disk(io::Error),
    Interrupted(Interrupted),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl From<Interrupted> for Stopped {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

/// Copies a directory recursively.
fn copy(from: &Dir, path: &str, to: &Dir, name: &str) -> Result<(), Stopped> {
    let from = from.open_dir(path)?;
    to.create_dir_with(name, &DirBuilder::new())?;
    let to = to.open_dir(name)?;
    for entry in from.entries()? {
        checkpoint()?;
        let entry = entry?;
        let name = entry.file_name();
        let name = name
            .to_str()
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, name, &to, name)?;
        } else if kind.is_symlink() {
            to.symlink_contents(from.read_link_contents(name)?, name)?;
        } else {
            from.copy(name, &to, name)?;
            let modified: SystemTime = entry.metadata()?.modified()?.into_std();
            to.open_with(name, cap_std::fs::OpenOptions::new().write(true))?
                .into_std()
                .set_modified(modified)?;
        }
    }
    Ok(())
}
