//! Runs of the workflow: one for each push to main and each pull request, by its rules.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use github_chronicle::time::{DAY, iso};
use github_chronicle::{Commit, Git, Hub, Stamp, Thread};
use mcpmark_guest::serde_json::{Value, json};

use crate::checks::{self, Files, Outcome, Step};
use crate::project::FALLOW;
use crate::story::{LOST, WORKFLOW};

const PATH: &str = ".github/workflows/check.yml";
const FIRST_RUN: u64 = 15_200_000_001;
const FIRST_JOB: u64 = 43_700_000_001;
/// Logs are kept for so long.
const KEPT: i64 = 90 * DAY;
/// Rate of the lost runs on main: one in so many. Each is run again.
const LOST_ON_MAIN: usize = 41;

const SHUTDOWN: &str = "The runner has received a shutdown signal.";

/// A repository that remembers all texts of all commits.
pub struct Recorder<'a, G> {
    git: &'a mut G,
    trees: BTreeMap<String, Rc<Files>>,
    commits: BTreeMap<String, Told>,
    main: String,
}

struct Told {
    parents: Vec<String>,
    email: &'static str,
    time: i64,
    title: String,
}

impl<G: Git> Git for Recorder<'_, G> {
    fn commit(&mut self, commit: Commit) -> String {
        let parent = commit.parents.first().and_then(|it| self.trees.get(it));
        let mut tree = parent.map(|it| Files::clone(it)).unwrap_or_default();
        for path in &commit.removed {
            tree.remove(path);
        }
        tree.extend(commit.written.iter().cloned());
        let told = Told {
            parents: commit.parents.clone(),
            email: commit.author.email,
            time: commit.committer.time,
            title: commit.message.lines().next().unwrap_or_default().to_owned(),
        };
        let id = self.git.commit(commit);
        self.trees.insert(id.clone(), Rc::new(tree));
        self.commits.insert(id.clone(), told);
        id
    }

    fn branch(&mut self, name: &str, commit: &str) {
        if name == "main" {
            commit.clone_into(&mut self.main);
        }
        self.git.branch(name, commit);
    }

    fn tag(&mut self, name: &str, commit: &str, tagger: &Stamp, message: &str) {
        self.git.tag(name, commit, tagger, message);
    }

    fn pull_head(&mut self, number: u64, commit: &str) {
        self.git.pull_head(number, commit);
    }
}

/// Something that runs the workflow.
struct Event {
    time: i64,
    name: &'static str,
    branch: String,
    head: String,
    base: String,
    title: String,
    actor: String,
    pull: Option<u64>,
    tree: Rc<Files>,
    /// Whether its machine is lost, and whether somebody lets it run again.
    lost: bool,
    again: bool,
}

impl<'a, G: Git> Recorder<'a, G> {
    pub fn new(git: &'a mut G) -> Self {
        Self {
            git,
            trees: BTreeMap::new(),
            commits: BTreeMap::new(),
            main: String::new(),
        }
    }

    /// All runs, as `runs.json` has them.
    pub fn runs(&self, hub: &Hub, now: i64) -> Value {
        let mut events = self.pushes(hub);
        events.extend(hub.threads.iter().filter_map(|it| self.proposal(it)));
        events.retain(|event| event.tree.contains_key(PATH));
        events.sort_by(|one, other| (one.time, &one.head).cmp(&(other.time, &other.head)));
        let steps = steps();
        let (mut runs, mut jobs) = (Vec::new(), Vec::new());
        for (number, event) in (1..).zip(&events) {
            let id = FIRST_RUN + number * 3;
            let is_kept = now - event.time < KEPT;
            let mut attempts = vec![checks::run(&steps, &event.tree)];
            if event.lost {
                let lost = lose(&attempts[0]);
                if event.again {
                    attempts.insert(0, lost);
                } else {
                    attempts = vec![lost];
                }
            }
            let mut conclusion = "success";
            for (attempt, outcomes) in (1..).zip(&attempts) {
                let at = event.time + 40 * 60 * (attempt - 1);
                conclusion = "success";
                for mut job in jobs_of(outcomes, at, is_kept) {
                    job["id"] = (FIRST_JOB + jobs.len() as u64).into();
                    job["run_id"] = id.into();
                    job["run_attempt"] = attempt.into();
                    if job["conclusion"] == "failure" {
                        conclusion = "failure";
                    }
                    jobs.push(job);
                }
            }
            let over = event.time + 40 * 60 * (attempts.len() as i64 - 1);
            let mut run = json!({
                "id": id,
                "name": "check",
                "path": PATH,
                "run_number": number,
                "run_attempt": attempts.len(),
                "event": event.name,
                "display_title": event.title,
                "head_branch": event.branch,
                "head_sha": event.head,
                "base_sha": event.base,
                "status": "completed",
                "conclusion": conclusion,
                "actor": event.actor,
            });
            if let Some(pull) = event.pull {
                run["pull_requests"] = json!([pull]);
            }
            run["created_at"] = iso(event.time).into();
            run["updated_at"] = iso(over).into();
            runs.push(run);
        }
        json!({"workflow_runs": runs, "jobs": jobs})
    }

    /// The commits of main, the oldest first.
    fn line(&self) -> Vec<&str> {
        let mut line = Vec::new();
        let mut at = self.commits.get_key_value(&self.main);
        while let Some((id, told)) = at {
            line.push(id.as_str());
            at = told
                .parents
                .first()
                .and_then(|it| self.commits.get_key_value(it));
        }
        line.reverse();
        line
    }

    /// Pushes to main: what came at one second came at once.
    fn pushes(&self, hub: &Hub) -> Vec<Event> {
        let line = self.line();
        let merged = hub
            .threads
            .iter()
            .filter_map(|it| it.pull.as_ref()?.merged.as_ref());
        let mergers: BTreeMap<&str, &str> = merged
            .map(|it| (it.commit.as_str(), it.by.as_str()))
            .collect();
        let mut events = Vec::new();
        let mut base = None;
        for (at, id) in line.iter().enumerate() {
            let told = &self.commits[*id];
            if line
                .get(at + 1)
                .is_some_and(|next| self.commits[*next].time == told.time)
            {
                continue;
            }
            let lost = events.len() % LOST_ON_MAIN == LOST_ON_MAIN - 1;
            if let Some(base) = base.replace(*id) {
                let login = |email: &str| {
                    let person = FALLOW.team.iter().find(|it| it.email == email);
                    person.map_or(FALLOW.releaser().login, |it| it.login)
                };
                let actor = mergers
                    .get(id)
                    .copied()
                    .unwrap_or_else(|| login(told.email));
                events.push(Event {
                    time: told.time,
                    name: "push",
                    branch: "main".to_owned(),
                    head: (*id).to_owned(),
                    base: base.to_owned(),
                    title: told.title.clone(),
                    actor: actor.to_owned(),
                    pull: None,
                    tree: Rc::clone(&self.trees[*id]),
                    lost,
                    again: true,
                });
            }
        }
        events
    }

    /// The run of a pull request when it was opened: its changes on main as that was then.
    fn proposal(&self, thread: &Thread) -> Option<Event> {
        let pull = thread.pull.as_ref()?;
        let line = self.line();
        let on_main: BTreeSet<&str> = line.iter().copied().collect();
        let before = line
            .iter()
            .rev()
            .find(|id| self.commits[**id].time <= thread.created);
        let base = *before?;
        let mut fork = pull.head_sha.as_str();
        while !on_main.contains(fork) {
            fork = self.commits[fork].parents.first()?;
        }
        let (old, new) = (&self.trees[fork], &self.trees[&pull.head_sha]);
        let mut tree = Files::clone(&self.trees[base]);
        for (path, text) in new
            .iter()
            .filter(|(path, text)| old.get(*path) != Some(text))
        {
            tree.insert(path.clone(), text.clone());
        }
        for path in old.keys().filter(|path| !new.contains_key(*path)) {
            tree.remove(path);
        }
        // Only what is open can still be waited for.
        let lost = thread.closed.is_none() && LOST.contains(&pull.head.as_str());
        Some(Event {
            time: thread.created,
            name: "pull_request",
            branch: pull.head.clone(),
            head: pull.head_sha.clone(),
            base: base.to_owned(),
            title: thread.title.clone(),
            actor: thread.user.clone(),
            pull: Some(thread.number),
            tree: Rc::new(tree),
            lost,
            again: false,
        })
    }
}

/// Returns the outcomes that were reported until the machine went away, in the second job.
fn lose(outcomes: &[Outcome]) -> Vec<Outcome> {
    let mut lost = outcomes.to_vec();
    for outcome in &mut lost {
        outcome.passed = true;
        if outcome.name == "names / Names" {
            outcome.passed = false;
            SHUTDOWN.clone_into(&mut outcome.output);
        }
    }
    lost
}

/// Jobs as the host makes them of what the guest reports.
fn jobs_of(outcomes: &[Outcome], at: i64, with_log: bool) -> Vec<Value> {
    let mut jobs: Vec<Value> = Vec::new();
    for outcome in outcomes {
        let (name, step) = outcome.name.split_once(" / ").unwrap_or_default();
        if jobs.last().is_none_or(|job| job["name"] != name) {
            jobs.push(json!({
                "id": 0, "run_id": 0, "run_attempt": 1, "name": name, "status": "completed",
                "conclusion": "success", "started_at": iso(at), "completed_at": iso(at), "steps": [],
            }));
            if with_log && let Some(job) = jobs.last_mut() {
                job["log"] = "".into();
            }
        }
        let Some(job) = jobs.last_mut() else { continue };
        let failed = job["conclusion"] == "failure";
        let conclusion = match (failed, outcome.passed) {
            (true, _) => "skipped",
            (false, true) => "success",
            (false, false) => "failure",
        };
        if with_log && !failed {
            let log = format!(
                "{}{}",
                job["log"].as_str().unwrap_or_default(),
                lines(outcome, step, at)
            );
            job["log"] = log.into();
        }
        if conclusion == "failure" {
            job["conclusion"] = "failure".into();
        }
        if let Some(steps) = job["steps"].as_array_mut() {
            let number = steps.len() + 1;
            steps.push(json!({"name": step, "status": "completed", "conclusion": conclusion, "number": number}));
        }
    }
    jobs
}

fn lines(outcome: &Outcome, step: &str, at: i64) -> String {
    let mut all = vec![format!("##[group]Run {step}"), "##[endgroup]".to_owned()];
    all.extend(outcome.output.lines().map(str::to_owned));
    if !outcome.passed && outcome.output != SHUTDOWN {
        all.push("##[error]Process completed with exit code 1.".to_owned());
    }
    let stamp = iso(at);
    let stamp = stamp.trim_end_matches('Z');
    all.iter()
        .map(|line| format!("{stamp}.0000000Z {line}\n"))
        .collect()
}

/// The steps of the workflow, which has never changed.
pub fn steps() -> Vec<Step> {
    let (mut all, mut job): (Vec<Step>, &str) = (Vec::new(), "");
    let jobs = WORKFLOW.split("\njobs:\n").nth(1).unwrap_or_default();
    for line in jobs.lines() {
        let text = line.trim();
        if let Some(id) = text.strip_suffix(':').filter(|id| *id != "steps") {
            job = id;
        } else if let Some(name) = text.strip_prefix("- name: ") {
            all.push(Step {
                job: job.to_owned(),
                name: name.to_owned(),
                command: None,
            });
        } else if let Some(command) = text.strip_prefix("run: ")
            && let Some(step) = all.last_mut()
        {
            step.command = Some(command.to_owned());
        }
    }
    all
}
