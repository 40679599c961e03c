//! Golden vectors of the task digest. If any byte changes, shipped tasks get other digests.

#[path = "../../../tests/vectors.rs"]
mod vectors;

use std::fs;
use std::path::Path;

use mcpmark_snapshot::Digest;
use mcpmark_task::published::Corpus;
use mcpmark_task::{BundleParts, GuestRole, Library, PublishedParts};
use serde_json::Value;

use crate::vectors::Vectors;

/// Writes the files of an input to a temporary directory.
fn write(input: &Value) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in input["files"].as_object().unwrap() {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let content = match content {
            Value::String(text) => text.clone(),
            document => document.to_string(),
        };
        fs::write(path, content).unwrap();
    }
    dir
}

fn text<'a>(input: &'a Value, key: &str) -> &'a str {
    input[key].as_str().unwrap_or_else(|| panic!("key {key:?}"))
}

/// Returns the digest of a text that stands for a component or a tree.
fn digest(input: &Value, key: &str) -> Digest {
    Digest::of(text(input, key).as_bytes())
}

fn optional_digest(input: &Value, key: &str) -> Option<Digest> {
    (!input[key].is_null()).then(|| digest(input, key))
}

/// Returns the digests of the guests of a world, by role.
fn guests(input: &Value) -> Vec<(GuestRole, Digest)> {
    let roles = GuestRole::ALL.iter();
    let given = roles.filter_map(|role| Some((*role, optional_digest(input, role.as_str())?)));
    given.collect()
}

/// Returns the document and the digest of a task of a library.
fn native(input: &Value, root: &Path) -> (Value, Digest) {
    let library = Library::at(root);
    let task = library.task(&text(input, "task").parse().unwrap()).unwrap();
    let world = library.world(&task.world).unwrap();
    let parts = BundleParts {
        task: &task,
        world: &world.manifest,
        seed: input["seed"].as_u64().unwrap(),
        snapshot: digest(input, "snapshot"),
        verifier: digest(input, "verifier"),
        solution: optional_digest(input, "solution"),
        guests: guests(input),
    };
    (parts.document(), parts.digest())
}

/// Returns the document and the digest of a task of a published corpus.
fn published(input: &Value, root: &Path) -> (Value, Digest) {
    let task = Corpus::at(root).unwrap().task(text(input, "task")).unwrap();
    let parts = PublishedParts {
        task: &task,
        snapshot: digest(input, "snapshot"),
        clock: input["clock"].as_i64().unwrap(),
        script: digest(input, "script"),
        beside: digest(input, "beside"),
        solution: optional_digest(input, "solution"),
        guests: guests(input),
    };
    (parts.document(), parts.digest())
}

fn compare(form: &str, parts: fn(&Value, &Path) -> (Value, Digest)) {
    let vectors = Vectors::of(form);
    for (name, input) in vectors.inputs() {
        let dir = write(&input);
        let (document, digest) = parts(&input, dir.path());
        let bytes = mcpmark_json::canonical(&document).into_bytes();
        vectors.assert_same(&format!("{name}.json"), &bytes);
        assert_eq!(digest, Digest::of(&bytes), "{name}");
    }
    vectors.assert_all_compared();
}

#[test]
fn task_digest_native() {
    compare("task-digest-native", native);
}

#[test]
fn task_digest_published() {
    compare("task-digest-published", published);
}
