//! Single comments, on issues and on the lines of pull requests, by their ids; and reactions.

use super::issues::check_comment;
use super::{Answer, Call, FieldError};
use crate::hub::{Comment, Issue, Kind, Reaction, ReviewComment};
use crate::view::Site;

/// What one can react to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// An issue or a pull request, by its number.
    Issue(u64),
    /// A comment on one, by its id.
    Comment(u64),
    /// A comment on a line, by its id.
    ReviewComment(u64),
}

/// The contents that a reaction may have.
pub(crate) const REACTIONS: [&str; 8] = [
    "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
];

impl Site {
    /// A comment by its id, and what it is on.
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

    /// A comment on a line by its id, and the pull request that it is on.
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

    /// Gives a comment another text.
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

    /// Takes a comment away.
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

    /// Reacts to something; whether that is new.
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

    /// Closes an issue to comments, or opens it to them again.
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
