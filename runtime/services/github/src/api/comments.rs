//! Comments on issues and review comments, by id, and reactions.

use super::issues::check_comment;
use super::{Answer, Call, FieldError};
use crate::hub::{Comment, Issue, Kind, REACTIONS, Reaction, ReviewComment};
use crate::repository::RepositoryState;

/// Object of a reaction or an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Issue or pull request, by number.
    Issue(u64),
    /// Comment on an issue or pull request, by id.
    Comment(u64),
    /// Review comment, by id.
    ReviewComment(u64),
}

impl RepositoryState {
    /// Comment with an id, and its issue.
    pub(crate) fn find_comment(&self, call: &Call, id: u64) -> Answer<(&Issue, &Comment)> {
        let ordinal = Kind::Comment.ordinal(id);
        let on = |issue: &'_ Issue| {
            let at = |it: &Comment| Some(it.id) == ordinal;
            issue.comments.iter().position(at)
        };
        let mut issues = self.hub.issues.values();
        let found = issues.find_map(|issue| Some((issue, &issue.comments[on(issue)?])));
        found.ok_or_else(|| call.not_found())
    }

    /// Review comment with an id, and its pull request.
    pub(crate) fn find_review_comment(
        &self,
        call: &Call,
        id: u64,
    ) -> Answer<(&Issue, &ReviewComment)> {
        let ordinal = Kind::ReviewComment.ordinal(id);
        let found = self.hub.pulls().find_map(|(issue, pull)| {
            let mut seen = pull.seen_comments();
            Some((issue, seen.find(|it| Some(it.id) == ordinal)?))
        });
        found.ok_or_else(|| call.not_found())
    }

    /// Replaces the text of a comment.
    pub(crate) fn edit_comment(&mut self, call: &Call, subject: Subject, body: &str) -> Answer<()> {
        let now = self.hub.now;
        match subject {
            Subject::Issue(_) => return Err(call.not_found()),
            Subject::Comment(id) => {
                let (number, ordinal) = self.place_of(call, id)?;
                check_comment(call, "IssueComment", body)?;
                if let Some(comment) = self.comment_mut(number, ordinal) {
                    comment.body = body.to_owned();
                    comment.updated_at = now;
                }
            }
            Subject::ReviewComment(id) => {
                let (number, ordinal) = self.place_of_line(call, id)?;
                check_comment(call, "PullRequestReviewComment", body)?;
                if let Some(comment) = self.review_comment_mut(number, ordinal) {
                    comment.body = body.to_owned();
                    comment.updated_at = now;
                }
            }
        }
        self.hub.tick();
        Ok(())
    }

    /// Deletes a comment.
    pub(crate) fn delete_comment(&mut self, call: &Call, subject: Subject) -> Answer<()> {
        let (number, of_line, ordinal) = match subject {
            Subject::Issue(_) => return Err(call.not_found()),
            Subject::Comment(id) => {
                let (number, ordinal) = self.place_of(call, id)?;
                (number, false, ordinal)
            }
            Subject::ReviewComment(id) => {
                let (number, ordinal) = self.place_of_line(call, id)?;
                (number, true, ordinal)
            }
        };
        if let Some(issue) = self.hub.issues.get_mut(&number) {
            match (&mut issue.pull, of_line) {
                (Some(pull), true) => pull.review_comments.retain(|it| it.id != ordinal),
                _ => issue.comments.retain(|it| it.id != ordinal),
            }
        }
        self.hub.tick();
        Ok(())
    }

    fn place_of(&self, call: &Call, id: u64) -> Answer<(u64, u64)> {
        let (issue, comment) = self.find_comment(call, id)?;
        Ok((issue.number, comment.id))
    }

    fn place_of_line(&self, call: &Call, id: u64) -> Answer<(u64, u64)> {
        let (issue, comment) = self.find_review_comment(call, id)?;
        Ok((issue.number, comment.id))
    }

    fn comment_mut(&mut self, number: u64, ordinal: u64) -> Option<&mut Comment> {
        let issue = self.hub.issues.get_mut(&number)?;
        issue.comments.iter_mut().find(|it| it.id == ordinal)
    }

    fn review_comment_mut(&mut self, number: u64, ordinal: u64) -> Option<&mut ReviewComment> {
        let pull = self.hub.issues.get_mut(&number)?.pull.as_mut()?;
        pull.review_comments.iter_mut().find(|it| it.id == ordinal)
    }

    /// Adds a reaction. Returns false if the viewer has reacted in the same way before.
    pub(crate) fn react(&mut self, call: &Call, subject: Subject, content: &str) -> Answer<bool> {
        if !REACTIONS.contains(&content) {
            return Err(call.invalid(vec![FieldError {
                resource: "Reaction",
                field: "content",
                code: "invalid",
                message: String::new(),
            }]));
        }
        let reaction = Reaction {
            user: self.viewer(),
            content: content.to_owned(),
        };
        let reactions = match subject {
            Subject::Issue(number) => {
                self.find_issue(call, number)?;
                let issue = self.hub.issues.get_mut(&number);
                issue.map(|issue| &mut issue.reactions)
            }
            Subject::Comment(id) => {
                let (number, ordinal) = self.place_of(call, id)?;
                let comment = self.comment_mut(number, ordinal);
                comment.map(|comment| &mut comment.reactions)
            }
            Subject::ReviewComment(id) => {
                let (number, ordinal) = self.place_of_line(call, id)?;
                let comment = self.review_comment_mut(number, ordinal);
                comment.map(|comment| &mut comment.reactions)
            }
        };
        let reactions = reactions.ok_or_else(|| call.not_found())?;
        if reactions.contains(&reaction) {
            return Ok(false);
        }
        reactions.push(reaction);
        self.hub.tick();
        Ok(true)
    }

    /// Locks or unlocks the conversation of an issue.
    pub(crate) fn set_locked(&mut self, call: &Call, number: u64, locked: bool) -> Answer<()> {
        self.find_issue(call, number)?;
        if let Some(issue) = self.hub.issues.get_mut(&number)
            && issue.locked != locked
        {
            issue.locked = locked;
            self.hub.tick();
        }
        Ok(())
    }
}
