//! Reviews. The real server makes them through GraphQL, which refuses in its own words.

use super::arguments::Arguments;
use super::commits::unresolved;
use super::decoded::{Decoded, Field};
use super::{Failure, Outcome, Output, said, shaped};
use crate::api::{Named, NewReviewComment, Page, ReviewEvent};
use crate::hub::Kind;
use crate::view::Site;

/// What a review is made of.
pub(super) const REVIEW: &[Field] = &[Field::Text("Body"), Field::Text("Event")];

/// What a review is submitted with.
pub(super) const SUBMITTED: &[Field] = &[Field::Text("Event"), Field::Text("Body")];

/// The commit that is reviewed.
pub(super) const COMMIT: &[Field] = &[Field::Text("CommitID")];

/// What a comment on a line is made of.
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
    pub(super) fn pull(&self) -> (Named, i64) {
        let number = self.number("PullNumber").unwrap_or(0);
        (self.repository(), number.into())
    }

    fn event(&self) -> Result<ReviewEvent, Failure> {
        let text = self.text("Event");
        ReviewEvent::parse(&text).ok_or_else(|| {
            Failure::Said(format!(
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

/// The number of a pull request that is there; GraphQL's words otherwise.
pub(super) fn find(site: &Site, at: &Named, number: i64) -> Result<u64, String> {
    if let Err(failure) = unresolved(site, at) {
        return Err(match failure {
            Failure::Said(problem) => problem,
            _ => String::new(),
        });
    }
    let known = u64::try_from(number).ok();
    known
        .filter(|number| site.hub.pull(*number).is_some())
        .ok_or_else(|| format!("Could not resolve to a PullRequest with the number of {number}."))
}

pub(super) fn get_reviews(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let reviews = site
        .list_reviews(&at, number, Page::default())
        .map_err(said("failed to get pull request reviews"))?;
    shaped("PullRequestReview", reviews)
}

pub(super) fn get_review_comments(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let comments = site
        .list_review_comments(&at, number, Page::asked(1, 100))
        .map_err(said("failed to get pull request review comments"))?;
    shaped("PullRequestComment", comments)
}

fn done(text: &str) -> Outcome {
    Ok(Output::Text(text.to_owned()))
}

/// The pull request that a review is made on, and the commit where one is named.
fn reviewed(site: &Site, with: &Decoded) -> Result<(u64, Option<String>), Failure> {
    let (at, number) = with.pull();
    let commit = with.given_text("CommitID");
    let number = find(site, &at, number)
        .map_err(|problem| Failure::Said(format!("failed to get pull request: {problem}")))?;
    let commit = match (commit, site.hub.pull(number)) {
        (Some(commit), Some((_, pull))) => {
            let found = site.commit_under_review(pull, &commit);
            let found = found.map_err(said("failed to get pull request"))?;
            Some(found.map_err(Failure::Said)?)
        }
        _ => None,
    };
    Ok((number, commit))
}

pub(super) fn create_and_submit(site: &mut Site, with: &Decoded) -> Outcome {
    let (number, commit) = reviewed(site, with)?;
    let body = with.text("Body");
    let event = with.event()?;
    if let Some((issue, _)) = site.hub.pull(number)
        && let Some(problem) = site.review_problem(issue, &body, event)
    {
        return Err(Failure::said(problem));
    }
    site.add_review(number, &body, Some(event), commit.as_deref());
    done("pull request review submitted successfully")
}

pub(super) fn create_pending(site: &mut Site, with: &Decoded) -> Outcome {
    let (number, commit) = reviewed(site, with)?;
    if let Some((_, pull)) = site.hub.pull(number)
        && site.pending_review(pull).is_some()
    {
        return Err(Failure::said(
            "User can only have one pending review per pull request",
        ));
    }
    site.add_review(number, "", None, commit.as_deref());
    done("pending pull request created")
}

/// The pull request, and the id of the pending review on it; the real server looks at the first review of whoever
/// acts.
fn pending(site: &Site, with: &Decoded) -> Result<(u64, u64), Failure> {
    let (at, number) = with.pull();
    let number = find(site, &at, number).map_err(|problem| {
        Failure::Said(format!(
            "failed to get latest review for current user: {problem}"
        ))
    })?;
    let pull = site.hub.pull(number).map(|(_, pull)| pull);
    let viewer = &site.hub.repository.viewer;
    let mut own = pull
        .into_iter()
        .flat_map(|pull| &pull.reviews)
        .filter(|it| it.user == *viewer);
    if let Some(review) = pull.and_then(|pull| site.pending_review(pull)) {
        return Ok((number, review.id));
    }
    match own.next() {
        None => Err(Failure::said("No pending review found for the viewer")),
        Some(review) => Err(Failure::Said(format!(
            "The latest review, found at {} is not pending",
            site.html(&format!(
                "/pull/{number}#pullrequestreview-{}",
                Kind::Review.id(review.id)
            ))
        ))),
    }
}

pub(super) fn add_comment(site: &mut Site, with: &Decoded) -> Outcome {
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
    let (number, review) = pending(site, with)?;
    if !matches!(subject.as_str(), "FILE" | "LINE") {
        return Err(Failure::Said(format!(
            "Variable $input of type AddPullRequestReviewThreadInput! was provided invalid value for subjectType \
             (Expected \"{subject}\" to be one of: LINE, FILE)"
        )));
    }
    if let Some(problem) = new.side_problem() {
        return Err(Failure::Said(problem));
    }
    if !about_file && new.line.is_none() {
        return Err(Failure::said(
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
    if let Some((_, pull)) = site.hub.pull(number) {
        let problem = site
            .comment_problem(pull, &new)
            .map_err(said("failed to add the comment"))?;
        if let Some(problem) = problem {
            return Err(Failure::said(problem));
        }
    }
    site.add_review_comment(number, review, new);
    done("pull request review comment successfully added to pending review")
}

pub(super) fn submit_pending(site: &mut Site, with: &Decoded) -> Outcome {
    let body = with.given_text("Body");
    let (number, review) = pending(site, with)?;
    let event = with.event()?;
    if let Some((issue, pull)) = site.hub.pull(number) {
        let has_comments = pull
            .review_comments
            .iter()
            .any(|it| it.review == Some(review));
        let text = body
            .as_deref()
            .unwrap_or(if has_comments { "-" } else { "" });
        if let Some(problem) = site.review_problem(issue, text, event) {
            return Err(Failure::Said(format!(
                "failed to submit pull request review: {problem}"
            )));
        }
    }
    site.submit_review(number, review, body.as_deref(), event);
    done("pending pull request review successfully submitted")
}

pub(super) fn delete_pending(site: &mut Site, with: &Decoded) -> Outcome {
    let (number, review) = pending(site, with)?;
    site.delete_review(number, review);
    done("pending pull request review successfully deleted")
}
