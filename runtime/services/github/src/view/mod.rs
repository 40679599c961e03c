//! The objects of GitHub's REST API, with its fields in its order, made of what hub and git know.

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

/// Where addresses of the API begin.
pub(crate) const API: &str = "https://api.github.com";
/// Where addresses for people begin.
pub(crate) const HTML: &str = "https://github.com";

/// A repository with all that GitHub knows of it.
pub(crate) struct Site {
    pub(crate) hub: Hub,
    pub(crate) git: Git,
    /// What runs workflows; none where nothing does.
    pub(crate) ci: Option<Ci>,
    /// What has been learned of the messages of commits, which never change.
    pub(crate) messages: RefCell<Messages>,
    /// What the last pull requests that were asked about change.
    pub(crate) compared: RefCell<Compared>,
    /// The languages of the default branch, as they were last counted.
    languages: RefCell<Languages>,
    /// The workflow file that was read last.
    last_workflow: RefCell<LastWorkflow>,
}

impl Site {
    /// A repository where no workflow runs.
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

    /// The same repository, whose workflows are run from now on.
    pub(crate) fn with_runner(mut self, runner: Arc<dyn Runner>) -> Self {
        self.ci = Some(Ci::new(runner, &self));
        self
    }

    /// `owner/name`.
    pub(crate) fn full_name(&self) -> String {
        let repository = &self.hub.repository;
        format!("{}/{}", repository.owner, repository.name)
    }

    /// An address of the API below the repository.
    pub(crate) fn api(&self, below: &str) -> String {
        format!("{API}/repos/{}{below}", self.full_name())
    }

    /// An address for people below the repository.
    pub(crate) fn html(&self, below: &str) -> String {
        format!("{HTML}/{}{below}", self.full_name())
    }
}

/// How the author of something stands to the repository.
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

/// The reactions to something, summed up.
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

/// A time that may be absent.
pub(crate) fn time(time: Option<Time>) -> Value {
    time.map_or(Value::Null, |time| time.to_string().into())
}

/// A view, or the damage that stands in its way.
pub(crate) type Viewed = Result<Value, GitError>;
