//! Golden vectors of bundles and locks. If any byte changes, bundles get other digests, and existing locks no longer
//! match.

#[path = "../../../tests/vectors.rs"]
mod vectors;

use std::collections::BTreeMap;
use std::sync::Arc;

use mcpmark_bundle::oci::Descriptor;
use mcpmark_bundle::{
    Bundle, CertificateConfig, CertificateContent, GuestConfig, Layout, Lock, Packed, Packer,
    Parts, SUITE, StartParts, TaskContent, VerifierContent, WorldConfig, fetch, trust,
};
use mcpmark_snapshot::Digest;
use mcpmark_task::{ByRole, GuestRole};
use serde_json::Value;

use crate::vectors::Vectors;

/// Texts in place of packed content. They are short, so that every version of zstd stores them uncompressed.
const STATES: &[u8] = b"the states";
const INSTRUCTION: &[u8] = "Zähle die Samen.\n".as_bytes();
const VERIFIER: &[u8] = b"verifier";
const SOLUTION: &[u8] = b"solution";
const CI: &[u8] = b"ci guest";
const INTERPRETER: &[u8] = b"python";

fn tree() -> Digest {
    Digest::of(b"the tree")
}

fn guest(role: &str, component: &[u8], held_back: bool) -> GuestConfig {
    GuestConfig {
        role: role.to_owned(),
        digest: Digest::of(component),
        bytes: component.len() as u64,
        held_back,
        imports: vec!["mcpmark:guest/state@0.1.0".to_owned()],
        can: "can read the starting and the final state".to_owned(),
    }
}

fn world(id: &str) -> WorldConfig {
    WorldConfig {
        schema: 1,
        world: id.to_owned(),
        title: "The \"garden\"".to_owned(),
        description: Some("Beds.".to_owned()),
        license: "CC0-1.0".to_owned(),
        clock: "2026-03-02T09:00:00Z".to_owned(),
        seed: u64::MAX,
        snapshot: tree(),
        entries: 3,
        bytes: 1024,
        guests: ByRole::default(),
    }
}

fn meta(text: &str) -> serde_json::Map<String, Value> {
    serde_json::from_str(text).unwrap()
}

/// Packs two tasks of one world with a `ci` guest: one with all layers, and one with a verifier that is held back.
fn native() -> Packed {
    let id = "github/quay";
    let mut packer = Packer::default();
    let config = WorldConfig {
        guests: ByRole::from_iter([(GuestRole::CI, guest("ci", CI, false))]),
        ..world(id)
    };
    let world = id.parse().unwrap();
    packer
        .world(
            &world,
            &config,
            STATES.to_vec(),
            &ByRole::from_iter([(GuestRole::CI, CI)]),
        )
        .unwrap();
    let parts = |task: &str, meta_text: &str, solution: Option<&[u8]>| Parts {
        schema: 1,
        task: format!("{id}/{task}"),
        meta: meta(meta_text),
        instruction: Digest::of(INSTRUCTION),
        verifier: Some(Digest::of(VERIFIER)),
        script: None,
        beside: None,
        solution: solution.map(Digest::of),
        world: StartParts {
            id: Some(id.to_owned()),
            snapshot: tree(),
            clock: 1_772_442_000,
            seed: Some(u64::MAX),
            guests: ByRole::from_iter([(GuestRole::CI, Digest::of(CI))]),
        },
    };
    let whole = TaskContent {
        parts: parts(
            "close-stale",
            r#"{"difficulty": "L2", "parameters": {"share": 1.0, "near": 1e-7}, "x-unknown": [1]}"#,
            Some(SOLUTION),
        ),
        guests: vec![
            guest("verifier", VERIFIER, false),
            guest("solution", SOLUTION, false),
        ],
        instruction: INSTRUCTION.to_vec(),
        judge: VerifierContent::Component(VERIFIER.to_vec()),
        solution: Some(SOLUTION.to_vec()),
        certificate: Some(CertificateContent {
            bytes: b"{}".to_vec(),
            described: CertificateConfig {
                task: format!("{id}/close-stale"),
                world: tree(),
                verifier: Digest::of(VERIFIER),
                checks: 17,
                mutants: 300,
                rejected: 299,
            },
        }),
    };
    let held_back = TaskContent {
        parts: parts("secret", r#"{"difficulty": "L3"}"#, None),
        guests: vec![guest("verifier", VERIFIER, true)],
        instruction: INSTRUCTION.to_vec(),
        judge: VerifierContent::Component(VERIFIER.to_vec()),
        solution: None,
        certificate: None,
    };
    packer.task(&world, whole).unwrap();
    packer.task(&world, held_back).unwrap();
    packer.finish(Some("quay"))
}

/// Packs a task of a published corpus.
fn published() -> Packed {
    let world = "filesystem/desktop".parse().unwrap();
    let mut packer = Packer::default();
    let config = WorldConfig {
        title: String::new(),
        description: None,
        license: String::new(),
        clock: String::new(),
        seed: 0,
        ..self::world("filesystem/desktop")
    };
    packer
        .world(&world, &config, STATES.to_vec(), &ByRole::default())
        .unwrap();
    let beside = Digest::of(b"all that lies beside");
    let script = GuestConfig {
        digest: beside,
        ..guest("verifier", b"the script", false)
    };
    let content = TaskContent {
        parts: Parts {
            schema: 1,
            task: "filesystem/standard/desktop/sort".to_owned(),
            meta: meta(r#"{"task_id": "sort", "new": [1, 2.0]}"#),
            instruction: Digest::of(INSTRUCTION),
            verifier: None,
            script: Some(Digest::of(b"the script")),
            beside: Some(beside),
            solution: None,
            world: StartParts {
                id: None,
                snapshot: tree(),
                clock: 1_735_689_600,
                seed: None,
                guests: ByRole::default(),
            },
        },
        guests: vec![script, guest("interpreter", INTERPRETER, false)],
        instruction: INSTRUCTION.to_vec(),
        judge: VerifierContent::Script {
            beside: b"the packed script".to_vec(),
            interpreter: Arc::new(INTERPRETER.to_vec()),
        },
        solution: None,
        certificate: None,
    };
    packer.task(&world, content).unwrap();
    packer.finish(None)
}

/// Compares all documents of a layout, the outermost first.
fn compare(vectors: &Vectors, packed: &Packed) {
    let dir = tempfile::tempdir().unwrap();
    packed.layout.write_directory(dir.path()).unwrap();
    let file = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    vectors.assert_same("oci-layout", &file("oci-layout"));
    vectors.assert_same("index.json", &file("index.json"));
    let blob =
        |descriptor: &Descriptor| fetch(&packed.layout, "a document", descriptor, 1 << 20).unwrap();
    let suite = blob(&packed.root);
    vectors.assert_same("suite.json", &suite);
    let suite: Value = serde_json::from_slice(&suite).unwrap();
    for (number, descriptor) in suite["manifests"].as_array().unwrap().iter().enumerate() {
        let descriptor: Descriptor = serde_json::from_value(descriptor.clone()).unwrap();
        let manifest = blob(&descriptor);
        vectors.assert_same(&format!("{number}-manifest.json"), &manifest);
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let config: Descriptor = serde_json::from_value(manifest["config"].clone()).unwrap();
        vectors.assert_same(&format!("{number}-config.json"), &blob(&config));
    }
    let statement = mcpmark_json::canonical(&trust::statement(&packed.digest()));
    vectors.assert_same("signed-statement.json", statement.as_bytes());
}

#[test]
fn bundle_native() {
    let vectors = Vectors::of("bundle-native");
    compare(&vectors, &native());
    vectors.assert_all_compared();
}

#[test]
fn bundle_published() {
    let vectors = Vectors::of("bundle-published");
    compare(&vectors, &published());
    vectors.assert_all_compared();
}

#[test]
fn lock() {
    let vectors = Vectors::of("lock");
    for (name, packed) in [("native", native()), ("published", published())] {
        let bundle = Bundle::read(&packed.layout, &packed.root).unwrap();
        let surfaces = ["filesystem/garden", "filesystem/garden 2025.12.18"]
            .map(|name| (name.to_owned(), Digest::of(name.as_bytes())));
        let source = "oci://registry.example/é:v1".to_owned();
        let engine = "cranelift-48 x86_64".to_owned();
        let lock = Lock::of(&bundle, source, engine, BTreeMap::from(surfaces));
        let file = format!("{name}.lock");
        vectors.assert_same(&file, lock.text().as_bytes());
        let read = Lock::parse(&vectors.read(&file)).unwrap();
        assert_eq!(read, lock);
        read.check(&bundle).unwrap();
    }
    vectors.assert_all_compared();
}

/// A task in a bundle has the same digest as in a library or corpus.
#[test]
fn task_digest_of_parts() {
    for form in ["task-digest-native", "task-digest-published"] {
        let vectors = Vectors::of(form);
        for name in vectors.inputs().keys() {
            let file = format!("{name}.json");
            let parts: Parts = serde_json::from_slice(&vectors.read(&file)).unwrap();
            let document = serde_json::to_value(&parts).unwrap();
            vectors.assert_same(&file, mcpmark_json::canonical(&document).as_bytes());
            assert_eq!(parts.digest(), Digest::of(&vectors.read(&file)), "{file}");
        }
        vectors.assert_all_compared();
    }
}

/// The layouts of the vectors can also be read as bundles from disk.
#[test]
fn bundle_documents_are_read_back() {
    for packed in [native(), published()] {
        let dir = tempfile::tempdir().unwrap();
        packed.layout.write_directory(dir.path()).unwrap();
        let layout = Layout::open(dir.path()).unwrap();
        let root = layout.one_of(&[SUITE]).unwrap();
        assert_eq!(root.digest, packed.digest());
        Bundle::read(&layout, root).unwrap();
    }
}
