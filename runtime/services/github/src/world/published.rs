//! Conversion of documents of published worlds, and of responses of GitHub's REST API, to our format.

use serde_json::{Map, Value};

/// Keys of GitHub's responses that are ignored because they are redundant or not modelled.
const DROPPED: [&str; 35] = [
    "url",
    "node_id",
    "repository",
    "author_association",
    "performed_via_github_app",
    "assignee",
    "active_lock_reason",
    "pull_request",
    "timeline_url",
    "auto_merge",
    "mergeable",
    "mergeable_state",
    "merged",
    "rebaseable",
    "commits",
    "additions",
    "deletions",
    "changed_files",
    "_links",
    "requested_teams",
    "comments_count",
    "position",
    "original_position",
    "subject_type",
    "default",
    "open_issues",
    "closed_issues",
    "is_from_fork",
    "draft_release",
    "assets",
    "immutable",
    "sub_issues_summary",
    "issue_dependencies_summary",
    "issue_field_values",
    "last_edited_at",
];

fn drop_noise(entry: &mut Map<String, Value>) {
    entry.retain(|key, _| !DROPPED.contains(&key.as_str()) && !key.ends_with("_url"));
}

/// Replaces a user, label or milestone given as an object by the value of `key`.
fn by_key(value: &mut Value, key: &str) {
    if let Some(name) = value.get(key) {
        *value = name.clone();
    }
}

fn rename(entry: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = entry.remove(from)
        && !entry.contains_key(to)
    {
        entry.insert(to.to_owned(), value);
    }
}

fn each(entry: &mut Map<String, Value>, key: &str, change: impl Fn(&mut Value)) {
    match entry.get_mut(key) {
        Some(Value::Array(values)) => values.iter_mut().for_each(change),
        // GitHub returns a count instead of the list.
        Some(Value::Number(_) | Value::Null | Value::Object(_)) => {
            entry.remove(key);
        }
        _ => {}
    }
}

/// Removes keys with the value null, which is equivalent to an absent key.
fn drop_nulls(entry: &mut Map<String, Value>) {
    entry.retain(|_, value| !value.is_null());
}

fn person(entry: &mut Map<String, Value>) {
    rename(entry, "author", "user");
    if let Some(user) = entry.get_mut("user") {
        by_key(user, "login");
    }
}

fn said(value: &mut Value) {
    let Value::Object(entry) = value else { return };
    drop_noise(entry);
    drop_nulls(entry);
    person(entry);
    each(entry, "reactions", reaction);
    // Ids of GitHub are not ordinals of this service.
    entry.remove("id");
    entry.entry("body").or_insert_with(|| "".into());
}

fn reaction(value: &mut Value) {
    if let Value::Object(entry) = value {
        entry.retain(|key, _| key == "user" || key == "content");
        person(entry);
    }
}

/// Lower bound of ids that GitHub assigned. Ids of this service are counted from 1.
pub(super) const FIRST_OF_GITHUB: u64 = 1_000_000;

/// Returns true if the id of an entry was assigned by this service and not by GitHub.
fn keeps_id(value: &Value) -> bool {
    value
        .get("id")
        .and_then(Value::as_u64)
        .is_some_and(|id| id < FIRST_OF_GITHUB)
}

fn said_with_id(value: &mut Value) {
    let id = keeps_id(value).then(|| value["id"].clone());
    said(value);
    if let (Some(id), Value::Object(entry)) = (id, value) {
        entry.insert("id".to_owned(), id);
    }
}

pub(super) fn issue(value: &mut Value) {
    let Value::Object(entry) = value else { return };
    drop_noise(entry);
    drop_nulls(entry);
    entry.remove("id");
    person(entry);
    if let Some(user) = entry.get_mut("closed_by") {
        by_key(user, "login");
    }
    each(entry, "labels", |label| by_key(label, "name"));
    each(entry, "assignees", |user| by_key(user, "login"));
    each(entry, "reactions", reaction);
    each(entry, "comments", said_with_id);
    if let Some(Value::String(state)) = entry.get_mut("state") {
        *state = state.to_lowercase();
    }
    if let Some(milestone) = entry.get_mut("milestone") {
        by_key(milestone, "number");
    }
    if let Some(kind) = entry.get_mut("type") {
        by_key(kind, "name");
    }
    // Templates of the published benchmark contain no authors.
    entry.entry("user").or_insert_with(|| "".into());
}

/// Splits a pull request into the keys that issues have, too, and the remaining keys.
pub(super) fn pull(mut value: Value) -> (Value, Value) {
    let Value::Object(entry) = &mut value else {
        return (value, Value::Null);
    };
    // Final states contain `closes`, but it is derived from the text.
    entry.remove("closes");
    let mut own = Map::new();
    let merged = entry
        .get("merged")
        .and_then(Value::as_bool)
        .unwrap_or(false)
        || entry
            .get("state")
            .and_then(Value::as_str)
            .is_some_and(|state| state.eq_ignore_ascii_case("merged"));
    let owner = |side: &str| {
        let side = entry.get(side)?;
        side["user"]["login"].as_str()
    };
    if let (Some(head), Some(base)) = (owner("head"), owner("base"))
        && !head.eq_ignore_ascii_case(base)
    {
        own.insert("fork_owner".to_owned(), head.into());
    }
    for side in ["head", "base"] {
        let Some(given) = entry.remove(side) else {
            continue;
        };
        if let Some(sha) = given.get("sha") {
            own.insert(format!("{side}_sha"), sha.clone());
        }
        own.insert(side.to_owned(), given.get("ref").unwrap_or(&given).clone());
    }
    let keys = [
        "head_sha",
        "base_sha",
        "fork_owner",
        "fork_repo",
        "local_branch",
        "draft",
        "maintainer_can_modify",
        "merged_at",
        "merged_by",
        "merge_method",
        "merge_commit_sha",
        "requested_reviewers",
        "reviews",
        "review_comments",
    ];
    for key in keys {
        if let Some(value) = entry.remove(key) {
            own.insert(key.to_owned(), value);
        }
    }
    drop_nulls(&mut own);
    if merged {
        entry.insert("state".to_owned(), "closed".into());
        let closed = entry.get("closed_at").cloned();
        own.entry("merged_at")
            .or_insert(closed.unwrap_or_else(|| "1970-01-01T00:00:00Z".into()));
    }
    if let Some(user) = own.get_mut("merged_by") {
        by_key(user, "login");
    }
    each(&mut own, "requested_reviewers", |user| {
        by_key(user, "login")
    });
    each(&mut own, "reviews", said_with_id);
    each(&mut own, "review_comments", |comment| {
        said_with_id(comment);
        if let Value::Object(entry) = comment {
            rename(entry, "in_reply_to_id", "in_reply_to");
            rename(entry, "pull_request_review_id", "review");
        }
    });
    issue(&mut value);
    (value, Value::Object(own))
}

pub(super) fn label(value: &mut Value) {
    if let Value::String(name) = value {
        *value = serde_json::json!({"name": name});
    }
    plain(value);
}

/// Converts a user, a milestone, a release, or a label given as an object.
pub(super) fn plain(value: &mut Value) {
    let counted = keeps_id(value);
    let Value::Object(entry) = value else { return };
    drop_noise(entry);
    drop_nulls(entry);
    if !counted {
        entry.remove("id");
    }
    for key in ["creator", "author"] {
        if let Some(user) = entry.get_mut(key) {
            by_key(user, "login");
        }
    }
}

/// Converts a workflow run or a job: removes nulls, node ids and URLs, which are derived.
pub(super) fn run(value: &mut Value) {
    let Value::Object(entry) = value else { return };
    entry.retain(|key, _| key != "node_id" && key != "url" && !key.ends_with("_url"));
    drop_nulls(entry);
}
