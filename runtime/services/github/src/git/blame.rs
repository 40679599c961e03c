//! Which commit wrote each line of a file.

use std::num::NonZeroU32;

use gix::ObjectId;
use gix::objs::{Data, Find, FindHeader};

use super::{Git, GitError};
use crate::call;

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

/// The objects of a repository, which are no longer found once the call is cancelled.
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
        let options = gix::blame::Options {
            rewrites: Some(gix::diff::Rewrites::default()),
            diff_algorithm: self.repo.diff_algorithm()?,
            ..Default::default()
        };
        let mut cache = self.repo.diff_resource_cache_for_tree_diff()?;
        let start = gix::blame::Start::Commit(commit);
        let objects = Stoppable(&self.repo.objects);
        let outcome = gix::blame::file(objects, start, None, &mut cache, path.into(), options);
        // The engine has no word for a call that was cancelled.
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
