//! Pull requests.

use super::arguments::Arguments;
use super::decoded::{Decoded, PULL};
use super::{Failure, Outcome, Output, minimal, said, shaped};
use crate::api::{ApiError, MergeRequest, Method, NewPull, PullChange, PullList};
use crate::hub::Kind;
use crate::view::Site;

pub(super) fn get_pull_request(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let pull = site
        .get_pull(&at, number)
        .map_err(said("failed to get pull request"))?;
    shaped("PullRequest", pull)
}

/// Which pull requests a list is asked for.
pub(super) fn list(with: &Arguments) -> Result<PullList, Failure> {
    Ok(PullList {
        state: with.optional_text("state")?,
        head: with.optional_text("head")?,
        base: with.optional_text("base")?,
        sort: with.optional_text("sort")?,
        direction: with.optional_text("direction")?,
    })
}

pub(super) fn list_pull_requests(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let list = list(with)?;
    let page = with.page()?;
    let pulls = site
        .list_pulls(&at, &list, page)
        .map_err(said("failed to list pull requests"))?;
    shaped("PullRequest", pulls)
}

/// The pull request that is asked for. What must be there is looked at first.
pub(super) fn new_pull(with: &Arguments) -> Result<NewPull, Failure> {
    let title = with.text("title")?;
    let head = with.text("head")?;
    let base = with.text("base")?;
    let body = with.optional_text("body")?;
    Ok(NewPull {
        issue: None,
        title,
        body: Some(body).filter(|body| !body.is_empty()),
        head,
        base,
        draft: with.given_bool("draft")?.unwrap_or(false),
        maintainer_can_modify: with.given_bool("maintainer_can_modify")?.unwrap_or(false),
    })
}

pub(super) fn create_pull_request(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let new = new_pull(with)?;
    let number = site
        .create_pull(&at, new)
        .map_err(said("failed to create pull request"))?;
    answer(site, number)
}

/// What is said of a pull request that was made or changed.
pub(super) fn answer(site: &Site, number: u64) -> Outcome {
    let page = site.html(&format!("/pull/{number}"));
    minimal(Kind::Pull.id(number), &page.into())
}

pub(super) fn update_pull_request(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let draft = with.given_bool("draft")?;
    let change = PullChange {
        title: with.given_text("title")?,
        body: with.given_text("body")?,
        state: with.given_text("state")?,
        base: with.given_text("base")?,
        maintainer_can_modify: with.given_bool("maintainer_can_modify")?,
    };
    // The client leaves the base out where it closes: GitHub would refuse both at once.
    let closes = change.state.as_deref() == Some("closed");
    let reviewers = with.texts("reviewers")?;
    if change.is_empty() && draft.is_none() && reviewers.is_empty() {
        return Err(Failure::said("No update parameters provided."));
    }
    if !change.is_empty() {
        let change = PullChange {
            base: change.base.filter(|_| !closes),
            ..change
        };
        site.edit_pull(&at, number, change)
            .map_err(said("failed to update pull request"))?;
    }
    if let Some(draft) = draft {
        super::reviews::find(site, &at, with.number("pullNumber")?)
            .map_err(|problem| Failure::Said(format!("Failed to find pull request: {problem}")))?;
        site.set_draft(number, draft);
    }
    if !reviewers.is_empty() {
        site.request_reviewers(&at, number, &reviewers)
            .map_err(said("failed to request reviewers"))?;
    }
    answer(site, number)
}

pub(super) fn merge_pull_request(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let title = with.optional_text("commit_title")?;
    let message = with.optional_text("commit_message")?;
    let method = with.optional_text("merge_method")?;
    let method = Method::parse(&method).ok_or_else(|| {
        Failure::Said(format!(
            "failed to merge pull request: PUT {}/repos/{}/{}/pulls/{number}/merge: 422 Invalid request.\n\n\
             \"{method}\" is not a member of [\"merge\", \"squash\", \"rebase\"]. []",
            crate::view::API, at.owner, at.repo
        ))
    })?;
    let request = MergeRequest {
        method,
        title,
        message,
    };
    let merged = site
        .merge_pull(&at, number, &request)
        .map_err(said("failed to merge pull request"))?;
    shaped("PullRequestMergeResult", merged)
}

pub(super) fn update_pull_request_branch(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let expected = with.optional_text("expectedHeadSha")?;
    site.update_branch(&at, number, &expected)
        .map_err(said("failed to update pull request branch"))?;
    // GitHub does it later, and says so.
    Ok(Output::Text(
        "Pull request branch update is in progress".to_owned(),
    ))
}

pub(super) fn get_pull_request_files(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let page = with.page()?;
    let files = site
        .list_pull_files(&at, number, page)
        .map_err(said("failed to get pull request files"))?;
    shaped("CommitFile", files)
}

pub(super) fn get_pull_request_diff(site: &Site, with: &Arguments) -> Outcome {
    let (at, number) = Decoded::strict(with, &[PULL])?.pull();
    let number = u64::try_from(number).unwrap_or(0);
    let diff = site
        .pull_diff(&at, number)
        .map_err(said("failed to get pull request diff"))?;
    Ok(Output::Text(diff))
}

pub(super) fn get_pull_request_status(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let find = || -> Result<_, ApiError> {
        let call = site.call(&at, "GET", &format!("/pulls/{number}"))?;
        let (_, pull) = site.find_pull(&call, number)?;
        Ok(site.ends(pull)?)
    };
    let (_, head) = find().map_err(said("failed to get pull request"))?;
    shaped("CombinedStatus", site.combined_status(head))
}
