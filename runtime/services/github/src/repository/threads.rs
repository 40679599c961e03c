//! Positions of review comments after their pull request has changed.
//!
//! A comment stores the commit and the line on which it was written. Its current line is computed from later commits on
//! demand. Only data that the commits no longer contain after a force push is stored.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::RepositoryState;
use super::hunks::Hunks;
use crate::call;
use crate::git::{Change, GitError, LineMap, ObjectId};
use crate::hub::{Pull, ReviewComment};

/// Review comments of pull requests, by number, as they are after a change of base or head.
pub(crate) type Threads = BTreeMap<u64, Vec<ReviewComment>>;

/// Finds the change of a file by its path. `changes` are sorted by path.
pub(crate) fn change_of<'a>(changes: &'a [Change], path: &str) -> Option<&'a Change> {
    let found = changes.binary_search_by(|change| change.path.as_str().cmp(path));
    found.ok().map(|at| &changes[at])
}

/// Indices of comments, sorted by commit and file.
fn by_commit(comments: &[ReviewComment]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..comments.len()).collect();
    places.sort_by_key(|place| {
        let comment = &comments[*place];
        (comment.written_on(), &comment.commit_id, &comment.path)
    });
    places
}

/// Position of a review comment in the current head of its pull request.
pub(crate) struct CommentPosition {
    /// Commit to which the lines refer.
    pub(crate) commit: String,
    /// `None` if the line no longer exists, which makes the comment outdated, or if the comment is on a whole file.
    pub(crate) line: Option<u64>,
    pub(crate) start_line: Option<u64>,
}

impl RepositoryState {
    /// Parses a commit id of a document. Returns `None` if the repository does not contain the commit.
    fn commit_there(&self, id: &str) -> Result<Option<ObjectId>, GitError> {
        let Ok(id) = ObjectId::from_hex(id.as_bytes()) else {
            return Ok(None);
        };
        Ok((self.git.kind(id)? == Some("commit")).then_some(id))
    }

    /// Computes the current position of a comment: its line in the head, if the diff contains that line.
    pub(crate) fn comment_position(
        &self,
        pull: &Pull,
        comment: &ReviewComment,
    ) -> Result<CommentPosition, GitError> {
        let mut comment_position = CommentPosition {
            commit: comment.commit_id.clone(),
            line: comment.line,
            start_line: comment.start_line,
        };
        let Some(line) = comment.line.filter(|_| comment.commit_id != pull.head_sha) else {
            return Ok(comment_position);
        };
        // If the commit does not exist, the line of the document is used.
        let Some(then) = self.commit_there(&comment.commit_id)? else {
            return Ok(comment_position);
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
            let followed = self.line_map(before, after)?;
            let line = followed.line(line);
            Ok(line.filter(|line| hunks.find(*line, left).is_some()))
        };
        let is_left = |side: Option<&String>| side.is_some_and(|side| side == "LEFT");
        comment_position.line = follow(line, is_left(comment.side.as_ref()))?;
        comment_position.start_line = match (comment_position.line, comment.start_line) {
            (Some(_), Some(start)) => {
                let side = comment.start_side.as_ref().or(comment.side.as_ref());
                follow(start, is_left(side))?
            }
            _ => None,
        };
        if comment_position.line.is_some() {
            comment_position.commit = pull.head_sha.clone();
        }
        Ok(comment_position)
    }

    /// Blob of a file in a commit.
    fn blob_at(&self, commit: Option<ObjectId>, path: &str) -> Result<Option<ObjectId>, GitError> {
        let Some(commit) = commit else {
            return Ok(None);
        };
        match self.git.entry(self.git.tree_of(commit)?, path)? {
            Some(entry) if entry.kind.object() == "blob" => Ok(Some(entry.id)),
            _ => Ok(None),
        }
    }

    /// Mapping of lines between two blobs. It is cached because many comments can be on one file.
    fn line_map(&self, before: ObjectId, after: ObjectId) -> Result<Arc<LineMap>, GitError> {
        if let Some(known) = self.compared.borrow().lines.get(&[before, after]) {
            return Ok(known);
        }
        let followed = LineMap::of(&self.git.blob(before)?, &self.git.blob(after)?)?;
        let bytes = followed.size();
        let lines = &mut self.compared.borrow_mut().lines;
        Ok(lines.put([before, after], followed, bytes))
    }

    /// Index of the lines in the diff of a file between two commits. It is cached because many comments can be on one
    /// file.
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

    /// Diff hunk on which a comment was written, up to its line. Only the last lines of a long hunk are included.
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

    /// Computes the review comments of a pull request for a new base and head. They store all data that cannot be
    /// derived afterwards: hunks, and positions of lines.
    ///
    /// # Errors
    ///
    /// Returns an error if the stored hunks exceed the bytes that the call may add to the world.
    pub(crate) fn threads_of(
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
        // Grouped by commit, so that each of the few commits is compared once.
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
                    let CommentPosition {
                        line, start_line, ..
                    } = self.comment_position(&next, comment)?;
                    next.review_comments[index].moved(head.to_string(), line, start_line);
                }
            }
        }
        Ok(Threads::from([(number, next.review_comments)]))
    }

    /// Stores the result of [`threads_of`](Self::threads_of).
    pub(crate) fn set_threads(&mut self, threads: Threads) {
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
