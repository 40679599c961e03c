//! References of a grade: a regrade needs each of these objects in the store, and no others.

#[path = "../../../tests/fuzz/bodies/wasi_guest.rs"]
mod wasi_guest;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use mcpmark_experiment::journal::{AttemptKey, GradeRecord};
use mcpmark_experiment::maintenance::{MissingBlobs, collect};
use mcpmark_experiment::{End, EndKind, Journal, Outcome};
use mcpmark_grading::{
    Baselines, GradeInput, Graded, Judge, Reference, Script, ScriptJudge, Terms, TermsError, grade,
};
use mcpmark_kinds::{ScriptInvocation, Services};
use mcpmark_sandbox::{Interpreter, Limits, Sandbox, SandboxConfig};
use mcpmark_snapshot::{Digest, File, MemoryBlobs, Node, Snapshot, Store, TreeBuilder, TreePath};
use mcpmark_task::GuestRole;
use proptest::prelude::*;
use serde_json::json;

use crate::wasi_guest::{END, Guest};

/// Service of the states.
const SERVICE: &str = "github";
const CLOCK: i64 = 1_772_442_000;
const ANSWER: &str = "There are 12.\n";
/// File that the script and the component read.
const READ: &str = "broken.txt";

/// Verifier that fails if the final state has `broken.txt`. The same component can run workflows.
static COMPONENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/end_to_end/guests/lints.wat");
    wat::parse_file(file).unwrap()
});

struct Engine {
    sandbox: Sandbox,
    guest: Guest,
    interpreter: Interpreter,
}

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
    let guest = Guest::new();
    Engine {
        interpreter: sandbox.interpreter(&guest.component).unwrap(),
        guest,
        sandbox,
    }
});

/// Kind of verifier in a test.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Component,
    Script { ci: bool },
}

/// Returns a snapshot of files, given by path and content.
fn snapshot(files: &[(&str, Vec<u8>)]) -> Snapshot {
    let blobs = MemoryBlobs::new();
    let mut tree = TreeBuilder::new();
    for (path, content) in files {
        let file = File {
            size: content.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(content.clone()),
        };
        tree.insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Returns a script that reads a file of its directory and one of the final state, and then exits.
fn script(exit_code: u8) -> Vec<u8> {
    const RESULT: usize = 1000;
    const PATHS: [(usize, &[u8]); 2] = [(1024, b"task/beside/data"), (1056, b"state/broken.txt")];
    let guest = &ENGINE.guest;
    let read = |file: u64, (path, name): (usize, &[u8])| {
        let open = [1, 1, path as u64, name.len() as u64, 0, 1, 2000];
        [
            guest.call("[method]descriptor.open-at", &open),
            guest.call("[method]descriptor.read", &[file, 99, 0, 2020]),
        ]
        .concat()
    };
    // Resource handle 1 is the root directory and 2 is the script.
    let mut image = [read(3, PATHS[0]), read(4, PATHS[1]), vec![END]].concat();
    image.extend_from_slice(&(RESULT as u32).to_le_bytes());
    image.resize(RESULT, 0);
    image.extend_from_slice(&[0, 0, 0, 0, exit_code]);
    for (place, name) in PATHS {
        image.resize(place, 0);
        image.extend_from_slice(name);
    }
    image
}

/// Graded attempt with its store and journal.
struct Attempt {
    _dir: tempfile::TempDir,
    store: Store,
    journal: Journal,
    terms: Digest,
    input: GradeInput,
    outcome: Outcome,
}

fn loaded(kind: Kind, exit_code: u8, store: &Store) -> Judge {
    let Engine {
        sandbox,
        interpreter,
        ..
    } = &*ENGINE;
    match kind {
        Kind::Component => {
            store.put(&COMPONENT).unwrap();
            Judge::Component(sandbox.verifier(&COMPONENT).unwrap())
        }
        Kind::Script { ci: has_ci } => {
            let image = script(exit_code);
            let digest = Digest::of(&image);
            let beside = snapshot(&[("image", image), ("beside/data", b"data".to_vec())]);
            let script = Script::kept("image", digest, beside).unwrap();
            script.keep(store).unwrap();
            let ci = has_ci.then_some((GuestRole::CI, &*COMPONENT as &[u8]));
            let services = Services::builtin();
            let guests = services.load_guests(SERVICE, sandbox, ci).unwrap();
            guests.keep(store).unwrap();
            Judge::Script(Box::new(ScriptJudge {
                script,
                interpreter: interpreter.clone(),
                invocation: ScriptInvocation::default(),
                clock: CLOCK,
                kind: services.kind(SERVICE).cloned(),
                guests,
            }))
        }
    }
}

/// Grades a final state and records it as a run does.
fn attempt(kind: Kind, exit_code: u8, end: &[(&str, Vec<u8>)]) -> Attempt {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open_exclusive(dir.path().join("store")).unwrap();
    let journal = Arc::new(Journal::open(&dir.path().join("journal.db")).unwrap());
    let judge = loaded(kind, exit_code, &store);
    let terms = Terms::of(&judge, json!({"a": 1}), true, Limits::SCRIPT, CLOCK);
    let terms = terms.keep(&store).unwrap();
    store.put(ANSWER.as_bytes()).unwrap();
    let keep = |files: &[(&str, Vec<u8>)]| store.put_snapshot(&snapshot(files)).unwrap();
    let input = GradeInput {
        start: keep(&[("start.txt", b"start".to_vec())]),
        state: keep(end),
        answer: Some(ANSWER.to_owned()),
        parameters: "{\"a\":1}".to_owned(),
    };
    let outcome = graded(&store, &judge, &input).outcome;
    assert!(outcome.is_grade(), "{outcome:?}");

    let experiment = journal.create_experiment("e", "{}").unwrap();
    let key = AttemptKey {
        task: "filesystem/w/t".into(),
        agent: "nop".into(),
        agent_settings: "{}".into(),
        model: None,
        model_settings: "{}".into(),
        k: 1,
    };
    let recorder = journal.start_attempt(&experiment, 0, &key, None, Some(&input.start));
    let id = recorder.unwrap().id().to_owned();
    let end = End::new(EndKind::Completed);
    journal
        .end_agent(&id, &end, Some(ANSWER), Duration::ZERO)
        .unwrap();
    journal.keep_state(&id, &input.state).unwrap();
    let record = GradeRecord {
        verifier: judge.digest(),
        engine: "engine",
        terms,
        task_digest: Digest::of(b"the task"),
        outcome: &outcome,
        interfaces: mcpmark_experiment::journal::InterfaceVersions::default(),
        log: "",
    };
    journal
        .finish_attempt(&id, &outcome, Some(&record))
        .unwrap();
    Attempt {
        _dir: dir,
        store,
        journal: Arc::into_inner(journal).unwrap(),
        terms,
        input,
        outcome,
    }
}

fn graded(store: &Store, judge: &Judge, input: &GradeInput) -> Graded {
    let baselines = Baselines::default();
    let limits = &Limits::SCRIPT;
    grade(
        &ENGINE.sandbox,
        store,
        judge,
        input.clone(),
        limits,
        &baselines,
    )
}

impl Attempt {
    /// Grades the state again from the store. Returns the outcome, or an error message.
    fn regrade(&self) -> Result<Outcome, String> {
        let words = |error: TermsError| {
            let source = std::error::Error::source(&error);
            let source = source.map_or_else(String::new, |source| format!(": {source}"));
            format!("{error}{source}")
        };
        let terms = Terms::read(&self.store, &self.terms).map_err(words)?;
        let interpreter = || Ok(ENGINE.interpreter.clone());
        let judge = terms.judge(
            SERVICE,
            &Services::builtin(),
            &self.store,
            &ENGINE.sandbox,
            interpreter,
        );
        let judge = judge.map_err(words)?;
        match graded(&self.store, &judge, &self.input).outcome {
            Outcome::InfraError(message) => Err(message),
            outcome => Ok(outcome),
        }
    }

    fn blobs(&self) -> BTreeSet<Digest> {
        let blobs = self.store.blobs().unwrap();
        blobs.into_iter().map(|(digest, _)| digest).collect()
    }

    /// Returns the blobs of all objects that the terms of the grade reference.
    fn referred_to(&self) -> BTreeSet<Digest> {
        let terms = Terms::read(&self.store, &self.terms).unwrap();
        let blobs = terms.references().map(|reference| match reference {
            Reference::Blob(digest) => BTreeSet::from([digest]),
            Reference::Tree(root) => self.blobs_of(&root, |_| true),
        });
        blobs.flatten().collect()
    }

    /// Returns the blobs of a tree: its directories, and the files for which `is_wanted` is true.
    fn blobs_of(&self, root: &Digest, is_wanted: fn(&TreePath) -> bool) -> BTreeSet<Digest> {
        let tree = self.store.load_tree(root).unwrap();
        let below = tree.walk(&TreePath::root());
        let below = below.filter_map(|(path, node)| match node {
            Node::File(file) => is_wanted(&path).then_some(file.content),
            Node::Directory(_) => Some(node.digest()),
            Node::Symlink(_) => None,
        });
        below.chain([*root]).collect()
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Component),
        Just(Kind::Script { ci: false }),
        Just(Kind::Script { ci: true }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_grade_is_made_again_from_what_garbage_collection_keeps(
        kind in kinds(),
        exit_code in 0_u8..2,
        is_broken in any::<bool>(),
        files in prop::collection::btree_map("(a/|b/c/)?[d-f]{1,3}", prop::collection::vec(any::<u8>(), 0..40), 0..5),
        junk in prop::collection::vec(prop::collection::vec(any::<u8>(), 50..90), 1..5),
    ) {
        let mut end: Vec<(&str, Vec<u8>)> = files.iter().map(|(path, it)| (&**path, it.clone())).collect();
        if is_broken {
            end.push((READ, b"broken".to_vec()));
        }
        let attempt = attempt(kind, exit_code, &end);
        let before = attempt.blobs();
        for bytes in &junk {
            attempt.store.put(bytes).unwrap();
        }
        let other = snapshot(&[("other/junk", junk[0].clone()), ("x", vec![0])]);
        attempt.store.put_snapshot(&other).unwrap();
        collect(&attempt.journal, &attempt.store, false, MissingBlobs::Abort, || true).unwrap();
        let kept = attempt.blobs();
        // Everything that a run stores is needed, and nothing else.
        prop_assert_eq!(&kept, &before);
        prop_assert!(kept.is_superset(&attempt.referred_to()));
        prop_assert_eq!(attempt.regrade(), Ok(attempt.outcome.clone()));
    }
}

#[test]
fn a_grade_is_not_made_again_without_any_of_what_it_refers_to() {
    for (kind, blobs) in [
        (Kind::Component, 1),
        // Two directories and two files.
        (Kind::Script { ci: false }, 4),
        (Kind::Script { ci: true }, 5),
    ] {
        let end = [(READ, b"broken".to_vec()), ("a/b", b"other".to_vec())];
        let attempt = attempt(kind, 0, &end);
        let terms = Terms::read(&attempt.store, &attempt.terms).unwrap();
        let referred_to = attempt.referred_to();
        assert_eq!(referred_to.len(), blobs, "{kind:?}");
        let mut needed = referred_to.clone();
        needed.insert(attempt.terms);
        needed.extend(attempt.blobs_of(&attempt.input.start, |_| false));
        // A file of a state is needed only if the verifier reads it.
        needed.extend(attempt.blobs_of(&attempt.input.state, |path| path.as_str() == READ));
        for digest in needed {
            let file = attempt.store.blob_path(&digest);
            let aside = file.with_extension("aside");
            fs::rename(&file, &aside).unwrap();
            let error = attempt.regrade().unwrap_err();
            assert!(
                error.contains(&digest.to_string()),
                "{kind:?} {digest}: {error}"
            );
            let is_complete = terms.references().all(|it| it.is_complete(&attempt.store));
            assert_eq!(
                is_complete,
                !referred_to.contains(&digest),
                "{kind:?} {digest}"
            );
            fs::rename(&aside, &file).unwrap();
        }
        assert_eq!(attempt.regrade(), Ok(attempt.outcome.clone()), "{kind:?}");
    }
}
