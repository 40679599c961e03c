//! What comments on lines were written on, and where that stands now.
//!
//! A comment keeps the commit and the line that it was written on. Where the line is now follows from what came
//! after, so it is worked out when it is asked for; only what commits no longer tell, once a branch was forced
//! elsewhere, is written down.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::hunks::Hunks;
use crate::call;
use crate::git::{Change, Followed, GitError, ObjectId};
use crate::hub::{Pull, ReviewComment};
use crate::view::Site;

/// The comments on lines of pull requests, by their numbers, as they are once those have other ends.
pub(crate) type Threads = BTreeMap<u64, Vec<ReviewComment>>;

/// What has become of a file, by its path; changes are in the order of paths.
pub(super) fn change_of<'a>(changes: &'a [Change], path: &str) -> Option<&'a Change> {
    let found = changes.binary_search_by(|change| change.path.as_str().cmp(path));
    found.ok().map(|at| &changes[at])
}

/// The places of comments in a list, in the order of the commits and files that they are on.
fn by_commit(comments: &[ReviewComment]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..comments.len()).collect();
    places.sort_by_key(|place| {
        let comment = &comments[*place];
        (comment.written_on(), &comment.commit_id, &comment.path)
    });
    places
}

/// Where a comment stands in the present head of its pull request.
pub(crate) struct Standing {
    /// The commit that the lines are of.
    pub(crate) commit: String,
    /// None where the line is no longer there: the comment is outdated, or on a whole file.
    pub(crate) line: Option<u64>,
    pub(crate) start_line: Option<u64>,
}

impl Site {
    /// The commit of an id that a document holds; none where it is not in the repository.
    fn commit_there(&self, id: &str) -> Result<Option<ObjectId>, GitError> {
        let Ok(id) = ObjectId::from_hex(id.as_bytes()) else {
            return Ok(None);
        };
        Ok((self.git.kind(id)? == Some("commit")).then_some(id))
    }

    /// Where a comment stands now: where its line is in the head, as long as the changes show it.
    pub(crate) fn standing(
        &self,
        pull: &Pull,
        comment: &ReviewComment,
    ) -> Result<Standing, GitError> {
        let mut standing = Standing {
            commit: comment.commit_id.clone(),
            line: comment.line,
            start_line: comment.start_line,
        };
        let Some(line) = comment.line.filter(|_| comment.commit_id != pull.head_sha) else {
            return Ok(standing);
        };
        // Of a commit that is not there, the line is what the document says.
        let Some(then) = self.commit_there(&comment.commit_id)? else {
            return Ok(standing);
        };
        let (base, head) = self.ends(pull)?;
        let changes = self.pull_changes(pull)?;
        let change = change_of(&changes, &comment.path);
        let follow = |line: u64, left: bool| -> Result<Option<u64>, GitError> {
            let Some(change) = change else {
                return Ok(None);
            };
            let (from, to, path) = if left {
                (
                    self.git.merge_base(base, then)?,
                    self.git.merge_base(base, head)?,
                    change.previous.as_ref().unwrap_or(&change.path),
                )
            } else {
                (Some(then), Some(head), &change.path)
            };
            let (Some(before), Some(after)) = (self.blob_at(from, path)?, self.blob_at(to, path)?)
            else {
                return Ok(None);
            };
            let hunks = self.hunks([base, head], change)?;
            let followed = self.followed(before, after)?;
            let line = followed.line(line);
            Ok(line.filter(|line| hunks.find(*line, left).is_some()))
        };
        let is_left = |side: Option<&String>| side.is_some_and(|side| side == "LEFT");
        standing.line = follow(line, is_left(comment.side.as_ref()))?;
        standing.start_line = match (standing.line, comment.start_line) {
            (Some(_), Some(start)) => {
                let side = comment.start_side.as_ref().or(comment.side.as_ref());
                follow(start, is_left(side))?
            }
            _ => None,
        };
        if standing.line.is_some() {
            standing.commit = pull.head_sha.clone();
        }
        Ok(standing)
    }

    /// The blob of a file of a commit.
    fn blob_at(&self, commit: Option<ObjectId>, path: &str) -> Result<Option<ObjectId>, GitError> {
        let Some(commit) = commit else {
            return Ok(None);
        };
        match self.git.entry(self.git.tree_of(commit)?, path)? {
            Some(entry) if entry.kind.object() == "blob" => Ok(Some(entry.id)),
            _ => Ok(None),
        }
    }

    /// Where the lines of one blob stand in another. Many comments are on one file, so it is kept.
    fn followed(&self, before: ObjectId, after: ObjectId) -> Result<Arc<Followed>, GitError> {
        if let Some(known) = self.compared.borrow().lines.get(&[before, after]) {
            return Ok(known);
        }
        let followed = Followed::of(&self.git.blob(before)?, &self.git.blob(after)?)?;
        let bytes = followed.size();
        let lines = &mut self.compared.borrow_mut().lines;
        Ok(lines.put([before, after], followed, bytes))
    }

    /// Where the lines of a file stand in what has changed between two commits. Many comments are on one file, so it
    /// is kept.
    fn hunks(&self, ends: [ObjectId; 2], change: &Change) -> Result<Arc<Hunks>, GitError> {
        let key = (ends, change.path.clone());
        if let Some(known) = self.compared.borrow().hunks.get(&key) {
            return Ok(known);
        }
        let hunks = Hunks::of(change.hunks.as_deref().unwrap_or_default())?;
        let bytes = hunks.size() + 2 * key.1.len();
        let known = &mut self.compared.borrow_mut().hunks;
        Ok(known.put(key, hunks, bytes))
    }

    /// The hunk that a comment was written on, up to its line. Of a long hunk the last lines are shown.
    pub(crate) fn hunk(&self, pull: &Pull, comment: &ReviewComment) -> Result<String, GitError> {
        if let Some(hunk) = &comment.diff_hunk {
            return Ok(hunk.clone());
        }
        let (base, head) = self.ends(pull)?;
        let commit = self.commit_there(comment.written_on())?.unwrap_or(head);
        self.hunk_of_commit(base, commit, comment)
    }

    fn hunk_of_commit(
        &self,
        base: ObjectId,
        commit: ObjectId,
        comment: &ReviewComment,
    ) -> Result<String, GitError> {
        let changes = self.changes_from(base, commit)?;
        let Some(change) = change_of(&changes, &comment.path) else {
            return Ok(String::new());
        };
        let patch = change.hunks.as_deref().unwrap_or_default();
        let hunks = self.hunks([base, commit], change)?;
        let left = comment.side.as_deref() == Some("LEFT");
        Ok(match comment.first_line() {
            Some(line) => hunks.up_to(patch, line, left),
            None => hunks.first(patch),
        })
    }

    /// What the comments of a pull request are about, written down as far as that can no longer be told once it has
    /// other ends. What is written down takes room of the world, and is refused where there is none.
    pub(super) fn threads_of(
        &self,
        number: u64,
        base: ObjectId,
        head: ObjectId,
    ) -> Result<Threads, GitError> {
        let Some((_, pull)) = self.hub.pull(number) else {
            return Ok(Threads::new());
        };
        if pull.review_comments.is_empty() {
            return Ok(Threads::new());
        }
        let (old_base, old_head) = self.ends(pull)?;
        let mut next = pull.clone();
        (next.base_sha, next.head_sha) = (base.to_string(), head.to_string());
        // Many comments are on few commits: commit by commit, so that each is compared once.
        let mut stay = HashMap::new();
        for index in by_commit(&next.review_comments) {
            call::checkpoint()?;
            let comment = &mut next.review_comments[index];
            if let Some(commit) = self.commit_there(comment.written_on())?
                && comment.diff_hunk.is_none()
            {
                let stays = match stay.get(&commit) {
                    Some(stays) => *stays,
                    None => {
                        let stays = self.git.is_ancestor(commit, head)?
                            && self.git.merge_base(old_base, commit)?
                                == self.git.merge_base(base, commit)?;
                        stay.insert(commit, stays);
                        stays
                    }
                };
                if !stays {
                    let hunk = self.hunk_of_commit(old_base, commit, comment)?;
                    call::add(hunk.len() as u64)?;
                    comment.diff_hunk = Some(hunk).filter(|hunk| !hunk.is_empty());
                }
            }
        }
        if old_head != head {
            let mut lost = HashMap::new();
            for index in by_commit(&next.review_comments) {
                call::checkpoint()?;
                let comment = &next.review_comments[index];
                let is_lost = match self.commit_there(&comment.commit_id)? {
                    Some(commit) => match lost.get(&commit) {
                        Some(is_lost) => *is_lost,
                        None => {
                            let is_lost = !self.git.is_ancestor(commit, head)?;
                            lost.insert(commit, is_lost);
                            is_lost
                        }
                    },
                    None => false,
                };
                if is_lost {
                    let Standing {
                        line, start_line, ..
                    } = self.standing(&next, comment)?;
                    next.review_comments[index].moved(head.to_string(), line, start_line);
                }
            }
        }
        Ok(Threads::from([(number, next.review_comments)]))
    }

    /// Writes down what [`threads_of`](Self::threads_of) has found.
    pub(super) fn set_threads(&mut self, threads: Threads) {
        for (number, comments) in threads {
            call::changed();
            if let Some(issue) = self.hub.issues.get_mut(&number)
                && let Some(pull) = &mut issue.pull
            {
                pull.review_comments = comments;
            }
        }
    }
}
