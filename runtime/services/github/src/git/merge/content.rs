//! Three-way merge of the entries at one path.

use std::cell::Cell;

use gix::bstr::BStr;
use gix::objs::tree::EntryMode;

use super::ancestors::MAX_BYTES;
use super::text::{self, Marks};
use super::trees::{BASE, OURS, THEIRS, Version};
use crate::git::{Git, GitError, patch};

/// Length of a conflict marker, in characters.
const MARK: usize = 7;

/// Result of a merge of one file.
pub(super) struct MergedFile {
    /// Merged entry. Its content has conflict markers if the merge is not clean and its result is merged further.
    pub(super) version: Option<Version>,
    pub(super) is_clean: bool,
}

/// Merger of file contents.
pub(super) struct Contents<'a> {
    pub(super) git: &'a Git,
    /// Recursion depth of merges of common ancestors, 0 for the actual merge. Conflict markers grow with it, so that
    /// nested markers can be distinguished.
    depth: usize,
    /// Remaining bytes that may be written.
    left: Cell<u64>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(git: &'a Git, depth: usize, bytes: u64) -> Self {
        Self {
            git,
            depth,
            left: Cell::new(bytes),
        }
    }
}

impl Contents<'_> {
    pub(super) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Subtracts bytes from the budget before they are written.
    pub(super) fn spend(&self, bytes: u64) -> Result<(), GitError> {
        let left = self.left.get().checked_sub(bytes);
        let most = MAX_BYTES >> 20;
        let left = left.ok_or_else(|| {
            GitError::Crossed(format!("{most} MiB of merged files and directories"))
        })?;
        self.left.set(left);
        Ok(())
    }

    /// Returns true for a merge of common ancestors. Such a merge always has a result, with conflicts in its files.
    pub(super) fn is_virtual(&self) -> bool {
        self.depth > 0
    }

    /// Merges a file that both sides have. Conflict markers are longer by `nested`, for results that can be put between
    /// other markers.
    pub(super) fn merge(
        &self,
        versions: [Option<Version>; 3],
        names: [&BStr; 3],
        nested: usize,
    ) -> Result<MergedFile, GitError> {
        let base = versions[BASE];
        let (Some(ours), Some(theirs)) = (versions[OURS], versions[THEIRS]) else {
            return Ok(MergedFile {
                version: versions[OURS].or(versions[THEIRS]),
                is_clean: true,
            });
        };
        let base_mode = base.map(|it| it.mode);
        let (mode, is_clean) = if ours.mode == theirs.mode || Some(ours.mode) == base_mode {
            (theirs.mode, true)
        } else {
            (ours.mode, Some(theirs.mode) == base_mode)
        };
        let of = |id| Some(Version { mode, id });
        let base_id = base.map(|it| it.id);
        if ours.id == theirs.id || Some(ours.id) == base_id {
            let version = of(theirs.id);
            return Ok(MergedFile { version, is_clean });
        }
        if Some(theirs.id) == base_id {
            let version = of(ours.id);
            return Ok(MergedFile { version, is_clean });
        }
        let base = base.filter(|base| kind(base.mode) == kind(ours.mode));
        if !ours.mode.is_blob() || !theirs.mode.is_blob() {
            // Symlinks and submodules cannot be merged by content.
            let kept = if self.is_virtual() {
                versions[BASE]
            } else {
                of(ours.id)
            };
            return Ok(MergedFile {
                version: kept,
                is_clean: false,
            });
        }
        let read = |version: Version| self.git.blob(version.id);
        let before = base.map(read).transpose()?.unwrap_or_default();
        let (our, their) = (read(ours)?, read(theirs)?);
        if [&before, &our, &their]
            .into_iter()
            .any(|it| patch::is_binary(it))
        {
            let kept = if self.is_virtual() {
                self.write(base, &before)?
            } else {
                ours.id
            };
            return Ok(MergedFile {
                version: of(kept),
                is_clean: is_clean && self.is_virtual(),
            });
        }
        let marks = self.marks(names, nested);
        let merged = text::merge(&before, &our, &their, &marks)?;
        // Content with conflicts is needed only if it is merged further.
        let id = if merged.is_clean || self.is_virtual() || nested > 0 {
            self.write(None, &merged.bytes)?
        } else {
            ours.id
        };
        Ok(MergedFile {
            version: of(id),
            is_clean: is_clean && merged.is_clean,
        })
    }

    fn write(&self, known: Option<Version>, bytes: &[u8]) -> Result<gix::ObjectId, GitError> {
        match known {
            Some(version) => Ok(version.id),
            None => {
                self.spend(bytes.len() as u64)?;
                self.git.put_blob(bytes)
            }
        }
    }

    fn marks(&self, names: [&BStr; 3], nested: usize) -> Marks {
        let is_one = names[BASE] == names[OURS] && names[OURS] == names[THEIRS];
        let label = |side: usize| {
            if is_one {
                format!("Temporary merge branch {side}")
            } else {
                format!("Temporary merge branch {side}:{}", names[side])
            }
        };
        Marks {
            length: MARK + 2 * self.depth + nested,
            ours: label(OURS),
            theirs: label(THEIRS),
        }
    }
}

/// Returns the file type bits of a mode.
pub(super) fn kind(mode: EntryMode) -> u16 {
    mode.value() & 0o170_000
}
