//! Continuous integration (CI): runs of workflows on pushes, pull requests and requests.
//!
//! A world has workflow files (`.github/workflows/*.yml`) and, outside its tree, a guest that runs them. When a call
//! moves a branch or changes the head of an open pull request, each workflow of the new commit whose `on` names the
//! event gets a run, regardless of which tool was called. Without such a guest, a world has no new runs.
//!
//! # CI guest
//!
//! The guest is a verifier: it sees only two trees and parameters, and returns named checks. The final tree is the
//! tested one: the tree of the commit or, for a pull request, the merge of its head into its base. The starting tree is
//! the one to compare it with: that of the branch before the push, or of the base of the pull request. It is empty if
//! there is none. The parameters are the event:
//!
//! ```json
//! {"event": "push", "ref": "refs/heads/main", "branch": "main", "sha": "…", "before": "…", "actor": "ann",
//!  "workflow": {"path": ".github/workflows/check.yml", "file": {"name": "check", "on": …, "jobs": …}},
//!  "commits": [{"id": "…", "message": "…", "author": {"name": "…", "email": "…"}}],
//!  "pull_request": {"number": 7, "title": "…", "body": "…", "user": "…", "head": "…", "base": "…",
//!                   "draft": false, "labels": ["…"]}}
//! ```
//!
//! `workflow.file` is the workflow as JSON, so that the guest can run the steps of the file. `before` and
//! `pull_request` are null if they do not apply. `commits` lists the new commits, oldest first, at most
//! [`MAX_COMMITS`].
//!
//! A check is a step with the name `<job> / <step>`, and its detail is the output of the step. Jobs and steps have the
//! order of the checks. After a failed step, the remaining steps of the job are skipped, even if their checks pass. A
//! job fails if one of its steps fails, and a run fails if one of its jobs fails.
//!
//! # Errors and faults
//!
//! An invalid workflow file results in a run without jobs and with the conclusion `failure`, as on GitHub, because the
//! agent may have written the file.
//!
//! If the guest traps or exceeds a limit on a tree, it runs once on the tree that the world started with, with the
//! first valid workflow of that tree, or with one without jobs. If it succeeds there, the tree of the agent caused the
//! fault: the run gets one failed job, whose log names the kind of the fault ([`InputFault`]). Otherwise an agent could
//! end its session, and thereby avoid its grade, with a commit that is too expensive for the guest. The same applies if
//! the guest reports steps with invalid names. The log contains no message of the sandbox, because it is part of the
//! final state, and a reworded message must not change states.
//!
//! If the guest faults on the starting tree as well, the guest is broken. It is part of the world, so the attempt
//! cannot be graded: the session ends with a fault that names the guest.
//!
//! # Limits
//!
//! The workflows that one call triggers share [`FUEL_OF_A_CALL`] units of fuel, and their number is limited to
//! [`MAX_RUNS_OF_A_CALL`]. A workflow for which no fuel is left fails, and its log gives the reason. Runs beyond the
//! number are not made. A cancelled call starts no further workflow.
//!
//! Head and base of a pull request are merged only if a workflow matches the event and the branch, and only once in a
//! call for each pair of commits. There is no run if the merge is refused, needs more memory than the call may use, or
//! is cancelled. If a commit differs in more files than can be compared, path filters are ignored, as on GitHub.

mod checkout;
mod run;
mod shared;
mod watch;

use std::sync::Arc;

use mcpmark_snapshot::Snapshot;
use shared::Shared;
use watch::Watch;

use self::checkout::Checkouts;
use crate::git::{GitError, ObjectId};
use crate::repository::{RepositoryState, RunRequests};

/// Maximum number of commits in the parameters of an event.
pub const MAX_COMMITS: usize = 50;

/// Fuel that the workflows of one call share, in the units of the sandbox. This is ten times the limit of a single
/// workflow, and takes some seconds of processor time.
pub const FUEL_OF_A_CALL: u64 = 10_000_000_000;

/// Maximum number of runs that one call makes. Pushes come first, by branch, then pull requests by number; the
/// workflows of each are ordered by path.
pub const MAX_RUNS_OF_A_CALL: u64 = 100;

/// Executor of workflows, which has the CI guest of the world.
pub trait Runner: Send + Sync {
    /// Runs one workflow on one event with at most `fuel` units of fuel. The error is [`RunnerError::Spent`] if the
    /// workflow might have ended with more of them.
    fn run(&self, event: Event, fuel: u64) -> Ran;
}

/// Result of a workflow with the fuel that it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Reported steps, or the error that prevented a result.
    pub result: Result<Vec<Reported>, RunnerError>,
    /// Fuel used, in the units of the sandbox.
    pub fuel: u64,
}

/// Input of a runner.
#[derive(Debug, Clone)]
pub struct Event {
    /// Snapshot to compare the tested tree with.
    pub before: Snapshot,
    /// Snapshot of the tested tree.
    pub after: Snapshot,
    /// Parameters of the event, as a JSON object.
    pub parameters: String,
}

/// Result of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Name in the form `<job> / <step>`.
    pub name: String,
    /// True if the step succeeded.
    pub passed: bool,
    /// Output of the step.
    pub output: String,
}

/// Kind of a fault of the guest that its input determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFault {
    /// Panic, or violation of a rule of the interface.
    Trap,
    /// Limit of fuel of a single workflow.
    Fuel,
    /// Limit of memory.
    Memory,
    /// Limit of virtual time spent waiting.
    Wait,
    /// Limit of bytes that the guest reads.
    Copy,
    /// Result that is too large or malformed.
    Output,
    /// File of the commit that the guest cannot read.
    Unreadable,
}

impl InputFault {
    /// Returns the text in the log of the failed run. Logs are part of states, so it must not change.
    fn log_text(self) -> &'static str {
        match self {
            Self::Trap => "trap: the program that runs it stopped with an error",
            Self::Fuel => "fuel: the program that runs it used all its fuel",
            Self::Memory => "memory: the program that runs it reached the limit of memory",
            Self::Wait => "wait: the program that runs it waited too long",
            Self::Copy => "copy: the program that runs it read too many bytes",
            Self::Output => "output: its result is too large or malformed",
            Self::Unreadable => "unreadable: a file of the commit cannot be read",
        }
    }
}

/// Error of running one workflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunnerError {
    /// The guest failed for a reason that does not depend on its input.
    #[error("the world's ci guest failed: {0}")]
    Guest(String),
    /// The guest trapped or exceeded a limit on this input, and would do so on every machine.
    #[error("the world's ci guest failed: {message}")]
    Input {
        /// Kind of the fault, which determines the text in the log of the run.
        fault: InputFault,
        /// Message of the sandbox.
        message: String,
    },
    /// The host failed.
    #[error("the host failed while the ci guest ran: {0}")]
    Host(String),
    /// The limit of fuel or of runs for all workflows of a call or a script is reached.
    #[error("{0}")]
    Spent(String),
}

impl RunnerError {
    /// Returns the error of a workflow that the remaining fuel of its call ended. Its text becomes part of a log, and
    /// logs are part of states, so it must not change.
    pub fn fuel_of_call() -> Self {
        Self::Spent(format!(
            "the workflows that one call sets off use more than {FUEL_OF_A_CALL} units of fuel together (fixed)"
        ))
    }
}

/// Error of running the workflows after a call.
#[derive(Debug, thiserror::Error)]
pub enum CiError {
    /// The guest did not return a result.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The repository is damaged or cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The guest reported a check whose name is not in the form of a step.
    #[error(
        "the world's guest for continuous integration reports {0:?}, which is not \"<job> / <step>\""
    )]
    NoStep(String),
}

/// Event on which workflows run.
struct Cause {
    event: &'static str,
    action: &'static str,
    branch: String,
    /// Commit to which the runs belong.
    head: ObjectId,
    /// Commit to compare the head with.
    base: Option<ObjectId>,
    pull: Option<u64>,
}

/// CI of one session.
pub(crate) struct Ci {
    runner: Arc<dyn Runner>,
    /// Branches and pull requests as they were after the previous call.
    watch: Watch,
    checkouts: Checkouts,
    shared: Shared,
    /// Tip of the default branch when the session began.
    start: Option<ObjectId>,
    /// Test of the guest on `start`: true if it returned a result. `None` before the test.
    start_is_sound: Option<bool>,
    budget: Budget,
}

/// Limits of the workflows of one call, or of all requests of a script.
#[derive(Debug, Clone, Copy)]
enum Budget {
    /// Remaining limits of the current call of a session. Runs beyond `runs` are not made, and without `fuel` they
    /// fail.
    Call { runs: u64, fuel: u64 },
    /// Number of runs that a script has made, and their maximum. Exceeding it ends the script. The runner meters the
    /// fuel of a script itself.
    Script { runs: u64, most: u64 },
}

impl Budget {
    const CALL: Self = Self::Call {
        runs: MAX_RUNS_OF_A_CALL,
        fuel: FUEL_OF_A_CALL,
    };
}

impl Ci {
    /// Starts to watch a repository, which accepts requests for runs from now on. Its present branches and pull requests
    /// cause no runs.
    pub(crate) fn new(runner: Arc<dyn Runner>, repo: &mut RepositoryState) -> Self {
        repo.run_requests = Some(RunRequests::default());
        Self {
            runner,
            watch: Watch::of(repo),
            checkouts: Checkouts::default(),
            shared: Shared::default(),
            start: repo.git.branch(&repo.hub.repository.default_branch),
            start_is_sound: None,
            budget: Budget::CALL,
        }
    }

    /// Sets the maximum number of runs that one script may make with all its requests.
    pub(crate) fn limit(&mut self, most: u64) {
        self.budget = Budget::Script { runs: 0, most };
    }
}
