//! JSON Schemas of the documents in the form that final states have.
//!
//! They are generated from the Rust types of the documents. A world may omit values and use other representations (see
//! [`super`]), but every document that a schema accepts is valid in a world.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::hub::{
    CommitRemarks, Gist, Issue, Label, Milestone, Pull, Release, Repository, Runs, User,
};

/// File names of the documents of a world.
pub const DOCUMENTS: [&str; 10] = [
    "repository.json",
    "users.json",
    "labels.json",
    "milestones.json",
    "issues.json",
    "pulls.json",
    "releases.json",
    "gists.json",
    "runs.json",
    "commits.json",
];

/// Returns the JSON Schema (draft 2020-12) of the document with this file name.
pub fn schema(document: &str) -> Option<Value> {
    let schema = match document {
        "repository.json" => of::<Repository>(),
        "users.json" => of::<Vec<User>>(),
        "labels.json" => of::<Vec<Label>>(),
        "milestones.json" => of::<Vec<Milestone>>(),
        "issues.json" => of::<Vec<Issue>>(),
        "pulls.json" => return Some(pulls()),
        "releases.json" => of::<Vec<Release>>(),
        "gists.json" => of::<Vec<Gist>>(),
        "runs.json" => of::<Runs>(),
        "commits.json" => of::<Vec<CommitRemarks>>(),
        _ => return None,
    };
    Some(titled(schema.to_value(), document))
}

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>()
}

fn titled(mut schema: Value, document: &str) -> Value {
    schema["title"] = document.into();
    schema
}

/// Schema of `pulls.json`: the keys of an issue and of a pull request, and the derived key `closes`.
fn pulls() -> Value {
    let mut schema = of::<Vec<Issue>>().to_value();
    let mut pull = of::<Pull>().to_value();
    if let Some(definitions) = pull["$defs"].as_object_mut() {
        for (name, definition) in std::mem::take(definitions) {
            schema["$defs"][name.as_str()] = definition;
        }
    }
    let mut entry = schema["$defs"]["Issue"].take();
    if let Some(own) = pull["properties"].as_object_mut() {
        for (key, value) in std::mem::take(own) {
            entry["properties"][key.as_str()] = value;
        }
    }
    entry["properties"]["closes"] = serde_json::json!({
        "type": "array",
        "items": {"type": "integer"},
        "description": "The issues that its text closes; derived, and not read.",
    });
    if let (Some(all), Some(own)) = (
        entry["required"].as_array_mut(),
        pull["required"].as_array(),
    ) {
        all.extend(own.iter().cloned());
    }
    entry["description"] = "A pull request.".into();
    if let Some(definitions) = schema["$defs"].as_object_mut() {
        definitions.remove("Issue");
        definitions.insert("PullRequest".to_owned(), entry);
    }
    schema["items"]["$ref"] = "#/$defs/PullRequest".into();
    titled(schema, "pulls.json")
}
