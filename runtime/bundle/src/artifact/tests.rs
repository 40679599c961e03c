//! Bundles with valid digests but invalid content.

use std::path::Path;

use mcpmark_snapshot::{MemoryBlobs, Tree};

use super::*;
use crate::layout::NewLayout;
use crate::oci;
use crate::pack::{CertificateContent, Packer, TaskContent, VerifierContent};
use crate::{Layout, unpack};

const CI_GUEST: &[u8] = b"runs workflows";
const META: &str = r#"{"difficulty": "L1", "limits": {"fuel": 5}}"#;

fn guest(role: &str, component: &[u8]) -> GuestConfig {
    GuestConfig {
        role: role.to_owned(),
        digest: Digest::of(component),
        bytes: component.len() as u64,
        held_back: false,
        imports: Vec::new(),
        can: "can compute; nothing else".to_owned(),
    }
}

/// Packs a task and a world. `change` may modify each document; it gets the type of the document.
pub(crate) fn bundle(change: &dyn Fn(&str, &mut Value)) -> (NewLayout, Descriptor) {
    let blobs = MemoryBlobs::new();
    let tree = Tree::empty();
    blobs.put(tree.root().encode());
    let mut states = Vec::new();
    let written = mcpmark_archive::states::write(&blobs, &[tree.digest()], &[], &mut states);
    let written = written.unwrap();
    let world: WorldId = "github/office".parse().unwrap();
    let config = WorldConfig {
        schema: SCHEMA,
        world: world.to_string(),
        title: "An office".to_owned(),
        description: None,
        license: "CC0-1.0".to_owned(),
        clock: "2026-03-02T09:00:00Z".to_owned(),
        seed: 1,
        snapshot: tree.digest(),
        entries: written.entries,
        bytes: written.bytes,
        guests: ByRole::from_iter([(GuestRole::CI, guest("ci", CI_GUEST))]),
    };
    let (verifier, solution) = (vec![b'v'; 5000], b"solution".to_vec());
    let instruction = b"Do it.\n".to_vec();
    let certificate = CertificateContent {
        bytes: b"{}".to_vec(),
        described: CertificateConfig {
            task: "github/office/easy".to_owned(),
            world: tree.digest(),
            verifier: Digest::of(&verifier),
            checks: 17,
            mutants: 300,
            rejected: 300,
        },
    };
    let content = TaskContent {
        parts: Parts {
            schema: 1,
            task: "github/office/easy".to_owned(),
            meta: serde_json::from_str(META).unwrap(),
            instruction: Digest::of(&instruction),
            verifier: Some(Digest::of(&verifier)),
            script: None,
            beside: None,
            solution: Some(Digest::of(&solution)),
            world: StartParts {
                id: Some(world.to_string()),
                snapshot: tree.digest(),
                clock: 1_772_442_000,
                seed: Some(1),
                guests: ByRole::from_iter([(GuestRole::CI, Digest::of(CI_GUEST))]),
            },
        },
        guests: vec![guest("verifier", &verifier), guest("solution", &solution)],
        instruction,
        judge: VerifierContent::Component(verifier),
        solution: Some(solution),
        certificate: Some(certificate),
    };
    let mut packer = Packer::default();
    packer
        .world(
            &world,
            &config,
            states,
            &ByRole::from_iter([(GuestRole::CI, CI_GUEST)]),
        )
        .unwrap();
    packer.task(&world, content).unwrap();
    let packed = packer.finish(Some("office"));
    changed(&packed.layout, &packed.root, change)
}

/// Copies a layout with changed documents, and updates the digests.
fn changed(
    old: &NewLayout,
    root: &Descriptor,
    change: &dyn Fn(&str, &mut Value),
) -> (NewLayout, Descriptor) {
    let mut new = NewLayout::default();
    let mut moved = BTreeMap::new();
    let root = visit(old, &mut new, &json!(root), &mut moved, change);
    let root: Descriptor = serde_json::from_value(root).unwrap();
    new.list(root.clone());
    (new, root)
}

/// Copies the blobs that a descriptor references, the innermost first. Returns the descriptor of the copy.
fn visit(
    old: &NewLayout,
    new: &mut NewLayout,
    descriptor: &Value,
    moved: &mut BTreeMap<String, Value>,
    change: &dyn Fn(&str, &mut Value),
) -> Value {
    let parsed: Descriptor = serde_json::from_value(descriptor.clone()).unwrap();
    let kind = parsed.artifact_type.clone();
    let kind = kind.unwrap_or_else(|| parsed.media_type.clone());
    let mut bytes = fetch(old, &kind, &parsed, u64::MAX).unwrap();
    if parsed.media_type.ends_with("json") {
        let mut document: Value = serde_json::from_slice(&bytes).unwrap();
        for key in ["manifests", "layers"] {
            if let Some(list) = document.get_mut(key).and_then(Value::as_array_mut) {
                for one in list {
                    *one = visit(old, new, one, moved, change);
                }
            }
        }
        for key in ["config", "world"] {
            if document[key]["mediaType"].is_string() {
                let known = moved.get(&document[key]["digest"].to_string()).cloned();
                document[key] =
                    known.unwrap_or_else(|| visit(old, new, &document[key], moved, change));
            }
        }
        change(&kind, &mut document);
        bytes = mcpmark_json::canonical(&document).into_bytes();
    }
    let copied = new.put(&parsed.media_type, bytes);
    let mut result = descriptor.clone();
    result["digest"] = json!(copied.digest);
    result["size"] = json!(copied.size);
    moved.insert(descriptor["digest"].to_string(), result.clone());
    result
}

fn refusal(change: &dyn Fn(&str, &mut Value)) -> String {
    let (layout, root) = bundle(change);
    let error = Bundle::read(&layout, &root).unwrap_err();
    assert!(!error.is_infrastructure());
    error.to_string()
}

#[test]
fn a_packed_bundle_is_read_back_and_makes_a_library() {
    let (layout, root) = bundle(&|_, _| {});
    let found = Bundle::read(&layout, &root).unwrap();
    assert_eq!(found.name.as_deref(), Some("office"));
    let task = &found.tasks[0];
    assert_eq!(
        task.read(&layout, VERIFIER).unwrap().unwrap(),
        vec![b'v'; 5000]
    );
    assert!(task.layer(VERIFIER).unwrap().size < 1000);
    let certificate = task.config.certificate.as_ref().unwrap();
    assert_eq!(certificate.misfit(&task.config.parts), None);
    for (key, other) in [("task", json!("x")), ("world", json!(Digest::of(b"x")))] {
        let mut document = json!(certificate);
        document[key] = other;
        let changed: CertificateConfig = serde_json::from_value(document).unwrap();
        assert_eq!(changed.misfit(&task.config.parts), Some(key));
    }

    let dir = tempfile::tempdir().unwrap();
    let (tar, plain) = (dir.path().join("b.tar"), dir.path().join("b"));
    layout
        .write_archive(std::fs::File::create(&tar).unwrap())
        .unwrap();
    layout.write_directory(&plain).unwrap();
    for place in [&tar, &plain] {
        assert!(Layout::looks_like_layout(place));
        let layout = Layout::open(place).unwrap();
        let root = layout.one_of(&[SUITE, TASK]).unwrap();
        let again = Bundle::read(&layout, root).unwrap();
        assert_eq!(again.tasks[0].config, task.config);
        let into = dir
            .path()
            .join(format!("{}-library", place.extension().is_some()));
        library(&again, &layout, &into);
    }
    // A single task is a bundle, too.
    let alone = Bundle::read(&layout, &task.descriptor).unwrap();
    assert_eq!((alone.tasks.len(), alone.worlds.len()), (1, 1));
}

fn library(bundle: &Bundle, layout: &Layout, into: &Path) {
    unpack(bundle, layout, &BTreeMap::new(), into).unwrap();
    let library = mcpmark_task::Library::at(into);
    let tasks = library.tasks().unwrap();
    assert!(tasks.broken.is_empty(), "{:?}", tasks.broken);
    let meta: Map<String, Value> = serde_json::from_str(META).unwrap();
    assert_eq!(tasks.tasks[0].meta.document, meta);
    let certificate = std::fs::read(tasks.tasks[0].dir.join(CERTIFICATE));
    assert_eq!(certificate.unwrap(), b"{}");
    let world = library.world(&tasks.tasks[0].world).unwrap();
    let ci = world
        .guests
        .get(&GuestRole::CI)
        .map(|guest| std::fs::read(guest.path()));
    assert_eq!(ci.unwrap().unwrap(), CI_GUEST);
    let mcpmark_task::WorldContent::Packed { snapshot, .. } = world.content else {
        panic!("{world:?}");
    };
    assert_eq!(snapshot, Tree::empty().digest());
}

/// Adds a false description of another guest to the config of a task.
fn add_guest(config: &mut Value, role: &str) {
    let mut more = config["guests"][0].clone();
    more["role"] = json!(role);
    more["can"] = json!("nothing at all");
    config["guests"].as_array_mut().unwrap().push(more);
}

#[test]
fn duplicate_keys_are_refused() {
    let (mut layout, root) = bundle(&|_, _| {});
    let text = |layout: &NewLayout, descriptor: &Descriptor| {
        let bytes = crate::fetch(layout, "a document", descriptor, 1 << 20);
        String::from_utf8(bytes.unwrap()).unwrap()
    };
    let twice = |text: &str, key: &str| {
        let quoted = format!("\"{key}\":");
        text.replacen(&quoted, &format!("{quoted}null,{quoted}"), 1)
    };
    let found = Bundle::read(&layout, &root).unwrap();
    let task = &found.tasks[0].descriptor;
    let manifest = text(&layout, task);
    let named: Value = serde_json::from_str(&manifest).unwrap();
    let config: Descriptor = serde_json::from_value(named["config"].clone()).unwrap();
    let changed = twice(&text(&layout, &config), "meta");
    let changed = layout.put(&config.media_type, changed.into_bytes());
    let mut of_config = named.clone();
    of_config["config"] = json!(changed);
    for (document, kind, key) in [
        (
            twice(&text(&layout, &root), "manifests"),
            &root,
            "manifests",
        ),
        (twice(&manifest, "layers"), task, "layers"),
        (of_config.to_string(), task, "meta"),
    ] {
        let changed = layout.put(&kind.media_type, document.into_bytes());
        let told = Bundle::read(&layout, &changed).unwrap_err().to_string();
        let word = format!("duplicate key {key:?}");
        assert!(told.contains(&word), "{told}");
    }
    let dir = tempfile::tempdir().unwrap();
    layout.write_directory(dir.path()).unwrap();
    Layout::open(dir.path()).unwrap();
    let index = dir.path().join("index.json");
    let changed = twice(&std::fs::read_to_string(&index).unwrap(), "manifests");
    std::fs::write(index, changed).unwrap();
    let told = Layout::open(dir.path()).unwrap_err().to_string();
    assert!(told.contains("duplicate key \"manifests\""), "{told}");
}

#[test]
fn contradictions_and_foreign_artifacts_are_named() {
    let of = |kind: &'static str, change: fn(&mut Value)| {
        refusal(&move |found, document| {
            if found == kind {
                change(document);
            }
        })
    };
    for (told, word) in [
        (
            of(SUITE, |it| {
                it["artifactType"] = json!("application/vnd.mcpmark.suite.v2")
            }),
            "suite.v2",
        ),
        (
            of(SUITE, |it| it["mediaType"] = json!("text/plain")),
            "text/plain",
        ),
        (
            of(SUITE, |it| it["schemaVersion"] = json!(3)),
            "expected schemaVersion 2, found 3",
        ),
        (of(SUITE, |it| it["manifests"] = json!({})), "is not valid"),
        (
            of(SUITE, |it| {
                drop(it["manifests"].as_array_mut().unwrap().remove(0))
            }),
            "a world that is missing",
        ),
        (
            of(SUITE, |it| {
                let all = it["manifests"].as_array_mut().unwrap();
                all.push(all[1].clone());
            }),
            "occurs twice",
        ),
        (
            of(SUITE, |it| it["manifests"][1]["artifactType"] = json!("x")),
            "found \"x\"",
        ),
        (
            of(TASK, |it| it["artifactType"] = json!(WORLD)),
            "found \"application/vnd.mcpmark.world.v1\"",
        ),
        (
            of(TASK, |it| {
                it["artifactType"] = Value::Null;
                it["config"]["mediaType"] = json!(WORLD_CONFIG);
            }),
            "found \"application/vnd.mcpmark.world.config.v1+json\"",
        ),
        (
            of(TASK, |it| it["config"]["mediaType"] = json!("a/b")),
            "found \"a/b\"",
        ),
        (
            of(TASK, |it| {
                drop(it["layers"].as_array_mut().unwrap().remove(0))
            }),
            "its instruction",
        ),
        (
            of(TASK, |it| {
                drop(it["layers"].as_array_mut().unwrap().remove(1))
            }),
            "its verifier",
        ),
        (
            of(TASK, |it| {
                drop(it["layers"].as_array_mut().unwrap().remove(3))
            }),
            "a certificate that is missing",
        ),
        (
            of(TASK, |it| {
                it["layers"][0]["annotations"][oci::TITLE] = json!("../../x")
            }),
            "unknown file \"../../x\"",
        ),
        (
            of(TASK, |it| it["layers"][1]["mediaType"] = json!("a/b")),
            "found \"a/b\"",
        ),
        (
            of(TASK, |it| {
                let layers = it["layers"].as_array_mut().unwrap();
                layers.push(layers[0].clone());
            }),
            "description.md twice",
        ),
        (of(TASK_CONFIG, |it| it["schema"] = json!(2)), "schema 2"),
        (of(TASK_CONFIG, |it| it["more"] = json!(1)), "unknown field"),
        (
            of(TASK_CONFIG, |it| it["certificate"] = Value::Null),
            "does not describe its certificate",
        ),
        (
            of(TASK_CONFIG, |it| it["parts"]["task"] = json!("a/../b")),
            "task id",
        ),
        (
            of(TASK_CONFIG, |it| it["parts"]["task"] = json!("/a/b")),
            "task id",
        ),
        (
            of(TASK_CONFIG, |it| it["guests"][0]["held_back"] = json!(true)),
            "whether it contains its verifier",
        ),
        (
            of(TASK_CONFIG, |it| it["guests"][0]["role"] = json!("setup")),
            "a different verifier",
        ),
        (
            of(TASK_CONFIG, |it| it["parts"]["solution"] = Value::Null),
            "a different solution",
        ),
        (
            of(TASK_CONFIG, |it| it["parts"]["world"]["seed"] = json!(2)),
            "does not match the config of world",
        ),
        (
            of(TASK_CONFIG, |it| {
                it["parts"]["instruction"] = it["parts"]["verifier"].clone()
            }),
            "instruction",
        ),
        (
            of(WORLD_CONFIG, |it| it["world"] = json!("filesystem/..")),
            "world id",
        ),
        (
            of(WORLD_CONFIG, |it| it["world"] = json!("filesystem/other")),
            "does not match the config of world",
        ),
        (
            of(WORLD_CONFIG, |it| it["bytes"] = json!((4_u64 << 30) + 1)),
            "the limit is 4294967296",
        ),
        (
            of(WORLD_CONFIG, |it| it["entries"] = json!(2_000_001)),
            "the limit is 2000000",
        ),
        (
            of(TASK_CONFIG, |it| add_guest(it, "verifier")),
            "describes its verifier twice",
        ),
        (
            of(TASK_CONFIG, |it| add_guest(it, "evil")),
            "a guest of unknown role \"evil\"",
        ),
        (
            of(TASK_CONFIG, |it| add_guest(it, "ci")),
            "a guest of unknown role \"ci\"",
        ),
        (
            of(WORLD_CONFIG, |it| it["ci"]["role"] = json!("evil")),
            "expected role \"ci\", found \"evil\"",
        ),
        (
            of(TASK_CONFIG, |it| it["parts"]["schema"] = json!(2)),
            "its parts have schema 2",
        ),
        (
            of(SUITE, |it| {
                let all = it["manifests"].as_array_mut().unwrap();
                all.retain(|one| one["artifactType"] != TASK);
            }),
            "the suite contains no tasks",
        ),
        (of(WORLD, |it| it["layers"] = json!([])), "0 layers"),
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

/// Programs that copy artifacts and support only images omit the artifact types.
#[test]
fn artifacts_without_types_are_recognised_by_their_configs() {
    let untyped = |document: &mut Value| {
        let document = document.as_object_mut().unwrap();
        document.remove("artifactType");
        document.remove("annotations");
    };
    let stripped = |change: fn(&mut Value)| {
        bundle(&move |kind, document| {
            if [SUITE, TASK, WORLD].contains(&kind) {
                untyped(document);
            }
            if kind == SUITE {
                let listed = document["manifests"].as_array_mut().unwrap();
                listed.iter_mut().for_each(untyped);
                change(document);
            }
        })
    };
    let (whole, root) = bundle(&|_, _| {});
    let whole = Bundle::read(&whole, &root).unwrap();
    let (layout, mut root) = stripped(|_| {});
    root.artifact_type = None;
    let found = Bundle::read(&layout, &root).unwrap();
    assert_eq!((found.tasks.len(), found.worlds.len()), (1, 1));
    let parts = |bundle: &Bundle| bundle.tasks[0].config.parts.digest();
    assert_eq!(parts(&found), parts(&whole));
    // A single task, too.
    let alone = Bundle::read(&layout, &found.tasks[0].descriptor).unwrap();
    assert_eq!(alone.tasks[0].id, whole.tasks[0].id);
    // A manifest of another media type is refused, even without an artifact type.
    let (layout, root) = stripped(|suite| {
        suite["manifests"][0]["mediaType"] = json!(oci::INDEX);
    });
    let told = Bundle::read(&layout, &root).unwrap_err().to_string();
    assert!(told.contains(oci::INDEX), "{told}");
}

#[test]
fn guests_are_decompressed_as_far_as_they_are_said_to_go() {
    for (size, word) in [
        (4999, "does not have the expected length of 4999 bytes"),
        (u64::MAX, "but the limit is"),
    ] {
        let (layout, root) = bundle(&|kind, document| {
            if kind == TASK_CONFIG {
                document["guests"][0]["bytes"] = json!(size);
            }
        });
        let found = Bundle::read(&layout, &root).unwrap();
        let error = found.tasks[0].read(&layout, VERIFIER).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
}
