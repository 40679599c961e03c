//! Guests that misuse `git` and `git-builder`, and repositories that attack their readers. `tests/hostile/git` and
//! `tests/hostile/git-builder` contain the bodies of the guests with their expected outcomes.

use std::fs;
use std::sync::Arc;

use mcpmark_github::git::ObjectId;
use mcpmark_grading::{Baselines, Judge, grade_loaded};
use mcpmark_journal as journal;
use mcpmark_kinds::Services;
use mcpmark_sandbox::{FaultKind, Limits, Sandbox, SandboxConfig, SetupInput, VerifyInput};
use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};

use crate::cases::{self, Case, Outcome};

/// Low limits, so that endless cases end soon: the fuel suffices for 2,000 objects.
const READING: &str = "fuel=10000000,copy_bytes=33554432";
const MAKING: &str = "fuel=20000000,copy_bytes=33554432";
const MAX_BYTES: u64 = 5_500_000;

const MAIN: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const DANGLING: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const BLOB: &str = "dddddddddddddddddddddddddddddddddddddddd";

/// Returns the bytes of a loose object. The size in its header may be wrong.
fn loose(kind: &str, size: u64, content: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{kind} {size}\0").into_bytes();
    bytes.extend_from_slice(content);
    assert!(bytes.len() < 65_536, "one stored block is enough");
    let length = bytes.len() as u16;
    let mut file = vec![0x78, 0x01, 1];
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(&(!length).to_le_bytes());
    file.extend_from_slice(&bytes);
    let sum = bytes.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    file.extend_from_slice(&((sum.1 << 16) | sum.0).to_be_bytes());
    file
}

/// Repository of loose objects with arbitrary ids, because readers do not check them.
struct World {
    tree: TreeBuilder,
    blobs: MemoryBlobs,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            tree: TreeBuilder::new(),
            blobs: MemoryBlobs::new(),
        };
        world.file("refs/heads/main", format!("{MAIN}\n").as_bytes());
        world
    }

    fn file(&mut self, path: &str, content: &[u8]) {
        let path = TreePath::parse(&format!("repo/.git/{path}")).unwrap();
        let file = File {
            size: content.len() as u64,
            executable: false,
            modified: None,
            content: self.blobs.put(content),
        };
        self.tree.insert_file(&path, file).unwrap();
    }

    fn object(&mut self, id: &str, kind: &str, content: &[u8]) {
        self.claim(id, kind, content.len() as u64, content);
    }

    fn claim(&mut self, id: &str, kind: &str, size: u64, content: &[u8]) {
        let path = format!("objects/{}/{}", &id[..2], &id[2..]);
        self.file(&path, &loose(kind, size, content));
    }

    fn commit(&mut self, id: &str, tree: &str, parents: &[&str], time: usize) {
        let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
        let who = format!("A <a@b> {time} +0000");
        let text = format!("tree {tree}\n{parents}author {who}\ncommitter {who}\n\nx\n");
        self.object(id, "commit", text.as_bytes());
    }

    fn directory(&mut self, id: &str, entries: &[(&str, &str, &str)]) {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(ObjectId::from_hex(id.as_bytes()).unwrap().as_slice());
        }
        self.object(id, "tree", &bytes);
    }

    fn finish(self) -> Snapshot {
        Snapshot {
            tree: self.tree.finish(),
            blobs: Arc::new(self.blobs),
        }
    }
}

fn id(number: usize) -> String {
    format!("{number:040x}")
}

fn world(name: &str) -> Snapshot {
    let mut world = World::new();
    if name != "no-head" {
        world.file("HEAD", b"ref: refs/heads/main\n");
    }
    let root = id(1);
    match name {
        "tree-bomb" => {
            world.commit(MAIN, &root, &[], 1);
            for level in 1..=10 {
                let (mode, below) = match level {
                    10 => ("100644", BLOB.to_owned()),
                    _ => ("40000", id(level + 1)),
                };
                let names: Vec<String> = (0..10).map(|number| number.to_string()).collect();
                let entries: Vec<_> = names
                    .iter()
                    .map(|name| (mode, name.as_str(), below.as_str()))
                    .collect();
                world.directory(&id(level), &entries);
            }
            world.object(BLOB, "blob", b"x");
        }
        "tree-in-itself" => {
            world.commit(MAIN, &root, &[], 1);
            world.directory(&root, &[("40000", "a", &root), ("40000", "b", &root)]);
        }
        "dangling-history" => {
            world.commit(MAIN, &root, &[], 1);
            world.directory(&root, &[]);
            world.commit(DANGLING, &root, &[&id(2)], 9_999);
            for number in 2..2_500 {
                world.commit(&id(number), &root, &[&id(number + 1)], 9_000 - number);
            }
            world.commit(&id(2_500), &root, &[], 2);
        }
        "tag-of-itself" => {
            let text = format!("object {MAIN}\ntype tag\ntag main\n\nx\n");
            world.object(MAIN, "tag", text.as_bytes());
        }
        "commit-of-itself" => {
            world.commit(MAIN, &root, &[MAIN], 1);
            world.directory(&root, &[]);
        }
        "commit-too-large" => world.claim(MAIN, "commit", 2_000_000_000, b"tree "),
        "blob-too-large" => {
            world.commit(MAIN, &root, &[DANGLING], 2);
            world.directory(&root, &[("100644", "large", BLOB)]);
            world.commit(DANGLING, &id(2), &[], 1);
            world.directory(&id(2), &[("100644", "small", &id(3))]);
            world.object(&id(3), "blob", b"x\n");
            world.claim(BLOB, "blob", 64 << 30, b"x\n");
        }
        "blob-that-lies" => {
            world.commit(MAIN, &root, &[], 1);
            world.claim(BLOB, "blob", 1_000_000, b"x\n");
        }
        "long-name" => {
            world.commit(MAIN, &root, &[], 1);
            let name = "n".repeat(5_000);
            world.directory(&root, &[("100644", &name, BLOB)]);
            world.object(BLOB, "blob", b"x");
        }
        "no-head" => {}
        "shallow" => world.file("shallow", format!("{MAIN}\n").as_bytes()),
        "packed-refs-of-nonsense" => world.file("packed-refs", b"nonsense\n"),
        "ref-outside" => world.file(
            "packed-refs",
            format!("{MAIN} refs/heads/a..b\n").as_bytes(),
        ),
        "objects-that-link" => {
            let path = TreePath::parse("repo/.git/objects/info").unwrap();
            world.tree.insert_symlink(&path, "..").unwrap();
        }
        "pack-of-nonsense" => {
            let name = "1".repeat(40);
            world.file(
                &format!("objects/pack/pack-{name}.idx"),
                b"\xfftOc\0\0\0\x02nonsense",
            );
            world.file(
                &format!("objects/pack/pack-{name}.pack"),
                b"PACK\0\0\0\x02\0\0\0\x01",
            );
        }
        other => panic!("there is no world {other}"),
    }
    world.finish()
}

/// Judges every case, with each run in a fresh world.
fn judge(kind: &str, least: usize, run: impl Fn(&Sandbox, &Case) -> Outcome) {
    let scratch = tempfile::tempdir().unwrap();
    let config = Services::builtin().offer(SandboxConfig::default(), scratch.path());
    let sandbox = Sandbox::new(&config).unwrap().trusting();
    let cases = cases::of(kind);
    assert!(cases.len() >= least, "{kind}: {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        if let Err(problem) = case.judge(|| run(&sandbox, case)) {
            wrong.push(format!("{}: {problem}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let left: Vec<_> = fs::read_dir(scratch.path()).unwrap().collect();
    assert!(left.is_empty(), "copies are left: {left:?}");
}

#[test]
fn hostile_repositories_are_paid_for_or_refused() {
    let limits = Limits::VERIFIER.with(READING).unwrap();
    judge("git", 20, |sandbox, case| {
        let verifier = sandbox.verifier(&case.component()).unwrap();
        let end = world(&case.header("world").unwrap());
        let input = VerifyInput::new(end.clone(), end);
        Outcome::of(sandbox.verify(&verifier, input, &limits), |verdict| {
            let passed = if verdict.passed() { "passed" } else { "failed" };
            (format!("graded {passed}"), String::new())
        })
    });
}

#[test]
fn hostile_builders_of_repositories_stay_within_their_limits() {
    let limits = Limits::SETUP.with(MAKING).unwrap();
    judge("git-builder", 8, |sandbox, case| {
        let guest = sandbox.setup(&case.component()).unwrap();
        let input = SetupInput {
            seed: 1,
            clock: 1,
            parameters: "{}".to_owned(),
            max_bytes: MAX_BYTES,
            max_entries: 2_000,
        };
        Outcome::of(sandbox.build_world(&guest, input, &limits), |world| {
            let built = format!("built {} entries", world.tree.len());
            (built, String::new())
        })
    });
}

/// A damaged final state does not void a grade, and a task whose starting state is damaged is invalid.
#[test]
fn a_repository_that_only_the_final_state_has_damaged_fails() {
    let scratch = tempfile::tempdir().unwrap();
    let config = Services::builtin().offer(SandboxConfig::default(), scratch.path());
    let sandbox = Sandbox::new(&config).unwrap().trusting();
    let cases = cases::of("git");
    let case = cases.iter().find(|case| case.name == "commit-too-large");
    let component = case.unwrap().component();
    let judge = Judge::Component(sandbox.verifier(&component).unwrap());
    let (sound, damaged) = (world("long-name"), world("commit-too-large"));
    let grade = |start: &Snapshot, end: &Snapshot| {
        let input = VerifyInput::new(start.clone(), end.clone());
        let baselines = Baselines::default();
        grade_loaded(&sandbox, &judge, input, &Limits::VERIFIER, Some(&baselines)).outcome
    };
    let failed = grade(&sound, &damaged);
    let journal::Outcome::StateFault(fault) = &failed else {
        panic!("{failed:?}");
    };
    assert_eq!(fault.kind, FaultKind::Unreadable);
    assert_eq!(failed.passed(), Some(false));
    let invalid = grade(&damaged, &damaged);
    assert!(
        matches!(&invalid, journal::Outcome::InvalidTask(_)),
        "{invalid:?}"
    );
    assert!(matches!(
        grade(&sound, &sound),
        journal::Outcome::Graded { .. }
    ));
}
