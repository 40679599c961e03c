//! Operations of GitHub's API on a [`RepositoryState`], with GitHub's rules and error messages.
//!
//! The MCP tools and the REST server are built on these operations.

mod actions;
mod address;
mod comments;
mod commits;
mod compare;
mod contents;
mod error;
mod gists;
mod git_data;
mod issues;
mod labels;
mod merging;
mod notes;
mod page;
mod pulls;
mod query;
mod releases;
mod remarks;
mod reviews;
mod search;
mod searchable;
mod settings;
mod sub_issues;
mod words;

pub(crate) use actions::RunList;
use address::address;
pub(crate) use address::{broken_escape, decoded, parted, stepped};
pub(crate) use comments::Subject;
pub(crate) use compare::MAX_FILES;
pub(crate) use contents::{FileOrDirectory, Link, PutFile};
pub(crate) use error::{ApiError, FieldError, Refusal};
pub(crate) use git_data::{NewCommit, TreeContent, TreeFile};
pub(crate) use issues::{ISSUE_ORDERS, IssueChange, IssueList, NewIssue};
pub(crate) use labels::MilestoneChange;
pub(crate) use merging::{MergeRequest, Method};
pub(crate) use notes::NotesOf;
pub(crate) use page::{Page, Paged, cursor, position};
pub(crate) use pulls::{NewPull, PullChange, PullList};
pub(crate) use reviews::{NewReviewComment, ReviewEvent};
pub(crate) use search::Sorted;
pub(crate) use settings::RepositoryChange;

use crate::git::{GitError, Identity};
use crate::repository::RepositoryState;

/// Result of an operation.
pub(crate) type Answer<T> = Result<T, ApiError>;

/// Request to the API. Its method and URL begin the error messages.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: &'static str,
    url: String,
}

impl Call {
    /// Error response to this request.
    pub(crate) fn refuse(&self, status: u16, message: impl Into<String>) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status,
            message: message.into(),
            errors: Vec::new(),
        }))
    }

    /// Error response with errors of single fields.
    pub(crate) fn invalid(&self, errors: Vec<FieldError>) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status: 422,
            message: "Validation Failed".to_owned(),
            errors,
        }))
    }

    /// Error response with its own message and the field to which it belongs.
    pub(crate) fn refuse_field(&self, message: &str, error: FieldError) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status: 422,
            message: message.to_owned(),
            errors: vec![error],
        }))
    }

    /// Error response with errors of the request as a whole.
    pub(crate) fn unprocessable(&self, problems: &[&str]) -> ApiError {
        let error = |problem: &&str| FieldError {
            message: (*problem).to_owned(),
            ..FieldError::default()
        };
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status: 422,
            message: "Unprocessable Entity".to_owned(),
            errors: problems.iter().map(error).collect(),
        }))
    }

    /// Converts an error of git to an error response if git refused the request. Passes other errors on.
    pub(crate) fn refused_by_git(&self, error: GitError) -> ApiError {
        match error {
            error if error.is_refusal() => self.refuse(422, error.to_string()),
            error => error.into(),
        }
    }

    /// Error response if something does not exist.
    pub(crate) fn not_found(&self) -> ApiError {
        self.refuse(404, "Not Found")
    }
}

/// Repository that a request names.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryName {
    pub(crate) owner: String,
    pub(crate) repo: String,
}

impl RepositoryState {
    /// Request with a path below a repository.
    ///
    /// # Errors
    ///
    /// Returns 404 if the request names another repository.
    pub(crate) fn call(
        &self,
        at: &RepositoryName,
        method: &'static str,
        below: &str,
    ) -> Answer<Call> {
        let RepositoryName { owner, repo } = at;
        let call = Call {
            method,
            url: crate::repository::API.to_owned()
                + &address(&format!("/repos/{owner}/{repo}{below}")),
        };
        if self.hub.is_repository(owner, repo) {
            Ok(call)
        } else {
            Err(call.not_found())
        }
    }

    /// Request without a repository.
    pub(crate) fn call_anywhere(&self, method: &'static str, path: &str) -> Call {
        Call {
            method,
            url: crate::repository::API.to_owned() + &address(path),
        }
    }

    /// Name and email address for commits of a user, with the current time.
    pub(crate) fn identity(&self, login: &str) -> Identity {
        let user = self.hub.user(login);
        let login = user.map_or(login, |user| user.login.as_str());
        let name = user.and_then(|user| user.name.clone());
        let email = user.and_then(|user| user.email.clone());
        Identity {
            name: name.unwrap_or_else(|| login.to_owned()),
            email: email.unwrap_or_else(|| format!("{login}@users.noreply.github.com")),
            seconds: self.hub.now.0,
            offset: 0,
        }
    }

    /// Committer of changes on the web, with the current time.
    pub(crate) fn web_flow(&self) -> Identity {
        Identity {
            name: "GitHub".to_owned(),
            email: "noreply@github.com".to_owned(),
            seconds: self.hub.now.0,
            offset: 0,
        }
    }
}
