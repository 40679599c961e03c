//! Tools for reviews. The published server creates reviews through GraphQL, which has its own error messages.

use super::arguments::Arguments;
use super::commits::unresolved;
use super::decoded::{Decoded, Field};
use super::{Failure, Outcome, Output, shaped, tool_error};
use crate::api::{NewReviewComment, Page, RepositoryName, ReviewEvent};
use crate::hub::Kind;
use crate::repository::RepositoryState;

/// Arguments of a review that is created and submitted.
pub(super) const REVIEW: &[Field] = &[Field::Text("Body"), Field::Text("Event")];

/// Arguments of submitting a pending review.
pub(super) const SUBMITTED: &[Field] = &[Field::Text("Event"), Field::Text("Body")];

/// Argument for the reviewed commit.
pub(super) const COMMIT: &[Field] = &[Field::Text("CommitID")];

/// Arguments of a review comment.
pub(super) const COMMENT: &[Field] = &[
    Field::Text("Path"),
    Field::Text("Body"),
    Field::Text("SubjectType"),
    Field::Number("Line"),
    Field::Text("Side"),
    Field::Number("StartLine"),
    Field::Text("StartSide"),
];

impl Decoded {
    pub(super) fn pull(&self) -> (RepositoryName, i64) {
        let number = self.number("PullNumber").unwrap_or(0);
        (self.repository(), number.into())
    }

    fn event(&self) -> Result<ReviewEvent, Failure> {
        let text = self.text("Event");
        ReviewEvent::parse(&text).ok_or_else(|| {
            Failure::ToolError(format!(
                "Variable $input of type AddPullRequestReviewInput! was provided invalid value for event (Expected \
                 \"{text}\" to be one of: COMMENT, APPROVE, REQUEST_CHANGES, DISMISS)"
            ))
        })
    }

    fn line(&self, name: &str) -> Option<u64> {
        self.number(name)
            .map(|line| u64::try_from(line).unwrap_or(0))
    }
}

/// Returns the number of an existing pull request, or GraphQL's error.
pub(super) fn find(
    repo: &RepositoryState,
    at: &RepositoryName,
    number: i64,
) -> Result<u64, String> {
    if let Err(failure) = unresolved(repo, at) {
        return Err(match failure {
            Failure::ToolError(problem) => problem,
            _ => String::new(),
        });
    }
    let known = u64::try_from(number).ok();
    known
        .filter(|number| repo.hub.pull(*number).is_some())
        .ok_or_else(|| format!("Could not resolve to a PullRequest with the number of {number}."))
}

pub(super) fn get_reviews(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let reviews = repo
        .list_reviews(&at, number, Page::default())
        .map_err(tool_error("failed to get pull request reviews"))?;
    shaped("PullRequestReview", reviews)
}

pub(super) fn get_review_comments(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let comments = repo
        .list_review_comments(&at, number, Page::asked(1, 100))
        .map_err(tool_error("failed to get pull request review comments"))?;
    shaped("PullRequestComment", comments)
}

fn done(text: &str) -> Outcome {
    Ok(Output::Text(text.to_owned()))
}

/// Returns the reviewed pull request, and the reviewed commit if one is given.
fn reviewed(repo: &RepositoryState, with: &Decoded) -> Result<(u64, Option<String>), Failure> {
    let (at, number) = with.pull();
    let commit = with.given_text("CommitID");
    let number = find(repo, &at, number)
        .map_err(|problem| Failure::ToolError(format!("failed to get pull request: {problem}")))?;
    let commit = match (commit, repo.hub.pull(number)) {
        (Some(commit), Some((_, pull))) => {
            let found = repo.commit_under_review(pull, &commit);
            let found = found.map_err(tool_error("failed to get pull request"))?;
            Some(found.map_err(Failure::ToolError)?)
        }
        _ => None,
    };
    Ok((number, commit))
}

pub(super) fn create_and_submit(repo: &mut RepositoryState, with: &Decoded) -> Outcome {
    let (number, commit) = reviewed(repo, with)?;
    let body = with.text("Body");
    let event = with.event()?;
    if let Some((issue, _)) = repo.hub.pull(number)
        && let Some(problem) = repo.review_problem(issue, &body, event)
    {
        return Err(Failure::tool_error(problem));
    }
    repo.add_review(number, &body, Some(event), commit.as_deref());
    done("pull request review submitted successfully")
}

pub(super) fn create_pending(repo: &mut RepositoryState, with: &Decoded) -> Outcome {
    let (number, commit) = reviewed(repo, with)?;
    if let Some((_, pull)) = repo.hub.pull(number)
        && repo.pending_review(pull).is_some()
    {
        return Err(Failure::tool_error(
            "User can only have one pending review per pull request",
        ));
    }
    repo.add_review(number, "", None, commit.as_deref());
    done("pending pull request created")
}

/// Returns the numbers of the pull request and of the viewer's pending review. Otherwise, the error names the first
/// review of the viewer, as by the published server.
fn pending(repo: &RepositoryState, with: &Decoded) -> Result<(u64, u64), Failure> {
    let (at, number) = with.pull();
    let number = find(repo, &at, number).map_err(|problem| {
        Failure::ToolError(format!(
            "failed to get latest review for current user: {problem}"
        ))
    })?;
    let pull = repo.hub.pull(number).map(|(_, pull)| pull);
    let viewer = &repo.hub.repository.viewer;
    let mut own = pull
        .into_iter()
        .flat_map(|pull| &pull.reviews)
        .filter(|it| it.user == *viewer);
    if let Some(review) = pull.and_then(|pull| repo.pending_review(pull)) {
        return Ok((number, review.id));
    }
    match own.next() {
        None => Err(Failure::tool_error(
            "No pending review found for the viewer",
        )),
        Some(review) => Err(Failure::ToolError(format!(
            "The latest review, found at {} is not pending",
            repo.html(&format!(
                "/pull/{number}#pullrequestreview-{}",
                Kind::Review.id(review.id)
            ))
        ))),
    }
}

pub(super) fn add_comment(repo: &mut RepositoryState, with: &Decoded) -> Outcome {
    let new = NewReviewComment {
        path: with.text("Path"),
        body: with.text("Body"),
        line: with.line("Line"),
        side: with.given_text("Side"),
        start_line: with.line("StartLine"),
        start_side: with.given_text("StartSide"),
        in_reply_to: None,
    };
    let subject = with.text("SubjectType");
    let about_file = subject == "FILE";
    let (number, review) = pending(repo, with)?;
    if !matches!(subject.as_str(), "FILE" | "LINE") {
        return Err(Failure::ToolError(format!(
            "Variable $input of type AddPullRequestReviewThreadInput! was provided invalid value for subjectType \
             (Expected \"{subject}\" to be one of: LINE, FILE)"
        )));
    }
    if let Some(problem) = new.side_problem() {
        return Err(Failure::ToolError(problem));
    }
    if !about_file && new.line.is_none() {
        return Err(Failure::tool_error(
            "pull_request_review_thread.line can't be blank",
        ));
    }
    let new = if about_file {
        NewReviewComment {
            line: None,
            start_line: None,
            ..new
        }
    } else {
        new
    };
    if let Some((_, pull)) = repo.hub.pull(number) {
        let problem = repo
            .comment_problem(pull, &new)
            .map_err(tool_error("failed to add the comment"))?;
        if let Some(problem) = problem {
            return Err(Failure::tool_error(problem));
        }
    }
    repo.add_review_comment(number, review, new);
    done("pull request review comment successfully added to pending review")
}

pub(super) fn submit_pending(repo: &mut RepositoryState, with: &Decoded) -> Outcome {
    let body = with.given_text("Body");
    let (number, review) = pending(repo, with)?;
    let event = with.event()?;
    if let Some((issue, pull)) = repo.hub.pull(number) {
        let has_comments = pull
            .review_comments
            .iter()
            .any(|it| it.review == Some(review));
        let text = body
            .as_deref()
            .unwrap_or(if has_comments { "-" } else { "" });
        if let Some(problem) = repo.review_problem(issue, text, event) {
            return Err(Failure::ToolError(format!(
                "failed to submit pull request review: {problem}"
            )));
        }
    }
    repo.submit_review(number, review, body.as_deref(), event);
    done("pending pull request review successfully submitted")
}

pub(super) fn delete_pending(repo: &mut RepositoryState, with: &Decoded) -> Outcome {
    let (number, review) = pending(repo, with)?;
    repo.delete_review(number, review);
    done("pending pull request review successfully deleted")
}
