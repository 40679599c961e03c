//! The JSON Schemas of documents accept what final states have, and refuse what a world refuses.

use std::path::Path;

use boon::{Compiler, Schemas};
use mcpmark_github::world::{DOCUMENTS, schema};
use serde_json::{Value, json};

use crate::actions;
use crate::gists::with_gists;
use crate::support::{World, standard, write};

/// Why a document is not what its schema says.
fn refusal(document: &str, value: &Value) -> Option<String> {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.enable_format_assertions();
    let place = format!("urn:{document}");
    compiler
        .add_resource(&place, schema(document).unwrap())
        .unwrap();
    let index = compiler.compile(&place, &mut schemas).unwrap();
    let validated = schemas.validate(value, index);
    validated
        .err()
        .map(|error| format!("{document}: {error:#}"))
}

fn read(dir: &Path, document: &str) -> Option<Value> {
    let bytes = std::fs::read(dir.join(document)).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

#[tokio::test]
async fn final_states_are_what_the_schemas_say() {
    let mut seen = std::collections::BTreeSet::new();
    let with_releases = |dir: &Path| {
        with_gists(dir);
        let release = json!({"tag_name": "v1", "author": "ann", "name": "One"});
        write(dir, "releases.json", &json!([release]));
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
            let Some(value) = read(&dir, document) else {
                continue;
            };
            assert_eq!(refusal(document, &value), None);
            if value.as_array().is_none_or(|entries| !entries.is_empty()) {
                seen.insert(document);
            }
        }
    }
    assert_eq!(seen, DOCUMENTS.into());
}

#[tokio::test]
async fn what_a_schema_refuses_a_world_refuses() {
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
    for (document, value) in cases {
        assert!(refusal(document, &value).is_some(), "{document}: {value}");
        let opened = World::open(|dir| {
            standard(dir);
            write(dir, document, &value);
        })
        .await;
        assert!(opened.is_err(), "{document}: {value}");
    }
    assert!(schema("meta.json").is_none());
}
