//! Objects of GitHub's REST API, derived from hub and git, with the fields in the order of GitHub.

mod actions;
mod commit;
mod content;
mod event;
mod gist;
mod issue;
mod job;
mod language;
mod pull;
mod remarks;
mod repository;
mod user;

use std::cell::RefCell;
use std::sync::Arc;

pub(crate) use actions::combined_state;
pub(crate) use commit::percent_encoded;
pub(crate) use content::guess_type;
use job::LastWorkflow;
use language::Languages;
use serde_json::{Value, json};

use crate::api::{Compared, Messages};
use crate::ci::{Ci, Runner};
use crate::git::{Git, GitError};
use crate::hub::{Hub, Reaction, Time};

/// Base URL of the API.
pub(crate) const API: &str = "https://api.github.com";
/// Base URL of web pages.
pub(crate) const HTML: &str = "https://github.com";

/// Repository with all data that the API shows.
pub(crate) struct RepositoryState {
    pub(crate) hub: Hub,
    pub(crate) git: Git,
    /// Runner of the workflows. `None` if workflows are not run.
    pub(crate) ci: Option<Ci>,
    /// Cache of the issues that commit messages mention, by commit.
    pub(crate) messages: RefCell<Messages>,
    /// Caches of recent comparisons of commits and files.
    pub(crate) compared: RefCell<Compared>,
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
            ci: None,
            messages: RefCell::default(),
            compared: RefCell::default(),
            languages: RefCell::default(),
            last_workflow: RefCell::default(),
        }
    }

    /// Enables workflows, from the current state of the repository on.
    pub(crate) fn with_runner(mut self, runner: Arc<dyn Runner>) -> Self {
        self.ci = Some(Ci::new(runner, &self));
        self
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

/// Association of an author with the repository (`author_association`).
pub(crate) fn association(hub: &Hub, login: &str) -> &'static str {
    let repository = &hub.repository;
    let is = |known: &String| known.eq_ignore_ascii_case(login);
    if is(&repository.owner) {
        "OWNER"
    } else if repository.collaborators.iter().any(is) {
        "COLLABORATOR"
    } else {
        "CONTRIBUTOR"
    }
}

/// Summary of reactions.
pub(crate) fn reactions(url: &str, reactions: &[Reaction]) -> Value {
    let mut summary = json!({"url": format!("{url}/reactions"), "total_count": reactions.len()});
    for content in [
        "+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes",
    ] {
        let count = reactions.iter().filter(|it| it.content == content).count();
        summary[content] = count.into();
    }
    summary
}

/// Time, or null if absent.
pub(crate) fn time(time: Option<Time>) -> Value {
    time.map_or(Value::Null, |time| time.to_string().into())
}

/// JSON object of the API, or the error of git that prevented it.
pub(crate) type Viewed = Result<Value, GitError>;
