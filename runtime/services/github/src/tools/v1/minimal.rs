//! Shortened results, with keys in the order of the published server's structures.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::tools::arguments::Arguments;
use crate::tools::context::minimal_user;
use crate::tools::{Failure, Outcome, written};

/// Returns true for a value that Go's `omitempty` would omit: null, zero, false, or an empty list or string.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(value) => value.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(_) => false,
    }
}

/// Returns the named keys in the given order. Empty values are omitted, except for keys with the suffix `!`.
pub(super) fn picked(from: &Value, keys: &str) -> Value {
    let mut kept = Map::new();
    for key in keys.split_whitespace() {
        let name = key.trim_end_matches('!');
        let value = &from[name];
        if key.ends_with('!') || !is_empty(value) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

/// Collects the values of one key from all entries of a list.
fn each(list: &Value, key: &str) -> Value {
    let entries = list.as_array().into_iter().flatten();
    entries.map(|entry| entry[key].clone()).collect()
}

/// Shortened user, or null.
pub(super) fn user(user: &Value) -> Value {
    match user {
        Value::Null => Value::Null,
        user => minimal_user(user),
    }
}

fn reactions(all: &Value) -> Value {
    let keys = "total_count! +1! -1! laugh! confused! heart! hooray! rocket! eyes!";
    match all {
        Value::Null => Value::Null,
        all => picked(all, keys),
    }
}

/// Shortened issue, from its representation in the REST API.
pub(super) fn issue(mut view: Value) -> Value {
    view["user"] = user(&view["user"]);
    view["labels"] = each(&view["labels"], "name");
    view["assignees"] = each(&view["assignees"], "login");
    view["milestone"] = view["milestone"]["title"].clone();
    view["closed_by"] = view["closed_by"]["login"].clone();
    view["issue_type"] = view["type"]["name"].clone();
    view["reactions"] = reactions(&view["reactions"]);
    picked(
        &view,
        "number! title! body state! state_reason draft locked html_url user author_association labels assignees! \
         milestone comments reactions created_at updated_at closed_at closed_by issue_type",
    )
}

pub(super) fn comment(mut view: Value) -> Value {
    view["user"] = user(&view["user"]);
    view["reactions"] = reactions(&view["reactions"]);
    let keys = "id! body html_url! user author_association reactions created_at updated_at";
    picked(&view, keys)
}

/// Shortened pull request, from its representation in the REST API.
pub(super) fn pull(mut view: Value) -> Value {
    view["user"] = user(&view["user"]);
    view["labels"] = each(&view["labels"], "name");
    view["assignees"] = each(&view["assignees"], "login");
    view["requested_reviewers"] = each(&view["requested_reviewers"], "login");
    view["milestone"] = view["milestone"]["title"].clone();
    view["merged_by"] = view["merged_by"]["login"].clone();
    for side in ["head", "base"] {
        let repo = picked(&view[side]["repo"], "full_name! description");
        view[side] = json!({"ref": view[side]["ref"], "sha": view[side]["sha"], "repo": repo});
    }
    // Lists do not contain `merged`.
    view["merged"] = view["merged"].as_bool().unwrap_or(false).into();
    picked(
        &view,
        "number! title! body state! draft! merged! mergeable_state html_url! user labels assignees \
         requested_reviewers merged_by head base additions deletions changed_files commits comments created_at \
         updated_at closed_at merged_at milestone",
    )
}

pub(super) fn review(mut view: Value) -> Value {
    view["user"] = user(&view["user"]);
    let keys = "id! state! body html_url! user commit_id submitted_at author_association";
    picked(&view, keys)
}

pub(super) fn release(mut view: Value) -> Value {
    view["author"] = user(&view["author"]);
    let keys = "id! tag_name! name body html_url! published_at prerelease! draft! author";
    picked(&view, keys)
}

/// Shortened commit, with its files and their patches if requested.
pub(super) fn commit(view: &Value, with_files: bool, with_patches: bool) -> Value {
    let own = &view["commit"];
    let who = |who: &Value| picked(who, "name email date");
    let mut kept = json!({
        "sha": view["sha"],
        "html_url": view["html_url"],
        "commit": {
            "message": own["message"],
            "author": who(&own["author"]),
            "committer": who(&own["committer"]),
        },
    });
    for key in ["author", "committer"] {
        if !view[key].is_null() {
            kept[key] = user(&view[key]);
        }
    }
    if with_files {
        kept["stats"] = picked(&view["stats"], "additions deletions total");
        let keys = if with_patches {
            "filename! status additions deletions changes patch"
        } else {
            "filename! status additions deletions changes"
        };
        let files = view["files"].as_array().into_iter().flatten();
        let files: Vec<Value> = files.map(|file| picked(file, keys)).collect();
        if !files.is_empty() {
            kept["files"] = files.into();
        }
    }
    kept
}

/// Returns a list as it is if no fields are requested. Otherwise, each entry has only the requested fields, sorted like
/// the keys of a Go map.
pub(super) fn filtered(list: Vec<Value>, fields: &[String]) -> Value {
    if fields.is_empty() {
        return list.into();
    }
    // A client may request a million fields, or repeat one. With a set, the cost of an entry depends only on the entry.
    let fields: HashSet<&str> = fields.iter().map(String::as_str).collect();
    let keep = |entry: Value| -> Value {
        let Value::Object(entry) = entry else {
            return Map::new().into();
        };
        let named = entry.into_iter();
        let mut kept: Vec<_> = named.filter(|(key, _)| fields.contains(&**key)).collect();
        kept.sort_by(|(one, _), (other, _)| one.cmp(other));
        Value::Object(kept.into_iter().collect())
    };
    list.into_iter().map(keep).collect()
}

/// Result with a list, reduced to the requested `fields`.
pub(super) fn listed(with: &Arguments, list: Vec<Value>) -> Outcome {
    written(&filtered(list, &with.texts("fields")?))
}

/// Returns the entries of a list. Empty for any other value.
pub(super) fn entries(list: Value) -> Result<Vec<Value>, Failure> {
    match list {
        Value::Array(entries) => Ok(entries),
        _ => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_left_out_and_the_order_is_kept() {
        let view = json!({"b": "", "a": 0, "c": [], "d": false, "e": 1, "f": null});
        assert_eq!(
            picked(&view, "e c! a b d! f").to_string(),
            r#"{"e":1,"c":[],"d":false}"#
        );
    }

    #[test]
    fn fields_are_picked_in_the_order_of_their_names() {
        let list = vec![json!({"number": 1, "title": "x", "body": "y"})];
        let fields = ["title", "none", "body", "title"].map(str::to_owned);
        assert_eq!(
            filtered(list, &fields).to_string(),
            r#"[{"body":"y","title":"x"}]"#
        );
    }
}
