//! Reviews. The real server makes them through GraphQL, which refuses in its own words.

use super::arguments::Arguments;
use super::commits::unresolved;
use super::decoded::Decoded;
use super::{Failure, Outcome, Output, said, shaped};
use crate::api::{Named, NewReviewComment, Page, ReviewEvent};
use crate::hub::Kind;
use crate::view::Site;

impl Decoded<'_> {
    fn pull(&self) -> Result<(Named, u64), Failure> {
        let at = self.repository()?;
        Ok((at, self.number("pullNumber", "PullNumber")?.unwrap_or(0)))
    }

    fn event(&self) -> Result<ReviewEvent, Failure> {
        let text = self.text("event", "Event")?.unwrap_or_default();
        ReviewEvent::parse(&text).ok_or_else(|| {
            Failure::Said(format!(
                "Variable $input of type AddPullRequestReviewInput! was provided invalid value for event (Expected \
                 \"{text}\" to be one of: COMMENT, APPROVE, REQUEST_CHANGES, DISMISS)"
            ))
        })
    }
}

/// Makes sure that a pull request is there; GraphQL's words otherwise.
pub(super) fn find(site: &Site, at: &Named, number: u64) -> Result<(), String> {
    match unresolved(site, at) {
        Err(Failure::Said(problem)) => Err(problem),
        Err(_) => Err(String::new()),
        Ok(()) if site.hub.pull(number).is_some() => Ok(()),
        Ok(()) => Err(format!(
            "Could not resolve to a PullRequest with the number of {number}."
        )),
    }
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
fn reviewed(site: &Site, with: &Decoded<'_>) -> Result<(u64, Option<String>), Failure> {
    let (at, number) = with.pull()?;
    let commit = with.text("commitID", "CommitID")?;
    find(site, &at, number)
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

pub(super) fn create_and_submit(site: &mut Site, with: &Arguments) -> Outcome {
    let with = Decoded(with);
    let (number, commit) = reviewed(site, &with)?;
    let body = with.text("body", "Body")?.unwrap_or_default();
    let event = with.event()?;
    if let Some((issue, _)) = site.hub.pull(number)
        && let Some(problem) = site.review_problem(issue, &body, event)
    {
        return Err(Failure::said(problem));
    }
    site.add_review(number, &body, Some(event), commit.as_deref());
    done("pull request review submitted successfully")
}

pub(super) fn create_pending(site: &mut Site, with: &Arguments) -> Outcome {
    let with = Decoded(with);
    let (number, commit) = reviewed(site, &with)?;
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
fn pending(site: &Site, with: &Decoded<'_>) -> Result<(u64, u64), Failure> {
    let (at, number) = with.pull()?;
    find(site, &at, number).map_err(|problem| {
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

pub(super) fn add_comment(site: &mut Site, with: &Arguments) -> Outcome {
    let with = Decoded(with);
    let new = NewReviewComment {
        path: with.text("path", "Path")?.unwrap_or_default(),
        body: with.text("body", "Body")?.unwrap_or_default(),
        line: with.number("line", "Line")?,
        side: with.text("side", "Side")?,
        start_line: with.number("startLine", "StartLine")?,
        start_side: with.text("startSide", "StartSide")?,
        in_reply_to: None,
    };
    let subject = with.text("subjectType", "SubjectType")?.unwrap_or_default();
    let about_file = subject == "FILE";
    let (number, review) = pending(site, &with)?;
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
    let new = match about_file {
        true => NewReviewComment {
            line: None,
            start_line: None,
            ..new
        },
        false => new,
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

pub(super) fn submit_pending(site: &mut Site, with: &Arguments) -> Outcome {
    let with = Decoded(with);
    let body = with.text("body", "Body")?;
    let (number, review) = pending(site, &with)?;
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

pub(super) fn delete_pending(site: &mut Site, with: &Arguments) -> Outcome {
    let with = Decoded(with);
    let (number, review) = pending(site, &with)?;
    site.delete_review(number, review);
    done("pending pull request review successfully deleted")
}
