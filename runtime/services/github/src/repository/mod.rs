//! State of the repository, and facts that are derived from it: changes and mergeability of pull requests, positions of
//! review comments, events, results of checks, workflows and languages.
//!
//! The renderer, the operations of the API and the workflows are built on this state.

mod checks;
mod comparison;
mod hunks;
mod languages;
mod mergeability;
mod people;
mod recent;
mod threads;
mod timeline;
mod workflows;

use std::cell::RefCell;

use comparison::Compared;
pub(crate) use hunks::Hunks;
use languages::Languages;
pub(crate) use mergeability::Mergeable;
pub(crate) use threads::{Threads, change_of};
use timeline::Messages;
pub(crate) use timeline::{ClosedBy, Event, EventKind};
use workflows::LastWorkflow;
pub(crate) use workflows::{RunRequest, RunRequests};

use crate::git::Git;
use crate::hub::Hub;

/// Base URL of the API.
pub(crate) const API: &str = "https://api.github.com";
/// Base URL of web pages.
pub(crate) const HTML: &str = "https://github.com";

/// Repository with all data that the API shows.
pub(crate) struct RepositoryState {
    pub(crate) hub: Hub,
    pub(crate) git: Git,
    /// Requests to the workflows. `None` if workflows are not run.
    pub(crate) run_requests: Option<RunRequests>,
    /// Cache of the issues that commit messages mention, by commit.
    messages: RefCell<Messages>,
    /// Caches of recent comparisons of commits and files.
    compared: RefCell<Compared>,
    /// Cache of the languages of the default branch.
    languages: RefCell<Languages>,
    /// Cache of the workflow file that was read last.
    last_workflow: RefCell<LastWorkflow>,
}

impl RepositoryState {
    /// Repository whose workflows are not run.
    pub(crate) fn new(hub: Hub, git: Git) -> Self {
        Self {
            hub,
            git,
            run_requests: None,
            messages: RefCell::default(),
            compared: RefCell::default(),
            languages: RefCell::default(),
            last_workflow: RefCell::default(),
        }
    }

    /// Login of the viewer.
    pub(crate) fn viewer(&self) -> String {
        self.hub.repository.viewer.clone()
    }

    /// Full name of the repository: `owner/name`.
    pub(crate) fn full_name(&self) -> String {
        let repository = &self.hub.repository;
        format!("{}/{}", repository.owner, repository.name)
    }

    /// URL of the API below the repository.
    pub(crate) fn api(&self, below: &str) -> String {
        format!("{API}/repos/{}{below}", self.full_name())
    }

    /// URL of a web page below the repository.
    pub(crate) fn html(&self, below: &str) -> String {
        format!("{HTML}/{}{below}", self.full_name())
    }
}
