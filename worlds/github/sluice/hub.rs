//! The issues and pull requests as they come to be, and the documents that tell of them.

use mcpmark_guest::World;
use mcpmark_guest::serde_json::{Map, Value, json, to_string_pretty};

use crate::people::{GROWERS, NAME, OWNER, TEAM, VIEWER};
use crate::time::{day, iso};

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

    pub fn release(&mut self, number: &str, target: &str, notes: &str, at: i64) {
        let id = self.releases.len() as u64 + 1;
        self.releases.push(json!({
            "id": id, "tag_name": format!("v{number}"), "target_commitish": target,
            "name": format!("sluice {number}"), "body": notes, "author": "icalder",
            "created_at": iso(at), "published_at": iso(at),
        }));
    }

    /// Writes all documents.
    pub fn write(&self, world: &mut World) {
        let (pulls, issues): (Vec<&Thread>, Vec<&Thread>) = self
            .threads
            .iter()
            .partition(|thread| thread.pull.is_some());
        let documents = [
            ("repository", repository()),
            ("users", users()),
            ("labels", labels()),
            ("milestones", milestones()),
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

fn repository() -> Value {
    let mut members: Vec<&str> = TEAM.iter().map(|person| person.login).collect();
    members.push(VIEWER);
    json!({
        "owner": OWNER,
        "name": NAME,
        "description": "Waters allotments and small farms",
        "default_branch": "main",
        "viewer": VIEWER,
        "topics": ["irrigation", "python"],
        "collaborators": members,
        "created_at": iso(day(0)),
    })
}

fn users() -> Value {
    let mut users: Vec<Value> = TEAM
        .iter()
        .map(|it| json!({"login": it.login, "name": it.name, "email": it.email, "type": "User", "bio": it.bio}))
        .collect();
    users.push(json!({"login": OWNER, "name": "Lowfield", "type": "Organization"}));
    users.push(json!({"login": VIEWER, "name": "Lowfield Desk", "email": "desk@lowfield.example", "type": "User"}));
    users.extend(
        GROWERS
            .iter()
            .map(|login| json!({"login": login, "type": "User"})),
    );
    users.sort_by_key(|user| user["login"].as_str().unwrap_or_default().to_owned());
    users.into()
}

/// Name, colour and meaning.
const LABELS: [(&str, &str, &str); 12] = [
    ("area: crops", "c2e0c6", "The files in crops/"),
    ("area: hardware", "bfd4f2", "Valves and drivers"),
    ("area: interface", "d4c5f9", "Web, command line, alerts"),
    ("area: planning", "fef2c0", "Schedule and forecast"),
    ("area: readings", "c5def5", "Moisture and the database"),
    ("backport 1.2", "0e8a16", "Goes to release/1.2 as well"),
    ("backport 2.1", "0e8a16", "Goes to release/2.1 as well"),
    ("bug", "d73a4a", "Something does not work"),
    ("duplicate", "cfd3d7", "There is an issue for it already"),
    ("enhancement", "a2eeef", "Something new"),
    ("needs info", "fbca04", "We cannot tell what it is about"),
    ("question", "d876e3", "An answer is all that is wanted"),
];

fn labels() -> Value {
    LABELS
        .iter()
        .map(|(name, color, text)| json!({"name": name, "color": color, "description": text}))
        .collect()
}

/// The title, and the days of begin, and of its end where it is over.
pub const MILESTONES: [(&str, i64, Option<i64>); 4] = [
    ("1.0", 60, Some(247)),
    ("2.0", 300, Some(457)),
    ("2.3", 520, Some(674)),
    ("2.4", 675, None),
];

fn milestones() -> Value {
    MILESTONES
        .iter()
        .enumerate()
        .map(|(index, (title, begin, end))| {
            let mut it = Map::new();
            put(&mut it, "number", index as u64 + 1);
            put(&mut it, "title", *title);
            put(
                &mut it,
                "state",
                if end.is_some() { "closed" } else { "open" },
            );
            put(&mut it, "creator", "icalder");
            put(&mut it, "created_at", iso(day(*begin)));
            put(&mut it, "updated_at", iso(day(end.unwrap_or(*begin))));
            put(&mut it, "closed_at", end.map(|end| iso(day(end))));
            Value::Object(it)
        })
        .collect()
}
