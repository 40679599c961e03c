//! Execution of workflows and recording of their runs and jobs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::shared::Shared;
use super::watch::RefChange;
use super::{
    Budget, Cause, Ci, CiError, Event, FUEL_OF_A_CALL, MAX_COMMITS, Reported, RunnerError,
};
use crate::call;
use crate::git::{GitError, ObjectId};
use crate::hub::{Job, Run, State, Step, Time};
use crate::repository::{RepositoryState, RunRequest};
use crate::workflow::{TriggerEvent, Workflow};

/// Markers in a commit message that skip workflows.
const SKIPPED: [&str; 5] = [
    "[skip ci]",
    "[ci skip]",
    "[no ci]",
    "[skip actions]",
    "[actions skip]",
];

const SUCCESS: &str = "success";
const FAILURE: &str = "failure";

impl Ci {
    /// Runs workflows at the end of a call: for branches that moved, for pull requests that were opened or got a new
    /// head, and for requested runs.
    pub(crate) fn run_workflows(&mut self, repo: &mut RepositoryState) -> Result<(), CiError> {
        if let Budget::Call { .. } = self.budget {
            self.budget = Budget::CALL;
        }
        let requests = repo.run_requests.as_mut();
        let renamed = requests.map(|requests| std::mem::take(&mut requests.renamed_branches));
        for [old, new] in renamed.unwrap_or_default() {
            self.watch.renamed(&old, &new);
        }
        for change in self.watch.look(repo) {
            if self.is_over() {
                break;
            }
            call::changed();
            if let Some(cause) = cause(repo, change)? {
                skipped_if_stopped(self.run_all(repo, &cause))?;
            }
        }
        let requests = repo.run_requests.as_mut();
        let requested = requests.map(|requests| std::mem::take(&mut requests.runs));
        for request in requested.unwrap_or_default() {
            if self.is_over() {
                break;
            }
            call::changed();
            skipped_if_stopped(match request {
                RunRequest::Again { id, jobs } => self.run_again(repo, id, jobs.as_deref()),
                RunRequest::Dispatch { path, branch } => self.dispatch(repo, &path, branch),
            })?;
        }
        self.checkouts.trim();
        self.shared = Shared::default();
        Ok(())
    }

    /// Runs a workflow on the tip of a branch.
    fn dispatch(
        &mut self,
        repo: &mut RepositoryState,
        path: &str,
        branch: String,
    ) -> Result<(), CiError> {
        let Some(head) = repo.git.branch(&branch) else {
            return Ok(());
        };
        let cause = Cause {
            event: "workflow_dispatch",
            action: "",
            branch,
            head,
            base: None,
            pull: None,
        };
        let workflows = self.shared.workflows(repo, head)?;
        match workflows.iter().find(|it| it.path == path) {
            Some(workflow) => self.run_new(repo, &cause, workflow),
            None => Ok(()),
        }
    }

    /// Runs all workflows that match a cause.
    fn run_all(&mut self, repo: &mut RepositoryState, cause: &Cause) -> Result<(), CiError> {
        let message = repo.git.commit(cause.head)?.message;
        if SKIPPED.iter().any(|word| message.contains(word)) {
            return Ok(());
        }
        let branch = match cause.pull.and_then(|number| repo.hub.pull(number)) {
            Some((_, pull)) => pull.base.clone(),
            None => cause.branch.clone(),
        };
        let mut event = TriggerEvent {
            event: cause.event,
            branch: &branch,
            action: cause.action,
            paths: None,
        };
        let workflows = self.shared.workflows(repo, cause.head)?;
        // Paths are determined last, because that needs a comparison and, for a pull request, a merge.
        let mut workflows: Vec<&Workflow> = workflows
            .iter()
            .filter(|workflow| workflow.runs_on(&event))
            .collect();
        if workflows.is_empty() {
            return Ok(());
        }
        let Some(trees) = call::optional(|| self.shared.trees(&repo.git, cause))? else {
            return Ok(());
        };
        if workflows.iter().any(|it| it.looks_at_paths(cause.event)) {
            let paths = call::optional(|| self.shared.paths(&repo.git, trees))?;
            event.paths = paths.as_deref();
            workflows.retain(|workflow| workflow.runs_on(&event));
        }
        for workflow in workflows {
            if self.is_over() {
                break;
            }
            self.run_new(repo, cause, workflow)?;
        }
        Ok(())
    }

    /// Returns true if the current call may start no further workflow, because it was cancelled or has reached its
    /// limit of runs. Asks the meter directly, because [`call::checkpoint`] ignores cancellation once the call has
    /// changed something.
    fn is_over(&self) -> bool {
        let cancelled = mcpmark_service::checkpoint().is_err();
        cancelled || matches!(self.budget, Budget::Call { runs: 0, .. })
    }

    fn run_new(
        &mut self,
        repo: &mut RepositoryState,
        cause: &Cause,
        workflow: &Workflow,
    ) -> Result<(), CiError> {
        self.count()?;
        let actor = repo.viewer();
        let jobs = self.jobs(repo, cause, workflow, &actor)?;
        let now = repo.hub.now;
        let (id, run_number) = repo.hub.runs.next_run(&workflow.path);
        let title = match cause.pull.and_then(|number| repo.hub.pull(number)) {
            Some((issue, _)) => issue.title.clone(),
            None => repo.git.commit(cause.head)?.title().to_owned(),
        };
        repo.hub.runs.workflow_runs.push(Run {
            id,
            name: workflow.name().to_owned(),
            path: workflow.path.clone(),
            run_number,
            run_attempt: 1,
            event: cause.event.to_owned(),
            display_title: title,
            head_branch: cause.branch.clone(),
            head_sha: cause.head.to_string(),
            base_sha: cause.base.map(|id| id.to_string()),
            status: "completed".to_owned(),
            conclusion: None,
            actor: Some(actor),
            pull_requests: cause.pull.into_iter().collect(),
            created_at: now,
            updated_at: now,
            more: Default::default(),
        });
        keep(repo, id, jobs);
        Ok(())
    }

    /// Counts a run before it is made.
    fn count(&mut self) -> Result<(), RunnerError> {
        match &mut self.budget {
            Budget::Call { runs, .. } => *runs = runs.saturating_sub(1),
            Budget::Script { runs, most } => {
                *runs += 1;
                if runs > most {
                    return Err(RunnerError::Spent(format!(
                        "requests exceed the limit of {most} workflow runs (fixed)"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Runs a workflow in the guest with the remaining fuel of the call.
    fn run(&mut self, event: Event) -> Result<Vec<Reported>, RunnerError> {
        let fuel = match self.budget {
            Budget::Call { fuel: 0, .. } => {
                return Err(RunnerError::Spent(format!(
                    "the workflows that one call sets off share {FUEL_OF_A_CALL} units of fuel, and those before this \
                     one used them"
                )));
            }
            Budget::Call { fuel, .. } => fuel,
            Budget::Script { .. } => u64::MAX,
        };
        let ran = self.runner.run(event, fuel);
        if let Budget::Call { fuel, .. } = &mut self.budget {
            *fuel = fuel.saturating_sub(ran.fuel);
        }
        ran.result
    }

    /// Makes another attempt of a run, with all of its jobs or only some.
    fn run_again(
        &mut self,
        repo: &mut RepositoryState,
        id: u64,
        only: Option<&[String]>,
    ) -> Result<(), CiError> {
        let Some(run) = repo.hub.runs.run(id).cloned() else {
            return Ok(());
        };
        self.count()?;
        let object = |text: &str| ObjectId::from_hex(text.as_bytes()).ok();
        let known = match object(&run.head_sha) {
            Some(head) => repo.git.peel(head)?,
            None => None,
        };
        let mut jobs = Vec::new();
        if let Some(head) = known {
            let cause = Cause {
                event: match run.event.as_str() {
                    "pull_request" => "pull_request",
                    "workflow_dispatch" => "workflow_dispatch",
                    _ => "push",
                },
                action: "synchronize",
                branch: run.head_branch.clone(),
                head,
                base: run.base_sha.as_deref().and_then(object),
                pull: run.pull_requests.first().copied(),
            };
            let workflows = self.shared.workflows(repo, head)?;
            if let Some(workflow) = workflows.iter().find(|it| it.path == run.path) {
                let actor = run.actor.clone().unwrap_or_else(|| repo.viewer());
                jobs = self.jobs(repo, &cause, workflow, &actor)?;
            }
        }
        if let Some(only) = only {
            let before: BTreeMap<String, Job> = {
                let latest = repo.hub.runs.latest_jobs(&run);
                latest.map(|job| (job.name.clone(), job.clone())).collect()
            };
            for job in &mut jobs {
                if !only.contains(&job.name)
                    && let Some(before) = before.get(&job.name)
                {
                    *job = before.clone();
                }
            }
        }
        let now = repo.hub.now;
        if let Some(run) = repo.hub.runs.run_mut(id) {
            run.run_attempt += 1;
            run.updated_at = now;
        }
        keep(repo, id, jobs);
        Ok(())
    }

    /// Runs a workflow in the guest and converts its report to jobs. Their ids are not set yet.
    fn jobs(
        &mut self,
        repo: &RepositoryState,
        cause: &Cause,
        workflow: &Workflow,
        actor: &str,
    ) -> Result<Vec<Job>, CiError> {
        let event = call::optional(|| self.event(repo, cause, workflow, actor))?;
        let Some(event) = event else {
            return Ok(Vec::new());
        };
        let now = repo.hub.now;
        let made = self.run(event).map_err(CiError::from);
        let problem = match made.and_then(|reported| made_of(reported, now)) {
            Ok(jobs) => return Ok(jobs),
            Err(problem) => problem,
        };
        // The output becomes part of a state, so it contains no text of the sandbox.
        let output = match &problem {
            CiError::Runner(RunnerError::Input { fault, .. }) if self.start_is_sound(repo)? => {
                fault.log_text().to_owned()
            }
            CiError::NoStep(_) if self.start_is_sound(repo)? => problem.to_string(),
            CiError::Runner(RunnerError::Spent(reason))
                if matches!(self.budget, Budget::Call { .. }) =>
            {
                reason.clone()
            }
            _ => return Err(problem),
        };
        let failed = Reported {
            name: "workflow / Run".to_owned(),
            passed: false,
            output: format!("the workflow cannot be run on this commit: {output}"),
        };
        made_of(vec![failed], now)
    }

    /// Builds the input of the guest. `None` if the workflow file is invalid, or if head and base do not merge.
    fn event(
        &mut self,
        repo: &RepositoryState,
        cause: &Cause,
        workflow: &Workflow,
        actor: &str,
    ) -> Result<Option<Event>, GitError> {
        let Some(file) = &workflow.file else {
            return Ok(None);
        };
        let Some(trees) = self.shared.trees(&repo.git, cause)? else {
            return Ok(None);
        };
        Ok(Some(Event {
            before: self.checkouts.of(&repo.git, trees.before)?,
            after: self.checkouts.of(&repo.git, Some(trees.after))?,
            parameters: parameters(repo, cause, &workflow.path, file, actor)?.to_string(),
        }))
    }

    /// Returns true if the guest returns a result for a push of the commit that the world started with.
    fn start_is_sound(&mut self, repo: &RepositoryState) -> Result<bool, CiError> {
        if let Some(known) = self.start_is_sound {
            return Ok(known);
        }
        let Some(start) = self.start else {
            return Ok(false);
        };
        let cause = Cause {
            event: "push",
            action: "",
            branch: repo.hub.repository.default_branch.clone(),
            head: start,
            base: None,
            pull: None,
        };
        let workflows = repo.workflows_at(start)?;
        let own = workflows
            .iter()
            .find_map(|it| Some((it.path.as_str(), it.file.as_ref()?)));
        // A world can start without workflows, and the agent can add the first one.
        let empty = json!({"name": "empty", "on": "push", "jobs": {}});
        let (path, file) = own.unwrap_or((".github/workflows/empty.yml", &empty));
        let event = Event {
            before: self.checkouts.of(&repo.git, None)?,
            after: self
                .checkouts
                .of(&repo.git, Some(repo.git.tree_of(start)?))?,
            parameters: parameters(repo, &cause, path, file, &repo.viewer())?.to_string(),
        };
        // Without the limit of the call, so that the result does not depend on which call needs it first.
        let sound = match self.runner.run(event, u64::MAX).result {
            Ok(reported) => made_of(reported, repo.hub.now).is_ok(),
            Err(RunnerError::Guest(_) | RunnerError::Input { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        self.start_is_sound = Some(sound);
        Ok(sound)
    }
}

/// Skips a run whose trees exceed a limit of the call, or whose call was cancelled before it began.
fn skipped_if_stopped(outcome: Result<(), CiError>) -> Result<(), CiError> {
    match outcome {
        Err(CiError::Git(GitError::Interrupted(_))) => Ok(()),
        Err(CiError::Git(error)) if error.is_refusal() => Ok(()),
        outcome => outcome,
    }
}

/// Stores the jobs of the latest attempt of a run, and sets the conclusion of the run.
fn keep(repo: &mut RepositoryState, id: u64, jobs: Vec<Job>) {
    let runs = &mut repo.hub.runs;
    let succeeded = |job: &Job| job.conclusion.as_deref() == Some(SUCCESS);
    let passed = !jobs.is_empty() && jobs.iter().all(succeeded);
    let first = runs.next_job();
    let Some(run) = runs.run_mut(id) else { return };
    run.conclusion = Some(if passed { SUCCESS } else { FAILURE }.to_owned());
    let attempt = run.run_attempt;
    for (number, mut job) in (first..).zip(jobs) {
        // The error is ignored, because the change that caused the run has already been made.
        let _ = call::add(bytes_of(&job));
        job.id = number;
        job.run_id = id;
        job.run_attempt = attempt;
        runs.jobs.push(job);
    }
}

/// Approximate size of a job in a state, in bytes.
fn bytes_of(job: &Job) -> u64 {
    /// Approximate size of a run, a job and a step without their texts, in bytes.
    const RECORD: usize = 1024;
    let steps: usize = job.steps.iter().map(|step| step.name.len() + 128).sum();
    let log = job.log.as_ref().map_or(0, String::len);
    (RECORD + job.name.len() + steps + log) as u64
}

/// Converts a change to a cause of runs. `None` if the pull request is not open any more.
fn cause(repo: &RepositoryState, change: RefChange) -> Result<Option<Cause>, GitError> {
    Ok(match change {
        RefChange::Pushed {
            branch,
            before,
            after,
        } => Some(Cause {
            event: "push",
            action: "",
            branch,
            head: after,
            base: before,
            pull: None,
        }),
        RefChange::Proposed { number, action } => {
            let pull = repo.hub.pull(number);
            let Some((_, pull)) = pull.filter(|(issue, _)| issue.state == State::Open) else {
                return Ok(None);
            };
            let (base, head) = repo.ends(pull)?;
            Some(Cause {
                event: "pull_request",
                action,
                branch: pull.head.clone(),
                head,
                base: Some(base),
                pull: Some(number),
            })
        }
    })
}

/// Builds the parameters of the guest as JSON.
fn parameters(
    repo: &RepositoryState,
    cause: &Cause,
    path: &str,
    file: &Value,
    actor: &str,
) -> Result<Value, GitError> {
    let pull = cause.pull.and_then(|number| repo.hub.pull(number));
    let reference = match pull {
        Some((issue, _)) => format!("refs/pull/{}/merge", issue.number),
        None => format!("refs/heads/{}", cause.branch),
    };
    // For a new branch, the commits that are not reachable from the default branch.
    let default = repo.git.branch(&repo.hub.repository.default_branch);
    let known = cause.base.or(default.filter(|_| cause.event == "push"));
    let new = match known {
        Some(known) => repo.git.ahead(known, cause.head)?,
        None => Vec::new(),
    };
    let mut commits = Vec::new();
    for id in &new[new.len().saturating_sub(MAX_COMMITS)..] {
        let commit = repo.git.commit(*id)?;
        commits.push(json!({
            "id": id.to_string(),
            "message": commit.message.trim_end_matches('\n'),
            "author": {"name": commit.author.name, "email": commit.author.email},
        }));
    }
    let proposed = pull.map(|(issue, pull)| {
        json!({
            "number": issue.number,
            "title": issue.title,
            "body": issue.body.as_deref().unwrap_or_default(),
            "user": issue.user,
            "head": pull.head,
            "base": pull.base,
            "draft": pull.draft,
            "labels": issue.labels,
        })
    });
    Ok(json!({
        "event": cause.event,
        "ref": reference,
        "branch": cause.branch,
        "sha": cause.head.to_string(),
        "before": cause.base.map(|id| id.to_string()),
        "actor": actor,
        "workflow": {"path": path, "file": file},
        "commits": commits,
        "pull_request": proposed,
    }))
}

/// Converts reported steps to jobs, in the order in which the guest first names them.
fn made_of(reported: Vec<Reported>, now: Time) -> Result<Vec<Job>, CiError> {
    let mut jobs: Vec<(Job, String)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for step in reported {
        let (name, title) = match step.name.split_once(" / ") {
            Some((job, title)) if !job.is_empty() && !title.is_empty() => (job, title),
            _ => return Err(CiError::NoStep(step.name)),
        };
        let at = match places.get(name) {
            Some(at) => *at,
            None => {
                places.insert(name.to_owned(), jobs.len());
                let job = Job {
                    name: name.to_owned(),
                    status: "completed".to_owned(),
                    conclusion: Some(SUCCESS.to_owned()),
                    started_at: now,
                    completed_at: now,
                    ..Job::default()
                };
                jobs.push((job, String::new()));
                jobs.len() - 1
            }
        };
        let (job, log) = &mut jobs[at];
        let failed = job.conclusion.as_deref() == Some(FAILURE);
        let conclusion = match (failed, step.passed) {
            (true, _) => "skipped",
            (false, true) => SUCCESS,
            (false, false) => FAILURE,
        };
        if !failed {
            print(log, now, title, &step);
        }
        if conclusion == FAILURE {
            job.conclusion = Some(FAILURE.to_owned());
        }
        job.steps.push(Step {
            name: title.to_owned(),
            status: "completed".to_owned(),
            conclusion: Some(conclusion.to_owned()),
            number: job.steps.len() as u64 + 1,
        });
    }
    let with_log = |(job, log): (Job, String)| Job {
        log: Some(log),
        ..job
    };
    Ok(jobs.into_iter().map(with_log).collect())
}

/// Appends a step to a log. Each line has a timestamp in the format of GitHub's runners.
fn print(log: &mut String, now: Time, title: &str, step: &Reported) {
    let stamp = now.to_string();
    let stamp = stamp.trim_end_matches('Z');
    let mut line = |text: &str| {
        log.push_str(&format!("{stamp}.0000000Z {text}\n"));
    };
    line(&format!("##[group]Run {title}"));
    line("##[endgroup]");
    for text in step.output.lines() {
        line(text);
    }
    if !step.passed {
        line("##[error]Process completed with exit code 1.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::InputFault;

    fn step(name: &str, passed: bool, output: &str) -> Reported {
        Reported {
            name: name.to_owned(),
            passed,
            output: output.to_owned(),
        }
    }

    #[test]
    fn steps_after_a_failure_in_a_job_are_skipped() {
        let reported = vec![
            step(
                "data / format",
                false,
                "line 3 has no date\nline 5 has no date",
            ),
            step("docs / links", true, ""),
            step("data / order", false, "never printed"),
        ];
        let jobs = made_of(reported, Time(1_738_310_400)).unwrap();
        let told: Vec<(&str, Option<&str>)> = jobs
            .iter()
            .map(|job| (job.name.as_str(), job.conclusion.as_deref()))
            .collect();
        assert_eq!(told, [("data", Some("failure")), ("docs", Some("success"))]);
        let steps: Vec<(&str, Option<&str>, u64)> = jobs[0]
            .steps
            .iter()
            .map(|step| (step.name.as_str(), step.conclusion.as_deref(), step.number))
            .collect();
        assert_eq!(
            steps,
            [
                ("format", Some("failure"), 1),
                ("order", Some("skipped"), 2)
            ]
        );
        assert_eq!(
            jobs[0].log.as_deref().unwrap(),
            "2025-01-31T08:00:00.0000000Z ##[group]Run format\n\
             2025-01-31T08:00:00.0000000Z ##[endgroup]\n\
             2025-01-31T08:00:00.0000000Z line 3 has no date\n\
             2025-01-31T08:00:00.0000000Z line 5 has no date\n\
             2025-01-31T08:00:00.0000000Z ##[error]Process completed with exit code 1.\n"
        );
    }

    #[test]
    fn texts_in_logs_of_failed_runs_stay_the_same() {
        for (fault, text) in [
            (
                InputFault::Trap,
                "trap: the program that runs it stopped with an error",
            ),
            (
                InputFault::Fuel,
                "fuel: the program that runs it used all its fuel",
            ),
            (
                InputFault::Memory,
                "memory: the program that runs it reached the limit of memory",
            ),
            (
                InputFault::Wait,
                "wait: the program that runs it waited too long",
            ),
            (
                InputFault::Copy,
                "copy: the program that runs it read too many bytes",
            ),
            (
                InputFault::Output,
                "output: its result is too large or malformed",
            ),
            (
                InputFault::Unreadable,
                "unreadable: a file of the commit cannot be read",
            ),
        ] {
            assert_eq!(fault.log_text(), text);
        }
        assert_eq!(
            CiError::NoStep("format".to_owned()).to_string(),
            "the world's guest for continuous integration reports \"format\", which is not \"<job> / <step>\""
        );
    }

    #[test]
    fn a_step_without_a_job_is_the_guests_fault() {
        for name in ["format", " / format", "data / "] {
            assert!(matches!(
                made_of(vec![step(name, true, "")], Time(0)),
                Err(CiError::NoStep(_))
            ));
        }
    }
}
