//! JSON Schemas of the documents: they accept the documents of final states, and refuse those that a world refuses.
//!
//! The validator is `jsonschema` from PyPI.

use std::collections::BTreeSet;
use std::path::Path;

use mcpmark_github::world::{DOCUMENTS, schema};
use serde_json::{Value, json};

use crate::actions;
use crate::gists::with_gists;
use crate::pypi::{JSON_SCHEMA, REFUSALS};
use crate::support::{Repo, World, standard, write};

/// Returns the validation error of each document, or `None` for all if the validator is not available.
fn refusals(documents: &[(&str, Value)]) -> Option<Vec<Option<String>>> {
    let pairs: Vec<(Value, &Value)> = documents
        .iter()
        .map(|(document, value)| (schema(document).unwrap(), value))
        .collect();
    let input = serde_json::to_vec(&pairs).unwrap();
    let told = JSON_SCHEMA.run(REFUSALS, &input)?;
    Some(serde_json::from_slice(&told).unwrap())
}

fn read(dir: &Path, document: &str) -> Option<Value> {
    let bytes = std::fs::read(dir.join(document)).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn final_states_are_what_the_schemas_say() {
    let mut documents = Vec::new();
    let with_releases = |dir: &Path| {
        with_gists(dir);
        let release = json!({"tag_name": "v1", "author": "ann", "name": "One"});
        write(dir, "releases.json", &json!([release]));
        let sha = Repo::again(dir).tip("main").unwrap().to_string();
        let comment = json!({"user": "bo", "body": "Good."});
        let status = json!({"creator": "bo", "state": "success", "context": "build"});
        let remarks = json!({"sha": sha, "comments": [comment], "statuses": [status]});
        write(dir, "commits.json", &json!([remarks]));
    };
    for world in [World::of(with_releases).await, actions::world().await.0] {
        for (tool, arguments) in [
            (
                "create_branch",
                json!({"branch": "new", "from_branch": "main"}),
            ),
            (
                "create_or_update_file",
                json!({"path": "new", "content": "new\n", "message": "m", "branch": "new"}),
            ),
            (
                "create_pull_request",
                json!({"title": "New", "head": "new", "base": "main", "body": "Closes #1"}),
            ),
        ] {
            world.text(tool, arguments).await;
        }
        let dir = world.export().await;
        for document in DOCUMENTS {
            documents.extend(read(&dir, document).map(|value| (document, value)));
        }
    }
    let is_full = |value: &Value| value.as_array().is_none_or(|entries| !entries.is_empty());
    let seen: BTreeSet<&str> = documents
        .iter()
        .filter(|(_, value)| is_full(value))
        .map(|(document, _)| *document)
        .collect();
    assert_eq!(seen, DOCUMENTS.into());
    let Some(refusals) = refusals(&documents) else {
        return;
    };
    for ((document, _), refusal) in documents.iter().zip(refusals) {
        assert_eq!(refusal, None, "{document}");
    }
}

#[tokio::test]
async fn a_world_refuses_documents_that_a_schema_refuses() {
    let cases = [
        ("issues.json", json!([{"number": 7}])),
        (
            "issues.json",
            json!([{"number": 7, "title": "x", "user": "bo", "sate": "open"}]),
        ),
        (
            "issues.json",
            json!([{"number": 7, "title": "x", "user": "bo", "created_at": "yesterday"}]),
        ),
        (
            "pulls.json",
            json!([{"number": 7, "title": "x", "user": "bo", "head": "clash"}]),
        ),
        ("labels.json", json!([{"color": "ededed"}])),
        (
            "milestones.json",
            json!([{"number": 1, "title": "x", "state": "ended"}]),
        ),
        (
            "repository.json",
            json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": 5}),
        ),
    ];
    if let Some(refusals) = refusals(&cases) {
        for ((document, value), refusal) in cases.iter().zip(refusals) {
            assert!(refusal.is_some(), "{document}: {value}");
        }
    }
    for (document, value) in cases {
        let opened = World::open(|dir| {
            standard(dir);
            write(dir, document, &value);
        })
        .await;
        assert!(opened.is_err(), "{document}: {value}");
    }
    assert!(schema("meta.json").is_none());
}
