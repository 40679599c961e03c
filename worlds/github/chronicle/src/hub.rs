//! The issues and pull requests as they come to be, and the documents that tell of them.

use mcpmark_guest::World;
use mcpmark_guest::serde_json::{Map, Value, json, to_string_pretty};

use crate::project::Project;
use crate::time::iso;

#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub number: u64,
    pub title: String,
    pub body: String,
    pub user: String,
    pub closed: Option<Closed>,
    pub duplicate_of: Option<u64>,
    pub labels: Vec<String>,
    pub assignees: Vec<String>,
    pub milestone: Option<u64>,
    /// The numbers of the issues below it.
    pub sub_issues: Vec<u64>,
    pub created: i64,
    pub updated: i64,
    pub comments: Vec<Value>,
    pub pull: Option<Pull>,
}

#[derive(Clone, Debug)]
pub struct Closed {
    pub at: i64,
    pub by: String,
    /// None for a pull request.
    pub reason: Option<&'static str>,
}

#[derive(Clone, Debug, Default)]
pub struct Pull {
    pub head: String,
    pub head_sha: String,
    pub base_sha: String,
    pub is_draft: bool,
    pub merged: Option<Merged>,
    pub requested: Vec<String>,
    pub reviews: Vec<Value>,
    /// The issues that its text closes.
    pub closes: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct Merged {
    pub at: i64,
    pub by: String,
    pub method: &'static str,
    pub commit: String,
}

#[derive(Default)]
pub struct Hub {
    pub threads: Vec<Thread>,
    pub releases: Vec<Value>,
    /// The rules of branches.
    protected: Map<String, Value>,
    comments: u64,
    reviews: u64,
}

impl Hub {
    /// Opens an issue or a pull request, and gives its number.
    pub fn open(&mut self, thread: Thread) -> u64 {
        let number = self.threads.len() as u64 + 1;
        self.threads.push(Thread {
            number,
            updated: thread.created,
            ..thread
        });
        number
    }

    pub fn thread(&mut self, number: u64) -> &mut Thread {
        &mut self.threads[number as usize - 1]
    }

    /// Gives a branch rules, as the document of the repository tells them.
    pub fn protect(&mut self, branch: &str, rules: Value) {
        self.protected.insert(branch.to_owned(), rules);
    }

    /// The pull request of a number.
    pub fn pull(&mut self, number: u64) -> &mut Pull {
        match &mut self.thread(number).pull {
            Some(pull) => pull,
            None => panic!("#{number} is no pull request"),
        }
    }

    pub fn comment(&mut self, number: u64, by: &str, text: &str, at: i64) {
        self.comments += 1;
        let id = self.comments;
        let thread = self.thread(number);
        thread.updated = thread.updated.max(at);
        thread.comments.push(json!({
            "id": id, "user": by, "body": text, "created_at": iso(at), "updated_at": iso(at),
        }));
    }

    pub fn review(&mut self, number: u64, by: &str, body: &str, state: &str, at: i64) {
        self.reviews += 1;
        let id = self.reviews;
        let thread = self.thread(number);
        thread.updated = thread.updated.max(at);
        let pull = self.pull(number);
        pull.requested.retain(|login| login != by);
        let commit = pull.head_sha.clone();
        pull.reviews.push(json!({
            "id": id, "user": by, "body": body, "state": state, "commit_id": commit,
            "submitted_at": iso(at),
        }));
    }

    pub fn close(&mut self, number: u64, by: &str, reason: Option<&'static str>, at: i64) {
        let thread = self.thread(number);
        if thread.closed.is_none() {
            thread.updated = thread.updated.max(at);
            thread.closed = Some(Closed {
                at,
                by: by.to_owned(),
                reason,
            });
        }
    }

    pub(crate) fn release(
        &mut self,
        project: &Project,
        number: &str,
        target: &str,
        notes: &str,
        at: i64,
    ) {
        let id = self.releases.len() as u64 + 1;
        self.releases.push(json!({
            "id": id, "tag_name": format!("v{number}"), "target_commitish": target,
            "name": format!("{} {number}", project.name), "body": notes, "author": project.releaser().login,
            "created_at": iso(at), "published_at": iso(at),
        }));
    }

    /// Writes all documents.
    pub fn write(&self, project: &Project, world: &mut World) {
        let (pulls, issues): (Vec<&Thread>, Vec<&Thread>) = self
            .threads
            .iter()
            .partition(|thread| thread.pull.is_some());
        let documents = [
            ("repository", repository(project, &self.protected)),
            ("users", users(project)),
            ("labels", labels(project)),
            ("milestones", milestones(project)),
            ("issues", issues.into_iter().map(document).collect()),
            ("pulls", pulls.into_iter().map(document).collect()),
            ("releases", self.releases.clone().into()),
        ];
        for (name, document) in documents {
            let text = match to_string_pretty(&document) {
                Ok(text) => text,
                Err(error) => panic!("{name}: {error}"),
            };
            world.file(format!("{name}.json"), format!("{text}\n"));
        }
    }
}

/// Puts what is there into an object.
fn put(object: &mut Map<String, Value>, key: &str, value: impl Into<Value>) {
    let value = value.into();
    let is_nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    if !is_nothing {
        object.insert(key.to_owned(), value);
    }
}

fn document(thread: &Thread) -> Value {
    let mut it = Map::new();
    let closed = thread.closed.as_ref();
    put(&mut it, "number", thread.number);
    put(&mut it, "title", thread.title.clone());
    put(
        &mut it,
        "body",
        (!thread.body.is_empty()).then(|| thread.body.clone()),
    );
    put(&mut it, "user", thread.user.clone());
    put(
        &mut it,
        "state",
        if closed.is_some() { "closed" } else { "open" },
    );
    put(&mut it, "state_reason", closed.and_then(|it| it.reason));
    put(&mut it, "duplicate_of", thread.duplicate_of);
    put(&mut it, "labels", thread.labels.clone());
    put(&mut it, "assignees", thread.assignees.clone());
    put(&mut it, "milestone", thread.milestone);
    put(&mut it, "created_at", iso(thread.created));
    put(&mut it, "updated_at", iso(thread.updated));
    put(&mut it, "closed_at", closed.map(|it| iso(it.at)));
    put(&mut it, "closed_by", closed.map(|it| it.by.clone()));
    put(&mut it, "sub_issues", thread.sub_issues.clone());
    put(&mut it, "comments", thread.comments.clone());
    if let Some(pull) = &thread.pull {
        let merged = pull.merged.as_ref();
        put(&mut it, "head", pull.head.clone());
        put(&mut it, "base", "main");
        put(&mut it, "head_sha", pull.head_sha.clone());
        put(&mut it, "base_sha", pull.base_sha.clone());
        put(&mut it, "draft", pull.is_draft.then_some(true));
        put(&mut it, "merged_at", merged.map(|it| iso(it.at)));
        put(&mut it, "merged_by", merged.map(|it| it.by.clone()));
        put(&mut it, "merge_method", merged.map(|it| it.method));
        put(
            &mut it,
            "merge_commit_sha",
            merged.map(|it| it.commit.clone()),
        );
        put(&mut it, "requested_reviewers", pull.requested.clone());
        put(&mut it, "reviews", pull.reviews.clone());
        put(&mut it, "closes", pull.closes.clone());
    }
    Value::Object(it)
}

fn repository(project: &Project, protected: &Map<String, Value>) -> Value {
    let mut members: Vec<&str> = project.team.iter().map(|person| person.login).collect();
    members.push(project.viewer.login);
    let mut repository = json!({
        "owner": project.owner,
        "name": project.name,
        "description": project.description,
        "default_branch": "main",
        "viewer": project.viewer.login,
        "topics": project.topics,
        "collaborators": members,
        "created_at": iso(project.day(0)),
    });
    if !protected.is_empty() {
        repository["protected_branches"] = protected.clone().into();
    }
    repository
}

fn users(project: &Project) -> Value {
    let mut users: Vec<Value> = project
        .team
        .iter()
        .map(|it| json!({"login": it.login, "name": it.name, "email": it.email, "type": "User", "bio": it.bio}))
        .collect();
    users.push(
        json!({"login": project.owner, "name": project.organisation, "type": "Organization"}),
    );
    let viewer = project.viewer;
    users.push(
        json!({"login": viewer.login, "name": viewer.name, "email": viewer.email, "type": "User"}),
    );
    users.extend(
        project
            .others
            .iter()
            .map(|login| json!({"login": login, "type": "User"})),
    );
    users.sort_by_key(|user| user["login"].as_str().unwrap_or_default().to_owned());
    users.into()
}

fn labels(project: &Project) -> Value {
    project
        .labels
        .iter()
        .map(|(name, color, text)| json!({"name": name, "color": color, "description": text}))
        .collect()
}

fn milestones(project: &Project) -> Value {
    project
        .milestones
        .iter()
        .enumerate()
        .map(|(index, milestone)| {
            let (begin, end) = (milestone.begin, milestone.end);
            let mut it = Map::new();
            put(&mut it, "number", index as u64 + 1);
            put(&mut it, "title", milestone.title);
            put(
                &mut it,
                "state",
                if end.is_some() { "closed" } else { "open" },
            );
            put(&mut it, "creator", project.releaser().login);
            put(&mut it, "created_at", iso(project.day(begin)));
            put(
                &mut it,
                "updated_at",
                iso(project.day(end.unwrap_or(begin))),
            );
            put(&mut it, "closed_at", end.map(|end| iso(project.day(end))));
            Value::Object(it)
        })
        .collect()
}
