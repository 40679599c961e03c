//! Continuous integration: what runs when a branch moves or a pull request is opened.
//!
//! A world has workflow files (`.github/workflows/*.yml`) and, beside its tree, a guest that runs them. When a branch
//! gets a commit or an open pull request another head, each workflow of that commit whose `on` names the event makes a
//! run, whichever call was the cause. A world without such a guest has no new runs.
//!
//! # The guest
//!
//! It is a verifier: it sees two trees and nothing else, and gives named checks. The final tree is what is tested (the
//! commit; for a pull request, its head merged into its base), the starting tree is what that is compared with (the
//! branch before, the base of the pull request; empty where there is none). Its parameters are the event:
//!
//! ```json
//! {"event": "push", "ref": "refs/heads/main", "branch": "main", "sha": "…", "before": "…", "actor": "ann",
//!  "workflow": {"path": ".github/workflows/check.yml", "file": {"name": "check", "on": …, "jobs": …}},
//!  "commits": [{"id": "…", "message": "…", "author": {"name": "…", "email": "…"}}],
//!  "pull_request": {"number": 7, "title": "…", "body": "…", "user": "…", "head": "…", "base": "…",
//!                   "draft": false, "labels": ["…"]}}
//! ```
//!
//! `workflow.file` is the workflow as JSON, so that the guest runs the steps that the file has. `before` and
//! `pull_request` are null where there is none; `commits` are the new ones, the oldest first, at most [`MOST_COMMITS`].
//!
//! A check is a step, called `<job> / <step>`; its detail is what the step prints. Jobs and steps come in the order of
//! the checks. In a job, what follows a step that failed is skipped, whatever the guest says of it. A job has failed
//! when a step of it has, and a run when a job of it has.
//!
//! # What goes wrong
//!
//! A workflow file that is none makes a run without jobs whose conclusion is `failure`, as on GitHub: the agent may
//! have written it. Where the guest traps or uses up its fuel or memory on a tree, it is run once on the tree that the
//! world started with, by a workflow of that tree or, where it has none, by one without jobs. If it comes to an outcome
//! there, the tree of the agent is to blame: the run has one job, which failed and whose log has the fault. An agent
//! could otherwise end its session, and so its grade, by a commit that is too much for the guest. The same holds where
//! the guest reports steps without names. If it faults on the starting tree as well, the guest is broken. It is part of
//! the world, so nobody's work may be judged by its silence: the session ends with a fault that names it, and the
//! attempt is not graded.
//!
//! # Limits
//!
//! The workflows that one call sets off share [`FUEL_OF_A_CALL`] and are at most [`MOST_RUNS_OF_A_CALL`]. A workflow
//! for which no fuel is left fails, and its log says why; runs beyond the number are not made. A call that is cancelled
//! starts no further workflow.

mod checkout;
mod glob;
mod run;
mod watch;
mod workflow;
mod yaml;

use std::sync::Arc;

use mcpmark_snapshot::Snapshot;
use watch::Watch;
pub(crate) use workflow::{FOLDER, Workflow};

use self::checkout::Checkouts;
use crate::git::{GitError, ObjectId};
use crate::view::Site;

/// The most commits that an event tells of.
pub const MOST_COMMITS: usize = 50;

/// Fuel that the workflows of one call share, in the units of the sandbox: ten times that of one, and some seconds of
/// processor time.
pub const FUEL_OF_A_CALL: u64 = 10_000_000_000;

/// The most runs that one call makes, the first ones by branch, pull request and path.
pub const MOST_RUNS_OF_A_CALL: u64 = 100;

/// Runs the workflows of a world.
pub trait Runner: Send + Sync {
    /// Runs one workflow on one event, with at most `fuel` units of fuel.
    fn run(&self, event: Event, fuel: u64) -> Ran;
}

/// The result of a workflow, and the fuel that it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The steps, or why there is no outcome.
    pub result: Result<Vec<Reported>, RunnerError>,
    /// The fuel used, in the units of the sandbox.
    pub fuel: u64,
}

/// What a runner is given.
#[derive(Debug, Clone)]
pub struct Event {
    /// What the tested tree is compared with.
    pub before: Snapshot,
    /// The tree that is tested.
    pub after: Snapshot,
    /// What happened, as a JSON object.
    pub parameters: String,
}

/// What became of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// `<job> / <step>`.
    pub name: String,
    /// Whether it succeeded.
    pub passed: bool,
    /// What it printed.
    pub output: String,
}

/// Why a workflow has no outcome.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunnerError {
    /// The guest stopped for a reason that its input does not decide.
    #[error("the world's guest for continuous integration broke: {0}")]
    Guest(String),
    /// The guest stopped, and would on every machine: it traps or exceeds a limit on this input.
    #[error("the world's guest for continuous integration broke: {0}")]
    Input(String),
    /// The machine failed.
    #[error("the host failed while continuous integration ran: {0}")]
    Host(String),
    /// The fuel or the number of runs that a call or a script may use for all its workflows is used up.
    #[error("{0}")]
    Spent(String),
}

/// Why workflows could not be run.
#[derive(Debug, thiserror::Error)]
pub enum CiError {
    /// The guest gave no outcome.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The repository is damaged, or cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The guest reports what is no step.
    #[error(
        "the world's guest for continuous integration reports {0:?}, which is not \"<job> / <step>\""
    )]
    NoStep(String),
}

/// The continuous integration of one session.
pub(crate) struct Ci {
    runner: Arc<dyn Runner>,
    /// What was last seen of branches and pull requests.
    watch: Watch,
    /// What somebody asked for, to be done when the call is over.
    asked: Vec<Wanted>,
    checkouts: Checkouts,
    /// The tip of the default branch when this began.
    start: Option<ObjectId>,
    /// Whether the guest comes to an outcome on `start`, once that was tried.
    start_is_sound: Option<bool>,
    budget: Budget,
}

/// What the workflows of a call, or of a script with all its requests, may use.
#[derive(Debug, Clone, Copy)]
enum Budget {
    /// What is left to the current call of a session. Workflows beyond it fail.
    Call { runs: u64, fuel: u64 },
    /// The runs that a script has made, and the most that it may make. One more ends the script, whose runner counts the
    /// fuel itself.
    Script { runs: u64, most: u64 },
}

impl Budget {
    const CALL: Self = Self::Call {
        runs: MOST_RUNS_OF_A_CALL,
        fuel: FUEL_OF_A_CALL,
    };
}

/// What can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Another attempt at a run.
    Again {
        /// The run.
        id: u64,
        /// The jobs to run again; those that the others had stand as they are. None: all.
        jobs: Option<Vec<String>>,
    },
    /// A run on the tip of a branch.
    Dispatch {
        /// The workflow's file.
        path: String,
        /// The branch.
        branch: String,
    },
}

impl Ci {
    /// Begins to watch a repository: what is there has happened already.
    pub(crate) fn new(runner: Arc<dyn Runner>, site: &Site) -> Self {
        Self {
            runner,
            watch: Watch::of(site),
            asked: Vec::new(),
            checkouts: Checkouts::default(),
            start: site.git.branch(&site.hub.repository.default_branch),
            start_is_sound: None,
            budget: Budget::CALL,
        }
    }

    /// Sets the number of runs that one script may make with all its requests.
    pub(crate) fn limit(&mut self, most: u64) {
        self.budget = Budget::Script { runs: 0, most };
    }

    /// Notes that a branch has another name, which is no push.
    pub(crate) fn renamed(&mut self, old: &str, new: &str) {
        self.watch.renamed(old, new);
    }

    pub(crate) fn ask(&mut self, wanted: Wanted) {
        self.asked.push(wanted);
    }
}
