//! Tools for pull requests.

use super::arguments::Arguments;
use super::decoded::{Decoded, PULL};
use super::{Failure, Outcome, Output, minimal, shaped, tool_error};
use crate::api::{ApiError, MergeRequest, Method, NewPull, PullChange, PullList};
use crate::hub::Kind;
use crate::repository::RepositoryState;

pub(super) fn get_pull_request(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let pull = repo
        .get_pull(&at, number)
        .map_err(tool_error("failed to get pull request"))?;
    shaped("PullRequest", pull)
}

/// Reads the filters and the order of a list of pull requests.
pub(super) fn list(with: &Arguments) -> Result<PullList, Failure> {
    Ok(PullList {
        state: with.optional_text("state")?,
        head: with.optional_text("head")?,
        base: with.optional_text("base")?,
        sort: with.optional_text("sort")?,
        direction: with.optional_text("direction")?,
    })
}

pub(super) fn list_pull_requests(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let list = list(with)?;
    let page = with.page()?;
    let pulls = repo
        .list_pulls(&at, &list, page)
        .map_err(tool_error("failed to list pull requests"))?;
    shaped("PullRequest", pulls)
}

/// Reads the pull request to create. Required arguments are checked first.
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

pub(super) fn create_pull_request(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let new = new_pull(with)?;
    let number = repo
        .create_pull(&at, new)
        .map_err(tool_error("failed to create pull request"))?;
    answer(repo, number)
}

/// Result for a pull request that was created or updated.
pub(super) fn answer(repo: &RepositoryState, number: u64) -> Outcome {
    let page = repo.html(&format!("/pull/{number}"));
    minimal(Kind::Pull.id(number), &page.into())
}

pub(super) fn update_pull_request(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
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
    // The client omits the base if it closes the pull request, because GitHub would reject both together.
    let closes = change.state.as_deref() == Some("closed");
    let reviewers = with.texts("reviewers")?;
    if change.is_empty() && draft.is_none() && reviewers.is_empty() {
        return Err(Failure::tool_error("No update parameters provided."));
    }
    if !change.is_empty() {
        let change = PullChange {
            base: change.base.filter(|_| !closes),
            ..change
        };
        repo.edit_pull(&at, number, change)
            .map_err(tool_error("failed to update pull request"))?;
    }
    if let Some(draft) = draft {
        super::reviews::find(repo, &at, with.number("pullNumber")?).map_err(|problem| {
            Failure::ToolError(format!("Failed to find pull request: {problem}"))
        })?;
        repo.set_draft(number, draft);
    }
    if !reviewers.is_empty() {
        repo.request_reviewers(&at, number, &reviewers)
            .map_err(tool_error("failed to request reviewers"))?;
    }
    answer(repo, number)
}

pub(super) fn merge_pull_request(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let title = with.optional_text("commit_title")?;
    let message = with.optional_text("commit_message")?;
    let method = with.optional_text("merge_method")?;
    let method = Method::parse(&method).ok_or_else(|| {
        Failure::ToolError(format!(
            "failed to merge pull request: PUT {}/repos/{}/{}/pulls/{number}/merge: 422 Invalid request.\n\n\
             \"{method}\" is not a member of [\"merge\", \"squash\", \"rebase\"]. []",
            crate::repository::API, at.owner, at.repo
        ))
    })?;
    let request = MergeRequest {
        method,
        title,
        message,
    };
    let merged = repo
        .merge_pull(&at, number, &request)
        .map_err(tool_error("failed to merge pull request"))?;
    shaped("PullRequestMergeResult", merged)
}

pub(super) fn update_pull_request_branch(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let expected = with.optional_text("expectedHeadSha")?;
    repo.update_branch(&at, number, &expected)
        .map_err(tool_error("failed to update pull request branch"))?;
    // GitHub updates the branch asynchronously, and returns this message.
    Ok(Output::Text(
        "Pull request branch update is in progress".to_owned(),
    ))
}

pub(super) fn get_pull_request_files(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let page = with.page()?;
    let files = repo
        .list_pull_files(&at, number, page)
        .map_err(tool_error("failed to get pull request files"))?;
    shaped("CommitFile", files)
}

pub(super) fn get_pull_request_diff(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let (at, number) = Decoded::strict(with, &[PULL])?.pull();
    let number = u64::try_from(number).unwrap_or(0);
    let diff = repo
        .pull_diff(&at, number)
        .map_err(tool_error("failed to get pull request diff"))?;
    Ok(Output::Text(diff))
}

pub(super) fn get_pull_request_status(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    let find = || -> Result<_, ApiError> {
        let call = repo.call(&at, "GET", &format!("/pulls/{number}"))?;
        let (_, pull) = repo.find_pull(&call, number)?;
        Ok(repo.ends(pull)?)
    };
    let (_, head) = find().map_err(tool_error("failed to get pull request"))?;
    shaped("CombinedStatus", repo.combined_status(head))
}
