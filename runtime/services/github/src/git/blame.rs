//! Which commit wrote each line of a file.

use std::num::NonZeroU32;

use gix::ObjectId;

use super::{Git, GitError};

/// Lines that follow each other and were last written by one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// The first line, counted from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// Who wrote them.
    pub commit: ObjectId,
}

impl Git {
    /// The lines of a file as a commit has it, in order, as `git blame` finds where they come from: renames of the
    /// whole file are followed. None for a file without lines.
    ///
    /// # Errors
    ///
    /// When there is no such file, or the repository is damaged.
    pub fn blame(&self, commit: ObjectId, path: &str) -> Result<Vec<Blamed>, GitError> {
        let entry = self.entry(self.tree_of(commit)?, path)?;
        let entry = entry.ok_or_else(|| GitError::Path(path.to_owned()))?;
        if self.size(entry.id)? == 0 {
            return Ok(Vec::new());
        }
        let options = gix::repository::blame_file::Options {
            rewrites: Some(gix::diff::Rewrites::default()),
            ..Default::default()
        };
        let outcome = self
            .repo
            .blame_file(path.into(), commit, options)
            .map_err(GitError::objects)?;
        let mut all: Vec<Blamed> = outcome
            .entries
            .iter()
            .map(|it| Blamed {
                first: it.start_in_blamed_file + 1,
                last: it.start_in_blamed_file + NonZeroU32::get(it.len),
                commit: it.commit_id,
            })
            .collect();
        all.sort_by_key(|it| it.first);
        // Neighbours of one commit that came from different places of an older file.
        all.dedup_by(|next, before| {
            let same = before.commit == next.commit && before.last + 1 == next.first;
            if same {
                before.last = next.last;
            }
            same
        });
        Ok(all)
    }
}
