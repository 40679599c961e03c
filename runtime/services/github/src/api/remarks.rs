//! Comments on commits, and commit statuses set by programs.

use super::issues::check_comment;
use super::{Answer, Call, FieldError};
use crate::git::ObjectId;
use crate::hub::{CommitComment, CommitStatus, Kind, STATUS_STATES};
use crate::repository::RepositoryState;

/// Maximum number of characters of the description of a status.
const MAX_CHARACTERS: usize = 140;
/// Maximum number of statuses with the same context on a commit.
const MAX_STATUSES: usize = 1_000;

impl RepositoryState {
    /// Adds a status to a commit.
    pub(crate) fn create_status(
        &mut self,
        call: &Call,
        commit: ObjectId,
        mut status: CommitStatus,
    ) -> Answer<CommitStatus> {
        let invalid = |field, message: &str| {
            call.invalid(vec![FieldError {
                resource: "Status",
                field,
                code: "custom",
                message: message.to_owned(),
            }])
        };
        if !STATUS_STATES.contains(&status.state.as_str()) {
            return Err(invalid("state", "state is not included in the list"));
        }
        let says = status.description.as_deref().unwrap_or_default();
        if says.chars().count() > MAX_CHARACTERS {
            let problem = "description is too long (maximum is 140 characters)";
            return Err(invalid("description", problem));
        }
        let sha = commit.to_string();
        let known = self.hub.remarks.get(&sha);
        let same = known.map_or(0, |known| {
            let statuses = known.statuses.iter();
            statuses.filter(|it| it.context == status.context).count()
        });
        if same >= MAX_STATUSES {
            let problem = "This SHA and context has reached the maximum number of statuses.";
            return Err(invalid("base", problem));
        }
        self.hub.last.remark += 1;
        status.id = self.hub.last.remark;
        status.created_at = self.hub.now;
        let of = self.hub.remarks_mut(&sha);
        of.statuses.push(status.clone());
        self.hub.tick();
        Ok(status)
    }

    /// Adds a comment to a commit.
    pub(crate) fn create_commit_comment(
        &mut self,
        call: &Call,
        commit: ObjectId,
        mut comment: CommitComment,
    ) -> Answer<CommitComment> {
        check_comment(call, "CommitComment", &comment.body)?;
        let now = self.hub.now;
        self.hub.last.remark += 1;
        comment.id = self.hub.last.remark;
        (comment.created_at, comment.updated_at) = (now, now);
        let of = self.hub.remarks_mut(&commit.to_string());
        of.comments.push(comment.clone());
        self.hub.tick();
        Ok(comment)
    }

    /// Commit of a comment, and the index of the comment, by its id.
    pub(crate) fn find_commit_comment(&self, call: &Call, id: u64) -> Answer<(String, usize)> {
        let ordinal = Kind::CommitComment.ordinal(id);
        let found = self.hub.remarks.values().find_map(|of| {
            let mut comments = of.comments.iter();
            let place = comments.position(|it| Some(it.id) == ordinal)?;
            Some((of.sha.clone(), place))
        });
        found.ok_or_else(|| call.not_found())
    }

    /// Replaces the text of a comment on a commit, or deletes the comment if there is no text.
    pub(crate) fn change_commit_comment(
        &mut self,
        call: &Call,
        id: u64,
        body: Option<String>,
    ) -> Answer<()> {
        let (sha, place) = self.find_commit_comment(call, id)?;
        if let Some(body) = &body {
            check_comment(call, "CommitComment", body)?;
        }
        let now = self.hub.now;
        let of = self.hub.remarks_mut(&sha);
        match body {
            Some(body) => {
                of.comments[place].body = body;
                of.comments[place].updated_at = now;
            }
            None => {
                of.comments.remove(place);
            }
        }
        if of.comments.is_empty() && of.statuses.is_empty() {
            self.hub.remarks.remove(&sha);
        }
        self.hub.tick();
        Ok(())
    }
}
