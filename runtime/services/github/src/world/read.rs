//! Reader of worlds, which derives the values that documents omit.

use std::collections::HashMap;
use std::path::Path;

use mcpmark_snapshot::{Blobs, Directory, Node, Tree};
use serde_json::Value;

use super::WorldError;
use super::checks::{
    check_color, check_default_branch, check_issue, check_names, check_number, check_relations,
    gist_problem,
};
use super::documents::{Documents, place, typed};
use super::people::{check_logins, check_repository, check_user};
use super::published;
use crate::git::{Base, Git, ObjectId};
use crate::hub::{
    Gist, Hub, Issue, Job, Label, Milestone, Pull, Release, Repository, Runs, State, Time, User,
    gist_id,
};

/// World opened for a session.
pub struct Opened {
    /// Data of the repository outside git.
    pub hub: Hub,
    /// Git repository.
    pub git: Git,
    /// Directory `repo/` of the world, with the work tree and `.git`.
    pub work_tree: Directory,
}

/// Reads the metadata of a world's repository without opening the world.
///
/// # Errors
///
/// Returns an error if `repository.json`, or the `meta.json` that replaces it, cannot be read or is invalid.
pub fn repository_of(tree: &Tree, blobs: &dyn Blobs) -> Result<Repository, WorldError> {
    let documents = Documents {
        dir: documents_of(tree),
        blobs,
    };
    repository(&documents, None)
}

/// Returns true if a tree looks like a github world: `repo/` contains `.git`, or next to it is a document of this
/// service.
pub fn is_world(tree: &Tree) -> bool {
    let dir = documents_of(tree);
    let Some(Node::Directory(work_tree)) = dir.get("repo") else {
        return false;
    };
    // The names of the other documents are too common to identify a world.
    let own = ["repository.json", "issues.json", "pulls.json"];
    work_tree.get(".git").is_some() || own.iter().any(|name| dir.get(name).is_some())
}

/// Returns the directory that contains the documents and `repo/`: the root of the tree, or `env/`.
pub(super) fn documents_of(tree: &Tree) -> &Directory {
    let root = tree.root();
    match root.get("env") {
        Some(Node::Directory(env)) if root.get("repo").is_none() => env,
        _ => root,
    }
}

/// Opens the world in a tree. The objects of its repository are copied below `scratch`.
pub fn open(
    tree: &Tree,
    blobs: &dyn Blobs,
    scratch: &Path,
    clock: i64,
) -> Result<Opened, WorldError> {
    let dir = documents_of(tree);
    let Some(Node::Directory(work_tree)) = dir.get("repo") else {
        return Err(WorldError::Missing("repo/"));
    };
    let Some(Node::Directory(git_dir)) = work_tree.get(".git") else {
        return Err(WorldError::Missing("repo/.git/"));
    };
    let base = Base::open(git_dir, blobs, scratch)?;
    base.check()?;
    let head = base.head().map(str::to_owned);
    let documents = Documents { dir, blobs };
    let mut repository = repository(&documents, head.as_deref())?;
    let clock = Time(clock);
    set_default_time(&mut repository.created_at, clock);
    let git = Git::new(base);
    check_default_branch(&repository, &git, head.as_deref(), &documents)?;
    let mut reading = Reading {
        hub: Hub::new(repository, clock),
        git,
        clock,
    };
    reading
        .all(&documents)
        .map_err(|error| documents.located(error))?;
    reading.derive();
    Ok(Opened {
        hub: reading.hub,
        git: reading.git,
        work_tree: work_tree.clone(),
    })
}

/// Sets a time that a document omits to `clock`.
fn set_default_time(time: &mut Time, clock: Time) {
    if *time == Time(0) {
        *time = clock;
    }
}

/// Returns the latest time in an issue or a pull request, as the default of `updated_at`.
fn last_change(issue: &Issue) -> Time {
    let mut last = issue.created_at.max(issue.closed_at.unwrap_or_default());
    for comment in &issue.comments {
        last = last.max(comment.updated_at);
    }
    if let Some(pull) = &issue.pull {
        last = last.max(pull.merged_at.unwrap_or_default());
        for review in &pull.reviews {
            last = last.max(review.submitted_at.unwrap_or_default());
        }
        for comment in &pull.review_comments {
            last = last.max(comment.updated_at);
        }
    }
    last
}

fn repository(documents: &Documents<'_>, head: Option<&str>) -> Result<Repository, WorldError> {
    let (file, mut value) = match documents.read("repository.json")? {
        Some(value) => ("repository.json", value),
        None => match documents.read("meta.json")? {
            Some(meta) => ("meta.json", template(&meta)),
            None => ("repository.json", Value::Object(Default::default())),
        },
    };
    let Value::Object(entry) = &mut value else {
        return Err(WorldError::value(file, "the document", "is not an object"));
    };
    if !entry.contains_key("default_branch") {
        entry.insert("default_branch".to_owned(), head.unwrap_or("main").into());
    }
    // Default owner and name, so that tools can name the repository.
    entry.entry("owner").or_insert_with(|| "mcpmark".into());
    entry.entry("name").or_insert_with(|| "repo".into());
    if !entry.contains_key("viewer") {
        let owner = entry["owner"].clone();
        entry.insert("viewer".to_owned(), owner);
    }
    let repository = typed(file, "the document", value)?;
    check_repository(file, &repository)?;
    Ok(repository)
}

/// Converts `meta.json` of a published template to the keys of `repository.json`. Other keys are ignored.
fn template(meta: &Value) -> Value {
    let mut value = serde_json::Map::new();
    for (from, to) in [
        ("owner", "owner"),
        ("repo", "name"),
        ("default_branch", "default_branch"),
    ] {
        if let Some(given) = meta.get(from) {
            value.insert(to.to_owned(), given.clone());
        }
    }
    Value::Object(value)
}

struct Reading {
    hub: Hub,
    git: Git,
    clock: Time,
}

impl Reading {
    fn all(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        check_names(documents)?;
        self.people(documents)?;
        self.lists(documents)?;
        self.issues(documents)?;
        self.pulls(documents)?;
        check_relations(&self.hub)
    }

    fn people(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        let mut owners = HashMap::new();
        for user in documents.entries::<User>("users.json", published::plain)? {
            check_user(&user, &mut owners)?;
            let key = user.login.to_lowercase();
            if self.hub.users.insert(key, user.clone()).is_some() {
                return Err(WorldError::value("users.json", &user.login, "occurs twice"));
            }
        }
        Ok(())
    }

    fn lists(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        for label in documents.entries::<Label>("labels.json", published::label)? {
            check_color(&label)?;
            let key = label.name.to_lowercase();
            if self.hub.labels.insert(key, label.clone()).is_some() {
                return Err(WorldError::value(
                    "labels.json",
                    &label.name,
                    "occurs twice",
                ));
            }
        }
        for mut milestone in documents.entries::<Milestone>("milestones.json", published::plain)? {
            set_default_time(&mut milestone.created_at, self.clock);
            set_default_time(&mut milestone.updated_at, milestone.created_at);
            let number = milestone.number;
            check_number("milestones.json", &format!("#{number}"), number)?;
            let place = format!("#{number}");
            check_logins("milestones.json", &place, &milestone.creator)?;
            if self.hub.milestones.insert(number, milestone).is_some() {
                return Err(WorldError::value("milestones.json", number, "occurs twice"));
            }
        }
        let releases = documents.entries::<Release>("releases.json", published::plain)?;
        for (index, mut release) in releases.into_iter().enumerate() {
            check_logins("releases.json", &format!("[{index}]"), [&release.author])?;
            set_default_time(&mut release.created_at, self.clock);
            if release.published_at.is_none() && !release.draft {
                release.published_at = Some(release.created_at);
            }
            if release.id == 0 {
                release.id = self.hub.last.release + 1;
            }
            self.hub.last.release = self.hub.last.release.max(release.id);
            let id = release.id;
            if self.hub.releases.insert(id, release).is_some() {
                let problem = format!("its id {id} occurs twice");
                return Err(WorldError::value(
                    "releases.json",
                    format!("[{index}]"),
                    problem,
                ));
            }
        }
        self.gists(documents)?;
        let (remarks, last) = super::remarks::read(documents, self.clock)?;
        (self.hub.remarks, self.hub.last.remark) = (remarks, last);
        self.runs(documents)
    }

    fn gists(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        const FILE: &str = "gists.json";
        let read = documents.entries::<Gist>(FILE, |_| {})?;
        for (index, mut gist) in read.into_iter().enumerate() {
            let refused = |problem: &str| WorldError::value(FILE, format!("[{index}]"), problem);
            if gist.id.is_empty() {
                gist.id = gist_id(&gist.owner, index);
            }
            if let Some(problem) = gist_problem(&gist) {
                return Err(refused(problem));
            }
            check_logins(FILE, &format!("[{index}]"), [&gist.owner])?;
            set_default_time(&mut gist.created_at, self.clock);
            set_default_time(&mut gist.updated_at, gist.created_at);
            if self.hub.gists.insert(gist.id.clone(), gist).is_some() {
                return Err(refused("its id occurs twice"));
            }
        }
        Ok(())
    }

    /// Reads `runs.json`. Lists are parsed entry by entry, so that errors name the invalid entry.
    fn runs(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        const FILE: &str = "runs.json";
        /// Highest integer that every JSON reader represents exactly.
        const LAST_ID: u64 = 1 << 53;
        let Some(mut value) = documents.read(FILE)? else {
            return Ok(());
        };
        let mut entries = |key: &str| match value.get_mut(key).map(Value::take) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(entries)) => Ok(entries),
            Some(_) => Err(WorldError::value(FILE, key, "is not a list")),
        };
        let (runs, jobs) = (entries("workflow_runs")?, entries("jobs")?);
        if let Value::Object(keys) = &mut value {
            keys.remove("workflow_runs");
            keys.remove("jobs");
        }
        let mut read: Runs = typed(FILE, "the document", value)?;
        for (index, mut run) in runs.into_iter().enumerate() {
            published::run(&mut run);
            read.workflow_runs
                .push(typed(FILE, &format!("workflow_runs[{index}]"), run)?);
        }
        for (index, mut job) in jobs.into_iter().enumerate() {
            published::run(&mut job);
            let job: Job = typed(FILE, &format!("jobs[{index}]"), job)?;
            if read.run(job.run_id).is_none() {
                let problem = format!("its run {} does not exist", job.run_id);
                return Err(WorldError::value(FILE, format!("jobs[{index}]"), problem));
            }
            read.jobs.push(job);
        }
        read.sort();
        let ids = read.workflow_runs.iter().map(|run| run.id);
        if let Some(id) = ids
            .chain(read.jobs.iter().map(|job| job.id))
            .find(|id| *id > LAST_ID)
        {
            let problem = format!("the id {id} exceeds the limit of {LAST_ID}");
            return Err(WorldError::value(FILE, "the document", problem));
        }
        for run in &mut read.workflow_runs {
            set_default_time(&mut run.created_at, self.clock);
            set_default_time(&mut run.updated_at, run.created_at);
        }
        self.hub.runs = read;
        Ok(())
    }

    fn issues(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        const FILE: &str = "issues.json";
        for (index, mut value) in documents.list(FILE)?.into_iter().enumerate() {
            // GitHub includes pull requests in its list of issues. `pulls.json` has their full data.
            if value.get("pull_request").is_some_and(|it| !it.is_null()) {
                continue;
            }
            self.milestone_by_title(FILE, &mut value, index)?;
            published::issue(&mut value);
            let place = place(&value, index);
            let issue = typed(FILE, &place, value)?;
            self.add(FILE, &place, issue)?;
        }
        Ok(())
    }

    fn pulls(&mut self, documents: &Documents<'_>) -> Result<(), WorldError> {
        const FILE: &str = "pulls.json";
        for (index, mut value) in documents.list(FILE)?.into_iter().enumerate() {
            self.milestone_by_title(FILE, &mut value, index)?;
            let place = place(&value, index);
            let (common, own) = published::pull(value);
            let mut issue: Issue = typed(FILE, &place, common)?;
            let pull: Pull = typed(FILE, &place, own)?;
            issue.pull = Some(Box::new(pull));
            self.add(FILE, &place, issue)?;
        }
        let numbers: Vec<u64> = self.hub.pulls().map(|(issue, _)| issue.number).collect();
        for number in numbers {
            self.find_head(FILE, number)?;
        }
        Ok(())
    }

    /// Replaces a milestone given by its title, as a string or in an object, by its number.
    fn milestone_by_title(
        &mut self,
        file: &str,
        value: &mut Value,
        index: usize,
    ) -> Result<(), WorldError> {
        let place = place(value, index);
        let Some(given) = value.get_mut("milestone") else {
            return Ok(());
        };
        if given.get("number").is_some() {
            return Ok(());
        }
        let title = given.get("title").unwrap_or(given);
        if let Some(title) = title.as_str() {
            let known = self
                .hub
                .milestones
                .values()
                .find(|known| known.title == title);
            let Some(known) = known else {
                let problem = format!("milestone {title:?} is not in milestones.json");
                return Err(WorldError::value(file, place, problem));
            };
            *given = known.number.into();
        }
        Ok(())
    }

    fn add(&mut self, file: &str, place: &str, mut issue: Issue) -> Result<(), WorldError> {
        check_issue(file, place, &issue)?;
        if issue.user.is_empty() {
            issue.user = self.hub.repository.viewer.clone();
        }
        set_default_time(&mut issue.created_at, self.clock);
        if let Some(number) = issue.milestone
            && !self.hub.milestones.contains_key(&number)
        {
            let problem = format!("milestone {number} is not in milestones.json");
            return Err(WorldError::value(file, place, problem));
        }
        for comment in &mut issue.comments {
            set_default_time(&mut comment.created_at, issue.created_at);
            set_default_time(&mut comment.updated_at, comment.created_at);
        }
        if let Some(pull) = &mut issue.pull {
            for comment in &mut pull.review_comments {
                set_default_time(&mut comment.created_at, issue.created_at);
                set_default_time(&mut comment.updated_at, comment.created_at);
            }
            for review in &mut pull.reviews {
                if review.state != crate::hub::ReviewState::Pending && review.submitted_at.is_none()
                {
                    review.submitted_at = Some(issue.created_at);
                }
            }
        }
        if issue.updated_at == Time(0) {
            issue.updated_at = last_change(&issue);
        }
        if issue.state == State::Closed && issue.closed_at.is_none() {
            issue.closed_at = Some(issue.updated_at);
        }
        if let Some(merged_at) = issue.pull.as_mut().and_then(|it| it.merged_at.as_mut()) {
            set_default_time(merged_at, issue.closed_at.unwrap_or(issue.updated_at));
        }
        self.hub.last.issue = self.hub.last.issue.max(issue.number);
        let number = issue.number;
        if self.hub.issues.insert(number, issue).is_some() {
            return Err(WorldError::value(file, place, "its number is used twice"));
        }
        Ok(())
    }

    /// Determines the head and base commits of a pull request, and sets `refs/pull/<number>/head`.
    fn find_head(&mut self, file: &str, number: u64) -> Result<(), WorldError> {
        let Some((issue, pull)) = self.hub.pull(number) else {
            return Ok(());
        };
        let place = format!("#{number}");
        let git = &self.git;
        let known = |text: &str| -> Result<Option<ObjectId>, WorldError> {
            if text.is_empty() {
                Ok(None)
            } else {
                Ok(git.resolve(text)?)
            }
        };
        let branch = pull.head_branch();
        let open = issue.state == State::Open;
        let live = branch
            .filter(|_| open)
            .and_then(|branch| git.branch(branch));
        // If nothing else is known about the head of a fork, it is that of the branch with the same name.
        let last_resort = match branch {
            None if open && pull.head == pull.base => None,
            _ => Some(branch.unwrap_or(&pull.head)),
        };
        let base_tip = git.branch(&pull.base);
        if open && base_tip.is_none() {
            let problem = format!("its base {:?} is not a branch of the repository", pull.base);
            return Err(WorldError::value(file, place, problem));
        }
        let head = match live {
            Some(id) => Some(id),
            None => match known(&pull.head_sha)? {
                Some(id) => Some(id),
                None => match git.find_ref(&format!("refs/pull/{number}/head")) {
                    Some(id) => Some(id),
                    None => last_resort.and_then(|branch| git.branch(branch)),
                },
            },
        };
        let head = match (head, open) {
            (Some(id), _) => id,
            (None, true) => {
                let problem = format!(
                    "its head {:?} is not a branch of the repository, and its head_sha is not a commit",
                    branch.unwrap_or(&pull.head)
                );
                return Err(WorldError::value(file, place, problem));
            }
            // The branch was squashed and deleted: use the merge commit, or the tip of the base or default branch.
            (None, false) => {
                let merged = known(pull.merge_commit_sha.as_deref().unwrap_or_default())?;
                let fallback = merged
                    .or(base_tip)
                    .or(git.branch(&self.hub.repository.default_branch));
                fallback
                    .ok_or_else(|| WorldError::value(file, &place, "none of its commits exists"))?
            }
        };
        let base = match (open, base_tip, known(&pull.base_sha)?) {
            (true, Some(tip), _) => tip,
            (_, _, Some(id)) => id,
            (_, Some(tip), None) => git.merge_base(tip, head)?.unwrap_or(tip),
            (_, None, None) => head,
        };
        self.git.set_ref(format!("refs/pull/{number}/head"), head);
        if let Some(pull) = self
            .hub
            .issues
            .get_mut(&number)
            .and_then(|it| it.pull.as_mut())
        {
            pull.head_sha = head.to_string();
            pull.base_sha = base.to_string();
            for commit in pull
                .reviews
                .iter_mut()
                .map(|it| &mut it.commit_id)
                .chain(pull.review_comments.iter_mut().map(|it| &mut it.commit_id))
            {
                if commit.is_empty() {
                    *commit = head.to_string();
                }
            }
            for comment in &mut pull.review_comments {
                comment.drop_redundant_originals();
            }
        }
        Ok(())
    }

    /// Assigns missing ids, creates the users and labels that are referenced, and sets the clock to one second after
    /// the latest time in the world.
    fn derive(&mut self) {
        let Self { hub, clock, .. } = self;
        let mut logins = vec![hub.repository.owner.clone(), hub.repository.viewer.clone()];
        logins.extend(hub.repository.collaborators.iter().cloned());
        let mut labels = Vec::new();
        let mut latest = *clock;
        let mut last = hub.last;
        for issue in hub.issues.values() {
            last.comment = last
                .comment
                .max(issue.comments.iter().map(|it| it.id).max().unwrap_or(0));
            if let Some(pull) = &issue.pull {
                last.comment = last.comment.max(
                    pull.review_comments
                        .iter()
                        .map(|it| it.id)
                        .max()
                        .unwrap_or(0),
                );
                last.review = last
                    .review
                    .max(pull.reviews.iter().map(|it| it.id).max().unwrap_or(0));
            }
        }
        let next = |id: &mut u64, last: &mut u64| {
            if *id == 0 {
                *last += 1;
                *id = *last;
            }
        };
        for issue in hub.issues.values_mut() {
            latest = latest.max(issue.updated_at);
            logins.push(issue.user.clone());
            logins.extend(issue.assignees.iter().cloned());
            labels.extend(issue.labels.iter().cloned());
            for comment in &mut issue.comments {
                next(&mut comment.id, &mut last.comment);
                latest = latest.max(comment.updated_at);
                logins.push(comment.user.clone());
            }
            let Some(pull) = &mut issue.pull else {
                continue;
            };
            for review in &mut pull.reviews {
                next(&mut review.id, &mut last.review);
                latest = latest.max(review.submitted_at.unwrap_or_default());
                logins.push(review.user.clone());
            }
            for comment in &mut pull.review_comments {
                next(&mut comment.id, &mut last.comment);
                latest = latest.max(comment.updated_at);
                logins.push(comment.user.clone());
            }
            logins.extend(pull.requested_reviewers.iter().cloned());
            logins.extend(pull.merged_by.iter().cloned());
        }
        logins.extend(hub.releases.values().map(|release| release.author.clone()));
        logins.extend(hub.gists.values().map(|gist| gist.owner.clone()));
        for of in hub.remarks.values() {
            for comment in &of.comments {
                latest = latest.max(comment.updated_at);
                logins.push(comment.user.clone());
            }
            for status in &of.statuses {
                latest = latest.max(status.created_at);
                logins.push(status.creator.clone());
            }
        }
        for run in &hub.runs.workflow_runs {
            latest = latest.max(run.updated_at);
            logins.extend(run.actor.clone());
        }
        hub.last = last;
        for login in logins {
            hub.users
                .entry(login.to_lowercase())
                .or_insert_with(|| User {
                    login,
                    ..User::default()
                });
        }
        for label in labels {
            hub.label(&label);
        }
        hub.now = Time(latest.0 + 1);
    }
}
