//! What GitHub's API does: operations on a [`Site`], with its rules and its refusals.
//!
//! Both the MCP tools and whoever speaks REST stand on these.

mod actions;
mod address;
mod comments;
mod commits;
mod compare;
mod contents;
mod error;
mod gists;
mod git_data;
mod hunks;
mod issues;
mod labels;
mod merging;
mod notes;
mod page;
mod people;
mod pulls;
mod query;
mod recent;
mod releases;
mod remarks;
mod reviews;
mod search;
mod searchable;
mod settings;
mod sub_issues;
mod threads;
mod timeline;
mod words;

pub(crate) use actions::RunList;
use address::address;
pub(crate) use address::{broken_escape, decoded, parted, stepped};
pub(crate) use comments::{REACTIONS, Subject};
pub(crate) use compare::MOST_FILES;
pub(crate) use contents::{At, Link, PutFile};
pub(crate) use error::{ApiError, FieldError, Refusal};
pub(crate) use git_data::{NewCommit, TreeContent, TreeFile};
pub(crate) use issues::{ISSUE_ORDERS, IssueChange, IssueList, LONGEST_TITLE, NewIssue};
pub(crate) use labels::MilestoneChange;
pub(crate) use merging::{MergeRequest, Mergeable, Method};
pub(crate) use notes::NotesOf;
pub(crate) use page::{Page, Paged, cursor, position};
pub(crate) use pulls::{Compared, NewPull, PullChange, PullList};
pub(crate) use remarks::STATES;
pub(crate) use reviews::{NewReviewComment, ReviewEvent};
pub(crate) use search::Sorted;
pub(crate) use settings::RepositoryChange;
pub(crate) use timeline::{Closer, Event, Messages, What};

use crate::git::{GitError, Identity};
use crate::view::Site;

/// What an operation gives.
pub(crate) type Answer<T> = Result<T, ApiError>;

/// A request to the API: where refusals get their first words from.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: &'static str,
    url: String,
}

impl Call {
    /// A refusal of this request.
    pub(crate) fn refuse(&self, status: u16, message: impl Into<String>) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status,
            message: message.into(),
            errors: Vec::new(),
        }))
    }

    /// A refusal with what is wrong with single fields.
    pub(crate) fn invalid(&self, errors: Vec<FieldError>) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status: 422,
            message: "Validation Failed".to_owned(),
            errors,
        }))
    }

    /// A refusal in words of its own that names the field it is about.
    pub(crate) fn refuse_field(&self, message: &str, error: FieldError) -> ApiError {
        ApiError::Refused(Box::new(error::Refusal {
            method: self.method,
            url: self.url.clone(),
            status: 422,
            message: message.to_owned(),
            errors: vec![error],
        }))
    }

    /// A refusal with what is wrong with the request as a whole.
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

    /// What git said of a request: a refusal of this one, or a fault of the repository.
    pub(crate) fn refused_by_git(&self, error: GitError) -> ApiError {
        match error {
            error if error.is_refusal() => self.refuse(422, error.to_string()),
            error => error.into(),
        }
    }

    /// The refusal where there is nothing.
    pub(crate) fn not_found(&self) -> ApiError {
        self.refuse(404, "Not Found")
    }
}

/// The repository that a request names.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) owner: String,
    pub(crate) repo: String,
}

impl Site {
    /// A request below a repository; refused where it is another than this one.
    pub(crate) fn call(&self, at: &Named, method: &'static str, below: &str) -> Answer<Call> {
        let Named { owner, repo } = at;
        let call = Call {
            method,
            url: crate::view::API.to_owned() + &address(&format!("/repos/{owner}/{repo}{below}")),
        };
        if self.hub.is(owner, repo) {
            Ok(call)
        } else {
            Err(call.not_found())
        }
    }

    /// A request that names no repository.
    pub(crate) fn call_anywhere(&self, method: &'static str, path: &str) -> Call {
        Call {
            method,
            url: crate::view::API.to_owned() + &address(path),
        }
    }

    /// The login of whoever acts.
    pub(crate) fn viewer(&self) -> String {
        self.hub.repository.viewer.clone()
    }

    /// The name and the address that commits of a user bear, now.
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

    /// Who commits what is done on the web, now.
    pub(crate) fn web_flow(&self) -> Identity {
        Identity {
            name: "GitHub".to_owned(),
            email: "noreply@github.com".to_owned(),
            seconds: self.hub.now.0,
            offset: 0,
        }
    }
}
