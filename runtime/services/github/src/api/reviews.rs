//! Reviews of pull requests, submitted at once or pending until their submission.

use std::collections::HashSet;

use serde_json::Value;

use super::issues::{body_problem, unique};
use super::{Answer, Call, Page, Paged, RepositoryName};
use crate::git::ObjectId;
use crate::hub::{Issue, Kind, Pull, Review, ReviewComment, ReviewState, State};
use crate::repository::{Hunks, RepositoryState, change_of};

/// Decision of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewEvent {
    Approve,
    RequestChanges,
    Comment,
}

impl ReviewEvent {
    /// Parses the name in requests.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "APPROVE" => Some(Self::Approve),
            "REQUEST_CHANGES" => Some(Self::RequestChanges),
            "COMMENT" => Some(Self::Comment),
            _ => None,
        }
    }

    fn state(self) -> ReviewState {
        match self {
            Self::Approve => ReviewState::Approved,
            Self::RequestChanges => ReviewState::ChangesRequested,
            Self::Comment => ReviewState::Commented,
        }
    }
}

/// Review comment to be created.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewReviewComment {
    pub(crate) path: String,
    pub(crate) body: String,
    pub(crate) line: Option<u64>,
    pub(crate) side: Option<String>,
    pub(crate) start_line: Option<u64>,
    pub(crate) start_side: Option<String>,
    /// Ordinal of the comment that it answers.
    pub(crate) in_reply_to: Option<u64>,
}

impl NewReviewComment {
    /// Error message of GraphQL for an invalid side.
    pub(crate) fn side_problem(&self) -> Option<String> {
        let sides = [("side", &self.side), ("startSide", &self.start_side)];
        sides.iter().find_map(|(name, side)| {
            let side = side.as_ref()?;
            (!matches!(side.as_str(), "LEFT" | "RIGHT")).then(|| {
                format!(
                    "Variable $input of type AddPullRequestReviewThreadInput! was provided invalid value for {name} \
                     (Expected \"{side}\" to be one of: LEFT, RIGHT)"
                )
            })
        })
    }
}

impl RepositoryState {
    /// Reply to a review comment, on the same lines.
    pub(crate) fn reply_to(
        &self,
        call: &Call,
        number: u64,
        id: u64,
        body: String,
    ) -> Answer<NewReviewComment> {
        let (issue, comment) = self.find_review_comment(call, id)?;
        if issue.number != number {
            return Err(call.not_found());
        }
        Ok(NewReviewComment {
            path: comment.path.clone(),
            body,
            line: comment.line,
            side: comment.side.clone(),
            start_line: comment.start_line,
            start_side: comment.start_side.clone(),
            // All replies of a thread refer to its first comment.
            in_reply_to: Some(comment.in_reply_to.unwrap_or(comment.id)),
        })
    }

    /// Full id of the commit of a new review, or the error message of GraphQL if the pull request does not contain the
    /// commit.
    pub(crate) fn commit_under_review(
        &self,
        pull: &Pull,
        commit: &str,
    ) -> Answer<Result<String, String>> {
        let Ok(id) = ObjectId::from_hex(commit.as_bytes()) else {
            return Ok(Err(format!(
                "Variable $input of type AddPullRequestReviewInput! was provided invalid value for commitOID (Could \
                 not coerce value \"{commit}\" to GitObjectID)"
            )));
        };
        let sha = id.to_string();
        let own = sha == pull.head_sha || self.pull_commit_ids(pull)?.contains(&id);
        Ok(if own {
            Ok(sha)
        } else {
            Err("The commit ID is not part of the pull request".to_owned())
        })
    }

    /// Error message of GraphQL if a review is not allowed.
    pub(crate) fn review_problem(
        &self,
        issue: &Issue,
        body: &str,
        event: ReviewEvent,
    ) -> Option<&'static str> {
        let own = issue.user.eq_ignore_ascii_case(&self.hub.repository.viewer);
        match event {
            ReviewEvent::Approve if own => Some("Can not approve your own pull request"),
            ReviewEvent::RequestChanges if own => {
                Some("Can not request changes on your own pull request")
            }
            ReviewEvent::Approve if body.trim().is_empty() => None,
            _ => body_problem(body),
        }
    }

    /// Pending review of the viewer.
    pub(crate) fn pending_review<'a>(&self, pull: &'a Pull) -> Option<&'a Review> {
        let viewer = &self.hub.repository.viewer;
        pull.reviews
            .iter()
            .find(|review| review.state == ReviewState::Pending && review.user == *viewer)
    }

    /// Adds a review and returns its ordinal. Without an event, the review is pending.
    pub(crate) fn add_review(
        &mut self,
        number: u64,
        body: &str,
        event: Option<ReviewEvent>,
        commit: Option<&str>,
    ) -> u64 {
        let (now, user) = (self.hub.now, self.viewer());
        let id = self.hub.next_review();
        let Some(issue) = self.hub.issues.get_mut(&number) else {
            return id;
        };
        let Some(pull) = &mut issue.pull else {
            return id;
        };
        pull.reviews.push(Review {
            id,
            user: user.clone(),
            body: body.to_owned(),
            state: event.map_or(ReviewState::Pending, ReviewEvent::state),
            commit_id: commit.unwrap_or(&pull.head_sha).to_owned(),
            submitted_at: event.map(|_| now),
        });
        if event.is_some() {
            pull.requested_reviewers.retain(|login| *login != user);
            issue.updated_at = now;
        }
        self.hub.tick();
        id
    }

    /// Submits a pending review.
    pub(crate) fn submit_review(
        &mut self,
        number: u64,
        id: u64,
        body: Option<&str>,
        event: ReviewEvent,
    ) {
        let now = self.hub.now;
        let Some(issue) = self.hub.issues.get_mut(&number) else {
            return;
        };
        let Some(pull) = &mut issue.pull else { return };
        if let Some(review) = pull.reviews.iter_mut().find(|review| review.id == id) {
            review.state = event.state();
            review.submitted_at = Some(now);
            if let Some(body) = body {
                review.body = body.to_owned();
            }
            let user = review.user.clone();
            pull.requested_reviewers.retain(|login| *login != user);
        }
        issue.updated_at = now;
        self.hub.tick();
    }

    /// Deletes a pending review with its comments.
    pub(crate) fn delete_review(&mut self, number: u64, id: u64) {
        let issue = self.hub.issues.get_mut(&number);
        if let Some(pull) = issue.and_then(|issue| issue.pull.as_mut()) {
            pull.reviews.retain(|review| review.id != id);
            pull.review_comments
                .retain(|comment| comment.review != Some(id));
            self.hub.tick();
        }
    }

    /// Review with an id, if the viewer can see it.
    pub(crate) fn find_review<'a>(
        &self,
        call: &Call,
        pull: &'a Pull,
        id: u64,
    ) -> Answer<&'a Review> {
        let ordinal = Kind::Review.ordinal(id);
        let viewer = &self.hub.repository.viewer;
        let mut reviews = pull.reviews.iter();
        let found = reviews.find(|review| {
            let seen = review.submitted_at.is_some() || review.user == *viewer;
            Some(review.id) == ordinal && seen
        });
        found.ok_or_else(|| call.not_found())
    }

    /// Replaces the text of a review.
    pub(crate) fn edit_review(&mut self, number: u64, id: u64, body: &str) {
        let issue = self.hub.issues.get_mut(&number);
        let pull = issue.and_then(|issue| issue.pull.as_mut());
        let review = pull.and_then(|pull| pull.reviews.iter_mut().find(|it| it.id == id));
        if let Some(review) = review {
            review.body = body.to_owned();
            self.hub.tick();
        }
    }

    /// Dismisses a review that approves or requests changes.
    pub(crate) fn dismiss_review(&mut self, call: &Call, number: u64, id: u64) -> Answer<()> {
        let now = self.hub.now;
        let issue = self.hub.issues.get_mut(&number);
        let issue = issue.ok_or_else(|| call.not_found())?;
        let pull = issue.pull.as_mut().ok_or_else(|| call.not_found())?;
        let review = pull.reviews.iter_mut().find(|it| it.id == id);
        let review = review.ok_or_else(|| call.not_found())?;
        let state = match review.state {
            ReviewState::Approved | ReviewState::ChangesRequested => None,
            ReviewState::Commented => Some("commented"),
            ReviewState::Pending => Some("pending"),
            ReviewState::Dismissed => Some("dismissed"),
        };
        if let Some(state) = state {
            let problem = format!("Can not dismiss a {state} pull request review");
            return Err(call.unprocessable(&[&problem]));
        }
        review.state = ReviewState::Dismissed;
        issue.updated_at = now;
        self.hub.tick();
        Ok(())
    }

    /// Removes requested reviewers.
    pub(crate) fn remove_reviewers(
        &mut self,
        call: &Call,
        number: u64,
        people: &[String],
    ) -> Answer<()> {
        self.find_pull(call, number)?;
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number)
            && let Some(pull) = &mut issue.pull
        {
            let people: HashSet<String> = people.iter().map(|it| it.to_ascii_lowercase()).collect();
            let stays = |login: &String| !people.contains(&login.to_ascii_lowercase());
            pull.requested_reviewers.retain(stays);
            issue.updated_at = now;
            self.hub.tick();
        }
        Ok(())
    }

    /// Error message of GraphQL if a new comment has an invalid body or position.
    pub(crate) fn comment_problem(
        &self,
        pull: &Pull,
        new: &NewReviewComment,
    ) -> Answer<Option<&'static str>> {
        if let Some(problem) = body_problem(&new.body) {
            return Ok(Some(problem));
        }
        let changes = self.pull_changes(pull)?;
        let Some(change) = change_of(&changes, &new.path) else {
            return Ok(Some(
                "pull_request_review_thread.path is not part of the pull request",
            ));
        };
        let Some(line) = new.line else {
            return Ok(None);
        };
        let hunks = Hunks::of(change.hunks.as_deref().unwrap_or_default())?;
        let left = new.side.as_deref() == Some("LEFT");
        let Some(hunk) = hunks.find(line, left) else {
            return Ok(Some(
                "pull_request_review_thread.line must be part of the diff",
            ));
        };
        let Some(start) = new.start_line else {
            return Ok(None);
        };
        let side = new.start_side.as_ref().or(new.side.as_ref());
        let starts_left = side.is_some_and(|side| side == "LEFT");
        Ok(if starts_left == left && start >= line {
            Some("pull_request_review_thread.start_line must precede the end line.")
        } else if hunks.find(start, starts_left) != Some(hunk) {
            Some("pull_request_review_thread.start_line must be part of the same hunk as the line.")
        } else {
            None
        })
    }

    /// Adds a comment to a review and returns its ordinal.
    pub(crate) fn add_review_comment(
        &mut self,
        number: u64,
        review: u64,
        new: NewReviewComment,
    ) -> u64 {
        let (now, user) = (self.hub.now, self.viewer());
        let id = self.hub.next_comment();
        let issue = self.hub.issues.get_mut(&number);
        let Some(pull) = issue.and_then(|issue| issue.pull.as_mut()) else {
            return id;
        };
        let mut others = pull.review_comments.iter();
        let about = match others.find(|it| Some(it.id) == new.in_reply_to) {
            // A reply has the position of its thread.
            Some(answered) => answered.clone(),
            None => ReviewComment {
                path: new.path,
                line: new.line,
                side: new.side,
                start_line: new.start_line,
                start_side: new.start_side,
                commit_id: pull.head_sha.clone(),
                ..ReviewComment::default()
            },
        };
        pull.review_comments.push(ReviewComment {
            id,
            review: Some(review),
            in_reply_to: new.in_reply_to,
            user,
            body: new.body,
            created_at: now,
            updated_at: now,
            reactions: Vec::new(),
            resolved: false,
            ..about
        });
        self.hub.tick();
        id
    }

    /// Page of the reviews of a pull request. Pending reviews are included only for their author.
    pub(crate) fn list_reviews(
        &self,
        at: &RepositoryName,
        number: u64,
        page: Page,
    ) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/pulls/{number}/reviews"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        let viewer = &self.hub.repository.viewer;
        let seen = |review: &&Review| review.submitted_at.is_some() || review.user == *viewer;
        let reviews = pull.reviews.iter().filter(seen).page(page);
        Ok(reviews.map(|review| self.review(issue, review)).collect())
    }

    /// Page of the review comments of a pull request.
    pub(crate) fn list_review_comments(
        &self,
        at: &RepositoryName,
        number: u64,
        page: Page,
    ) -> Answer<Value> {
        let call = self.call(at, "GET", &format!("/pulls/{number}/comments?per_page=100"))?;
        let (issue, pull) = self.find_pull(&call, number)?;
        let mut list = Vec::new();
        for comment in pull.seen_comments().page(page) {
            list.push(self.review_comment(issue, comment)?);
        }
        Ok(list.into())
    }

    /// Requests reviews from users.
    pub(crate) fn request_reviewers(
        &mut self,
        at: &RepositoryName,
        number: u64,
        people: &[String],
    ) -> Answer<()> {
        let below = format!("/pulls/{number}/requested_reviewers");
        let call = self.call(at, "POST", &below)?;
        let (issue, _) = self.find_pull(&call, number)?;
        self.check_reviewers(&call, issue, people)?;
        let people = self.logins(people);
        let now = self.hub.now;
        if let Some(issue) = self.hub.issues.get_mut(&number)
            && let Some(pull) = &mut issue.pull
        {
            pull.requested_reviewers.extend(people);
            pull.requested_reviewers = unique(std::mem::take(&mut pull.requested_reviewers));
            issue.updated_at = now;
            self.hub.tick();
        }
        Ok(())
    }

    fn check_reviewers(&self, call: &Call, issue: &Issue, people: &[String]) -> Answer<()> {
        let repository = &self.hub.repository;
        if people
            .iter()
            .any(|login| login.eq_ignore_ascii_case(&issue.user))
        {
            return Err(call.refuse(422, "Review cannot be requested from pull request author."));
        }
        let member = |login: &String| {
            let is = |known: &String| known.eq_ignore_ascii_case(login);
            // Any known user may be asked for a review of a closed pull request.
            self.hub.user(login).is_some()
                && (issue.state == State::Closed
                    || repository.collaborators.is_empty()
                    || is(&repository.owner)
                    || repository.collaborators.iter().any(is))
        };
        if people.iter().all(member) {
            Ok(())
        } else {
            Err(call.refuse(
                422,
                format!(
                    "Reviews may only be requested from collaborators. One or more of the users or teams you \
                     specified is not a collaborator of the {} repository.",
                    self.full_name()
                ),
            ))
        }
    }
}
