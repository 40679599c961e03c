//! Blame: the commit that last changed each line of a file.

use std::num::NonZeroU32;

use gix::ObjectId;
use gix::objs::{Data, Find, FindHeader};

use super::{Git, GitError};
use crate::call;

/// Range of consecutive lines that were last changed by one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// First line, counted from 1.
    pub first: u32,
    /// Last line, inclusive.
    pub last: u32,
    /// Commit that last changed the lines.
    pub commit: ObjectId,
}

/// Object lookup that fails after the call is cancelled.
struct Stoppable<'a>(&'a gix::OdbHandle);

fn stop_if_cancelled() -> gix::Result<()> {
    let stopped = |_| std::io::Error::from(std::io::ErrorKind::Interrupted);
    call::checkpoint().map_err(|it| gix::Error::from_error(stopped(it)))
}

impl Find for Stoppable<'_> {
    fn try_find<'b>(
        &self,
        id: &gix::oid,
        buffer: &'b mut Vec<u8>,
    ) -> gix::Result<Option<Data<'b>>> {
        stop_if_cancelled()?;
        self.0.try_find(id, buffer)
    }
}

impl FindHeader for Stoppable<'_> {
    fn try_header(&self, id: &gix::oid) -> gix::Result<Option<gix::objs::Header>> {
        stop_if_cancelled()?;
        FindHeader::try_header(self.0, id)
    }
}

impl Git {
    /// Computes the blame of a file at a commit, in the order of lines, as `git blame` does: renames of the whole file
    /// are followed. The result is empty for an empty file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist or the repository is damaged.
    pub fn blame(&self, commit: ObjectId, path: &str) -> Result<Vec<Blamed>, GitError> {
        let entry = self.entry(self.tree_of(commit)?, path)?;
        let entry = entry.ok_or_else(|| GitError::Path(path.to_owned()))?;
        if self.size(entry.id)? == 0 {
            return Ok(Vec::new());
        }
        let options = gix::blame::Options {
            rewrites: Some(gix::diff::Rewrites::default()),
            diff_algorithm: self.repo.diff_algorithm()?,
            ..Default::default()
        };
        let mut cache = self.repo.diff_resource_cache_for_tree_diff()?;
        let start = gix::blame::Start::Commit(commit);
        let objects = Stoppable(&self.repo.objects);
        let outcome = gix::blame::file(objects, start, None, &mut cache, path.into(), options);
        // `gix` has no error of its own for a cancelled call.
        call::checkpoint()?;
        let outcome = outcome.map_err(GitError::objects)?;
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
        // Join adjacent ranges of one commit that come from different places of an older file.
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
