//! The schemas in `docs/schemas` are those of the types, and `docs/json.md` lists them with their commands.
//!
//! `INSTA_UPDATE=always` writes the files instead of comparing them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use mcpmark_metadata::{Document, documents};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn schema_text(document: &Document) -> String {
    serde_json::to_string_pretty(&document.schema).unwrap() + "\n"
}

/// Returns the schemas on disk by document name.
fn stored(dir: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(dir).into_iter().flatten();
    files
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn stored_schemas_are_those_of_the_types() {
    let dir = docs().join("schemas");
    let expected: BTreeMap<String, String> = documents()
        .iter()
        .map(|document| (document.name.to_owned(), schema_text(document)))
        .collect();
    if env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::create_dir_all(&dir).unwrap();
        for name in stored(&dir).keys().filter(|it| !expected.contains_key(*it)) {
            fs::remove_file(dir.join(format!("{name}.json"))).unwrap();
        }
        for (name, text) in &expected {
            fs::write(dir.join(format!("{name}.json")), text).unwrap();
        }
    }
    let stored = stored(&dir);
    let names: BTreeSet<&String> = expected.keys().chain(stored.keys()).collect();
    let stale: Vec<_> = names
        .into_iter()
        .filter(|name| expected.get(*name) != stored.get(*name))
        .collect();
    assert!(
        stale.is_empty(),
        "docs/schemas differs from the types of runtime/metadata for {stale:?}; to update it, run \
         `INSTA_UPDATE=always cargo test --release --test schemas`, and review the differences"
    );
}

#[test]
fn the_page_lists_every_document_with_its_commands() {
    let page = fs::read_to_string(docs().join("json.md")).unwrap();
    let mut missing = Vec::new();
    for document in documents() {
        let link = format!("(schemas/{}.json)", document.name);
        let row = page.lines().find(|line| line.contains(&link));
        let commands = document.commands.iter().map(|it| format!("`{it}`"));
        let absent = commands.filter(|it| row.is_none_or(|row| !row.contains(it)));
        missing.extend(absent.map(|command| format!("{}: {command}", document.name)));
    }
    assert!(missing.is_empty(), "docs/json.md lacks {missing:#?}");
}

#[test]
fn every_document_describes_its_fields() {
    for Document { name, schema, .. } in documents() {
        let schema = schema.to_value();
        let types = schema["$defs"].as_object().into_iter().flatten();
        let types = types.map(|(name, schema)| (name.as_str(), schema));
        for (name, schema) in types.chain([(name, &schema)]) {
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (key, property) in properties {
                let is_described = property["description"].is_string() || key == "kind";
                assert!(is_described, "{name}: {key} has no description");
            }
        }
    }
}

#[test]
fn documents_are_sorted_and_their_names_are_unique() {
    let names: Vec<_> = documents().iter().map(|it| it.name).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
}
