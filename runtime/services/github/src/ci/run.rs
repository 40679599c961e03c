//! Running workflows, and what is kept of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::watch::Happened;
use super::workflow::{Occasion, is_workflow};
use super::{
    Budget, Ci, CiError, Event, FOLDER, FUEL_OF_A_CALL, MOST_COMMITS, Reported, RunnerError,
    Wanted, Workflow,
};
use crate::call;
use crate::git::{EntryKind, Git, GitError, Merged, ObjectId};
use crate::hub::{Job, Run, State, Step, Time};
use crate::view::Site;

/// What the message of a commit holds that is not to be tested.
const SKIPPED: [&str; 5] = [
    "[skip ci]",
    "[ci skip]",
    "[no ci]",
    "[skip actions]",
    "[actions skip]",
];

const SUCCESS: &str = "success";
const FAILURE: &str = "failure";

/// What workflows run on.
struct Cause {
    event: &'static str,
    action: &'static str,
    branch: String,
    /// The commit that runs are shown on.
    head: ObjectId,
    /// What it is compared with.
    base: Option<ObjectId>,
    pull: Option<u64>,
}

/// The trees of a cause: what is tested, and what that is compared with.
struct Trees {
    before: Option<ObjectId>,
    after: ObjectId,
}

impl Site {
    /// Runs what is to be run after a call: on branches that moved and pull requests that have another head, and what
    /// was asked for. Nothing where the world has no guest for that.
    pub(crate) fn run_workflows(&mut self) -> Result<(), CiError> {
        let Some(mut ci) = self.ci.take() else {
            return Ok(());
        };
        let result = ci.catch_up(self);
        self.ci = Some(ci);
        result
    }

    /// The workflows of a commit, by path.
    pub(crate) fn workflows_at(&self, commit: ObjectId) -> Result<Vec<Workflow>, GitError> {
        let tree = self.git.tree_of(commit)?;
        let mut found = Vec::new();
        let folder = self.git.entry(tree, FOLDER)?;
        let Some(folder) = folder.filter(|it| it.kind == EntryKind::Directory) else {
            return Ok(found);
        };
        for entry in self.git.entries(folder.id, FOLDER)? {
            if is_workflow(&entry.path) && entry.kind.object() == "blob" {
                found.push(Workflow::read(&entry.path, &self.git.blob(entry.id)?));
            }
        }
        Ok(found)
    }
}

impl Ci {
    fn catch_up(&mut self, site: &mut Site) -> Result<(), CiError> {
        if let Budget::Call { .. } = self.budget {
            self.budget = Budget::CALL;
        }
        for happened in self.watch.look(site) {
            if self.is_over() {
                break;
            }
            call::changed();
            if let Some(cause) = cause(site, happened)? {
                self.run_all(site, &cause)?;
            }
        }
        for wanted in std::mem::take(&mut self.asked) {
            if self.is_over() {
                break;
            }
            call::changed();
            match wanted {
                Wanted::Again { id, jobs } => self.run_again(site, id, jobs.as_deref())?,
                Wanted::Dispatch { path, branch } => {
                    if let Some(head) = site.git.branch(&branch) {
                        let cause = Cause {
                            event: "workflow_dispatch",
                            action: "",
                            branch,
                            head,
                            base: None,
                            pull: None,
                        };
                        let workflows = site.workflows_at(head)?;
                        if let Some(workflow) = workflows.iter().find(|it| it.path == path) {
                            self.run_new(site, &cause, workflow)?;
                        }
                    }
                }
            }
        }
        self.checkouts.trim();
        Ok(())
    }

    /// Runs the workflows that take a cause.
    fn run_all(&mut self, site: &mut Site, cause: &Cause) -> Result<(), CiError> {
        let message = site.git.commit(cause.head)?.message;
        if SKIPPED.iter().any(|word| message.contains(word)) {
            return Ok(());
        }
        // Before the trees, which may take a merge: one push may be the head of many pull requests.
        let mut workflows = site.workflows_at(cause.head)?;
        if workflows.is_empty() {
            return Ok(());
        }
        let Some(trees) = trees(&site.git, cause)? else {
            return Ok(());
        };
        let mut paths = Vec::new();
        for change in site.git.changed(trees.before, trees.after)? {
            paths.extend(change.previous);
            paths.push(change.path);
        }
        let branch = match cause.pull.and_then(|number| site.hub.pull(number)) {
            Some((_, pull)) => pull.base.clone(),
            None => cause.branch.clone(),
        };
        let occasion = Occasion {
            event: cause.event,
            branch: &branch,
            action: cause.action,
            paths: &paths,
        };
        workflows.retain(|workflow| workflow.runs_on(&occasion));
        for workflow in &workflows {
            if self.is_over() {
                break;
            }
            self.run_new(site, cause, workflow)?;
        }
        Ok(())
    }

    /// Whether the current call starts no further workflow: it was cancelled, or has made as many runs as it may. A call
    /// that has changed the repository passes its own checkpoints, so the meter itself is asked.
    fn is_over(&self) -> bool {
        let cancelled = mcpmark_service::checkpoint().is_err();
        cancelled || matches!(self.budget, Budget::Call { runs: 0, .. })
    }

    fn run_new(
        &mut self,
        site: &mut Site,
        cause: &Cause,
        workflow: &Workflow,
    ) -> Result<(), CiError> {
        self.count()?;
        let actor = site.viewer();
        let jobs = self.jobs(site, cause, workflow, &actor)?;
        let now = site.hub.now;
        let (id, run_number) = site.hub.runs.next_run(&workflow.path);
        let title = match cause.pull.and_then(|number| site.hub.pull(number)) {
            Some((issue, _)) => issue.title.clone(),
            None => site.git.commit(cause.head)?.title().to_owned(),
        };
        site.hub.runs.workflow_runs.push(Run {
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
        keep(site, id, jobs);
        Ok(())
    }

    /// Counts a run that is about to be made.
    fn count(&mut self) -> Result<(), RunnerError> {
        match &mut self.budget {
            Budget::Call { runs, .. } => *runs = runs.saturating_sub(1),
            Budget::Script { runs, most } => {
                *runs += 1;
                if runs > most {
                    return Err(RunnerError::Spent(format!(
                        "requests set off more than {most} runs of workflows (fixed)"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Has the guest run a workflow, with the fuel that is left to the call.
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

    /// Another attempt at a run, of all its jobs or of some.
    fn run_again(
        &mut self,
        site: &mut Site,
        id: u64,
        only: Option<&[String]>,
    ) -> Result<(), CiError> {
        let Some(run) = site.hub.runs.run(id).cloned() else {
            return Ok(());
        };
        self.count()?;
        let object = |text: &str| ObjectId::from_hex(text.as_bytes()).ok();
        let known = match object(&run.head_sha) {
            Some(head) => site.git.peel(head)?,
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
            let workflows = site.workflows_at(head)?;
            if let Some(workflow) = workflows.iter().find(|it| it.path == run.path) {
                let actor = run.actor.clone().unwrap_or_else(|| site.viewer());
                jobs = self.jobs(site, &cause, workflow, &actor)?;
            }
        }
        if let Some(only) = only {
            let before: BTreeMap<String, Job> = {
                let latest = site.hub.runs.latest_jobs(&run);
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
        let now = site.hub.now;
        if let Some(run) = site.hub.runs.run_mut(id) {
            run.run_attempt += 1;
            run.updated_at = now;
        }
        keep(site, id, jobs);
        Ok(())
    }

    /// Has the guest run a workflow, and makes jobs of what it reports. Their ids are not yet set.
    fn jobs(
        &mut self,
        site: &Site,
        cause: &Cause,
        workflow: &Workflow,
        actor: &str,
    ) -> Result<Vec<Job>, CiError> {
        let (Some(file), Some(trees)) = (&workflow.file, trees(&site.git, cause)?) else {
            return Ok(Vec::new());
        };
        let event = Event {
            before: self.checkouts.of(&site.git, trees.before)?,
            after: self.checkouts.of(&site.git, Some(trees.after))?,
            parameters: parameters(site, cause, &workflow.path, file, actor)?.to_string(),
        };
        let now = site.hub.now;
        let made = self.run(event).map_err(CiError::from);
        let problem = match made.and_then(|reported| made_of(reported, now)) {
            Ok(jobs) => return Ok(jobs),
            Err(problem) => problem,
        };
        let output = match &problem {
            CiError::Runner(RunnerError::Input(reason)) if self.start_is_sound(site)? => {
                reason.clone()
            }
            CiError::NoStep(_) if self.start_is_sound(site)? => problem.to_string(),
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

    /// Whether the guest comes to an outcome on a push of the commit that the world started with.
    fn start_is_sound(&mut self, site: &Site) -> Result<bool, CiError> {
        if let Some(known) = self.start_is_sound {
            return Ok(known);
        }
        let Some(start) = self.start else {
            return Ok(false);
        };
        let cause = Cause {
            event: "push",
            action: "",
            branch: site.hub.repository.default_branch.clone(),
            head: start,
            base: None,
            pull: None,
        };
        let workflows = site.workflows_at(start)?;
        let own = workflows
            .iter()
            .find_map(|it| Some((it.path.as_str(), it.file.as_ref()?)));
        // A world may start without workflows, and the agent write the first one.
        let empty = json!({"name": "empty", "on": "push", "jobs": {}});
        let (path, file) = own.unwrap_or((".github/workflows/empty.yml", &empty));
        let event = Event {
            before: self.checkouts.of(&site.git, None)?,
            after: self
                .checkouts
                .of(&site.git, Some(site.git.tree_of(start)?))?,
            parameters: parameters(site, &cause, path, file, &site.viewer())?.to_string(),
        };
        // By its own fuel, so that the answer does not depend on the call that asks first.
        let sound = match self.runner.run(event, u64::MAX).result {
            Ok(reported) => made_of(reported, site.hub.now).is_ok(),
            Err(RunnerError::Guest(_) | RunnerError::Input(_)) => false,
            Err(error) => return Err(error.into()),
        };
        self.start_is_sound = Some(sound);
        Ok(sound)
    }
}

/// Puts the jobs of the last attempt at a run beside it, and sets its conclusion.
fn keep(site: &mut Site, id: u64, jobs: Vec<Job>) {
    let runs = &mut site.hub.runs;
    let succeeded = |job: &Job| job.conclusion.as_deref() == Some(SUCCESS);
    let passed = !jobs.is_empty() && jobs.iter().all(succeeded);
    let first = runs.next_job();
    let Some(run) = runs.run_mut(id) else { return };
    run.conclusion = Some(if passed { SUCCESS } else { FAILURE }.to_owned());
    let attempt = run.run_attempt;
    for (number, mut job) in (first..).zip(jobs) {
        // Nothing refuses it: the change that it follows from has happened.
        let _ = call::add(bytes_of(&job));
        job.id = number;
        job.run_id = id;
        job.run_attempt = attempt;
        runs.jobs.push(job);
    }
}

/// About how many bytes a job takes in a state.
fn bytes_of(job: &Job) -> u64 {
    /// What a run, a job and a step take beside their texts.
    const RECORD: usize = 1024;
    let steps: usize = job.steps.iter().map(|step| step.name.len() + 128).sum();
    let log = job.log.as_ref().map_or(0, String::len);
    (RECORD + job.name.len() + steps + log) as u64
}

/// What has happened as a cause of runs; none where it is over already.
fn cause(site: &Site, happened: Happened) -> Result<Option<Cause>, GitError> {
    Ok(match happened {
        Happened::Pushed {
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
        Happened::Proposed { number, action } => {
            let pull = site.hub.pull(number);
            let Some((_, pull)) = pull.filter(|(issue, _)| issue.state == State::Open) else {
                return Ok(None);
            };
            let (base, head) = site.ends(pull)?;
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

/// The trees of a cause; none where the head of a pull request does not merge with its base, which runs nothing.
fn trees(git: &Git, cause: &Cause) -> Result<Option<Trees>, GitError> {
    let before = match cause.base {
        Some(base) => Some(git.tree_of(base)?),
        None => None,
    };
    let after = match (cause.pull, cause.base) {
        (Some(_), Some(base)) => match git.merge(base, cause.head) {
            Ok(Merged::Clean(tree)) => tree,
            Ok(Merged::Conflicts(_)) | Err(GitError::Crossed(_)) => return Ok(None),
            Err(error) => return Err(error),
        },
        _ => git.tree_of(cause.head)?,
    };
    Ok(Some(Trees { before, after }))
}

/// What the guest is told.
fn parameters(
    site: &Site,
    cause: &Cause,
    path: &str,
    file: &Value,
    actor: &str,
) -> Result<Value, GitError> {
    let pull = cause.pull.and_then(|number| site.hub.pull(number));
    let reference = match pull {
        Some((issue, _)) => format!("refs/pull/{}/merge", issue.number),
        None => format!("refs/heads/{}", cause.branch),
    };
    // Of a new branch, what the default branch has not.
    let default = site.git.branch(&site.hub.repository.default_branch);
    let known = cause.base.or(default.filter(|_| cause.event == "push"));
    let new = match known {
        Some(known) => site.git.ahead(known, cause.head)?,
        None => Vec::new(),
    };
    let mut commits = Vec::new();
    for id in &new[new.len().saturating_sub(MOST_COMMITS)..] {
        let commit = site.git.commit(*id)?;
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

/// Jobs in the order in which the guest begins them.
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

/// Adds a step to a log: each line with its time, as GitHub's runners write them.
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

    fn step(name: &str, passed: bool, output: &str) -> Reported {
        Reported {
            name: name.to_owned(),
            passed,
            output: output.to_owned(),
        }
    }

    #[test]
    fn what_follows_a_failure_in_a_job_is_skipped() {
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
    fn a_step_without_a_job_is_the_guests_fault() {
        for name in ["format", " / format", "data / "] {
            assert!(matches!(
                made_of(vec![step(name, true, "")], Time(0)),
                Err(CiError::NoStep(_))
            ));
        }
    }
}
