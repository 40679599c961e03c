//! Comparison of the engines: shipped verifiers return the same bytes on both, for many states.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use mcpmark_build::{Builder, Options};
use mcpmark_experiment::{
    AgentKind, AgentSetup, Home, Participant, Prepared, Runner, Spec, TaskPreparer,
};
use mcpmark_grading::Baselines;
use mcpmark_kinds::{Availability, Services};
use mcpmark_sandbox::{EngineKind, Limits, RunError, Sandbox, SandboxConfig, VerifyInput};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{
    Blobs, Digest, File, MemoryBlobs, Node, Snapshot, Tree, TreeBuilder, TreePath,
};
use mcpmark_task::{Library, Task};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Returns the number of random states for each of the two base states of a task. It is low by default, because the
/// interpreter is slow on repositories and workspaces, and a database server starts for each state of a database; set
/// `MCPMARK_TEST_STATES=200` for a long run.
fn states(task: &Prepared) -> u64 {
    let by_default = match task.id.service() {
        "filesystem" => 11,
        _ => 1,
    };
    let wanted = std::env::var("MCPMARK_TEST_STATES").ok();
    wanted.map_or(by_default, |number| {
        number.parse().expect("MCPMARK_TEST_STATES is a number")
    })
}

/// Returns the tasks whose verifiers are compared: one of each world, because verifiers of one world share most of their
/// code. `MCPMARK_TEST_ALL=1` compares all verifiers. Tasks of services whose programs are not installed are left out.
fn sample(mut tasks: Vec<Task>) -> Vec<Task> {
    let services = Services::builtin();
    let mut missing = BTreeMap::new();
    tasks.retain(|task| {
        let is_missing = missing
            .entry(task.world.service().to_owned())
            .or_insert_with_key(|name| {
                let kind = services.kind(name);
                kind.is_none_or(|it| matches!(it.availability(), Availability::Missing(_)))
            });
        !*is_missing
    });
    if std::env::var_os("MCPMARK_TEST_ALL").is_none() {
        let mut worlds = BTreeSet::new();
        tasks.retain(|task| worlds.insert(task.world.clone()));
    }
    tasks
}

fn sandbox(engine: EngineKind, cross_check: bool) -> Sandbox {
    let config = SandboxConfig {
        engine,
        cross_check,
        slots: 8,
        // Shared with the tests of the command line, which compile the same guests.
        cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpmark/compiled")),
        ..SandboxConfig::default()
    };
    Sandbox::new(&Services::builtin().offer(config, &std::env::temp_dir()))
        .unwrap()
        // The shipped guests are trusted.
        .trusting()
}

/// Shipped tasks, prepared for each engine, with the final states of their solutions.
struct Shipped {
    machine: Vec<Prepared>,
    interpreter: Vec<Prepared>,
    crossed: Vec<Prepared>,
    solved: Vec<Tree>,
    blobs: Arc<MemoryBlobs>,
}

fn shipped(machine: &Sandbox, interpreter: &Sandbox, crossed: &Sandbox) -> Shipped {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = Library::at(root.canonicalize().unwrap());
    let home = tempfile::tempdir().unwrap();
    let opened = Home::new(home.path());
    let store = opened.store().unwrap();
    let tasks = sample(library.tasks().unwrap().tasks);
    let mut builder = Builder::new(Options::new(library.guests_dir(home.path())));
    let mut prepare = |sandbox| {
        let mut preparer = TaskPreparer {
            library: &library,
            services: &Services::builtin(),
            builder: &mut builder,
            sandbox,
            store: &store,
            ceiling: &SessionLimits::CEILING,
            report: &mut |_| {},
        };
        preparer.prepare(&tasks).unwrap()
    };
    let (on_machine, on_interpreter) = (prepare(machine), prepare(interpreter));
    let on_both = prepare(crossed);

    let ids = tasks.iter().map(|task| task.id.to_string()).collect();
    let spec = Spec::new(ids, vec![Participant::plain(AgentKind::Oracle)]);
    let journal = opened.journal().unwrap();
    let text = serde_json::to_string(&spec).unwrap();
    let experiment = journal.create_experiment("engines", &text).unwrap();
    let runner = Arc::new(Runner {
        journal: Arc::clone(&journal),
        store: Arc::new(store),
        sandbox: machine.clone(),
        scratch: mcpmark_snapshot::ScratchSpace::plain(home.path()),
        jobs: 2,
        grades: Arc::new(Semaphore::new(2)),
        baselines: Baselines::default(),
    });
    let agent_setup = Arc::new(AgentSetup::plain(AgentKind::Oracle));
    let prepared: Vec<_> = on_machine.iter().cloned().map(Arc::new).collect();
    let run = runner.run(
        &experiment,
        &agent_setup,
        &prepared,
        spec.plan(),
        CancellationToken::new(),
        Arc::new(|_| {}),
    );
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(run)
        .unwrap();
    let mut rows = journal.attempts("engines").unwrap();
    rows.sort_by_key(|row| row.position);
    let solved: Vec<Tree> = rows
        .iter()
        .map(|row| {
            let state = row.state.unwrap().untyped();
            runner.store.load_tree(&state).unwrap()
        })
        .collect();
    let blobs = Arc::new(MemoryBlobs::new());
    let starts = on_machine.iter().map(|task| &task.start.tree);
    for tree in starts.chain(&solved) {
        for (_, file) in tree.files() {
            blobs.put(runner.store.read(&file.content).unwrap());
        }
    }
    Shipped {
        machine: on_machine,
        interpreter: on_interpreter,
        crossed: on_both,
        solved,
        blobs,
    }
}

/// Returns the verdict or the error message, and the class of the result.
fn grade(
    sandbox: &Sandbox,
    task: &Prepared,
    end: &Tree,
    answer: Option<&str>,
    blobs: &Arc<MemoryBlobs>,
) -> (String, &'static str) {
    let snapshot = |tree: &Tree| Snapshot::new(tree.clone(), Arc::clone(blobs) as Arc<dyn Blobs>);
    let input = VerifyInput {
        answer: answer.map(str::to_owned),
        parameters: task.parameters.clone(),
        ..VerifyInput::new(snapshot(&task.start.tree), snapshot(end))
    };
    // The time limit is high, because wall time depends on the machine and its load.
    let limits = Limits {
        time_ms: 3_600_000,
        ..task.verifier_limits
    };
    let run = sandbox.verify(task.judge.component().unwrap(), input, &limits);
    match run.result {
        Ok(verdict) => {
            let class = if verdict.passed() { "passed" } else { "failed" };
            (serde_json::to_string(&verdict).unwrap(), class)
        }
        Err(RunError::Fault(fault)) => (fault.to_string(), "fault"),
        // For example, a file of a database that is not text, which no server writes.
        Err(RunError::World(message)) => (message, "damaged state"),
        Err(RunError::Host(message)) => panic!("{}: the host failed: {message}", task.id),
    }
}

/// Applies a few random changes, some like those of agents and some unlike them.
fn disturb(tree: &Tree, blobs: &MemoryBlobs, random: &mut ChaCha20Rng) -> Tree {
    let mut builder = TreeBuilder::from(tree.clone());
    for _ in 0..1 + below(random, 4) {
        let now = TreeBuilder::finish(builder);
        // No agent can write the files of a repository's `.git`.
        let paths = now.files().map(|(path, _)| path);
        let paths: Vec<TreePath> = paths
            .filter(|path| !path.as_str().starts_with("repo/.git/"))
            .collect();
        builder = TreeBuilder::from(now.clone());
        if paths.is_empty() {
            return now;
        }
        let path = &paths[below(random, paths.len())];
        let other = &paths[below(random, paths.len())];
        let Some(Node::File(file)) = now.get(path) else {
            continue;
        };
        let mut content = blobs.read(&file.content).unwrap();
        let new = format!("{}-{}", path.as_str(), below(random, 1000));
        match below(random, 8) {
            0 => {
                builder.remove(path);
                continue;
            }
            1 => {
                builder.remove(path);
                let _ = builder.insert_file(&TreePath::parse(&new).unwrap(), file.clone());
                continue;
            }
            2 => {
                let link = TreePath::parse(&new).unwrap();
                let _ = builder.insert_symlink(&link, path.name().unwrap());
                continue;
            }
            3 => {
                if let Some(Node::File(other)) = now.get(other) {
                    content = blobs.read(&other.content).unwrap();
                }
            }
            4 => content.truncate(below(random, content.len() + 1)),
            5 if !content.is_empty() => {
                let at = below(random, content.len());
                content[at] = random.next_u32() as u8;
            }
            6 => {
                let lines: Vec<&[u8]> = content.split_inclusive(|byte| *byte == b'\n').collect();
                let mut lines = lines.clone();
                if lines.len() > 1 {
                    let (a, b) = (below(random, lines.len()), below(random, lines.len()));
                    lines.swap(a, b);
                    lines.remove(below(random, lines.len()));
                }
                content = lines.concat();
            }
            _ => {
                // Many verifiers count and sum numbers.
                let digits: Vec<usize> = (0..content.len())
                    .filter(|at| content[*at].is_ascii_digit())
                    .collect();
                if !digits.is_empty() {
                    content[digits[below(random, digits.len())]] = b'0' + below(random, 10) as u8;
                }
            }
        }
        let changed = File {
            size: content.len() as u64,
            content: blobs.put(content),
            ..file.clone()
        };
        builder.remove(path);
        builder.insert_file(path, changed).unwrap();
    }
    builder.finish()
}

fn below(random: &mut ChaCha20Rng, end: usize) -> usize {
    (random.next_u64() % end.max(1) as u64) as usize
}

/// Compares the engines on one task. Returns the number of grades and their classes.
fn compare(
    (machine, on_machine): (&Sandbox, &Prepared),
    (interpreter, on_interpreter): (&Sandbox, &Prepared),
    solved: &Tree,
    blobs: &Arc<MemoryBlobs>,
) -> (usize, BTreeSet<&'static str>) {
    let (mut grades, mut classes) = (0, BTreeSet::new());
    // One seed for each task, so that other tasks do not change its states.
    let seed = *Digest::of(on_machine.id.to_string().as_bytes()).as_bytes();
    let mut random = ChaCha20Rng::from_seed(seed);
    let (_, class) = grade(machine, on_machine, solved, None, blobs);
    if !on_machine.judged_on.answer {
        assert_eq!(class, "passed", "{} on its solved state", on_machine.id);
    }
    for base in [&on_machine.start.tree, solved] {
        for number in 0..=states(on_machine) {
            let state = match number {
                0 => base.clone(),
                _ => disturb(base, blobs, &mut random),
            };
            let answer = (number % 3 == 1).then_some("42 kg, as the records say");
            let first = grade(machine, on_machine, &state, answer, blobs);
            let second = grade(interpreter, on_interpreter, &state, answer, blobs);
            assert_eq!(first, second, "{} on state {number}", on_machine.id);
            if number % 10 == 0 {
                let again = grade(machine, on_machine, &state, answer, blobs);
                assert_eq!(first, again, "{} on state {number}, again", on_machine.id);
                grades += 1;
            }
            grades += 2;
            classes.insert(first.1);
        }
    }
    (grades, classes)
}

#[test]
fn shipped_verifiers_give_the_same_bytes_on_both_engines() {
    let machine = sandbox(EngineKind::Cranelift, false);
    let interpreter = sandbox(EngineKind::Pulley, false);
    let crossed = sandbox(EngineKind::Cranelift, true);
    let shipped = shipped(&machine, &interpreter, &crossed);
    let (mut grades, mut classes) = (0, BTreeSet::new());
    std::thread::scope(|scope| {
        let tasks = shipped.machine.iter().zip(&shipped.interpreter);
        let running: Vec<_> = tasks
            .zip(shipped.crossed.iter().zip(&shipped.solved))
            .map(|((on_machine, on_interpreter), (on_both, solved))| {
                let machine = (&machine, on_machine);
                let interpreter = (&interpreter, on_interpreter);
                let (crossed, blobs) = (&crossed, &shipped.blobs);
                scope.spawn(move || {
                    // Grade with `--cross-check` on the solved state.
                    let name = &on_both.id;
                    assert!(on_both.judge.engine(crossed).contains('+'), "{name}");
                    assert_eq!(
                        grade(crossed, on_both, solved, None, blobs),
                        grade(machine.0, on_machine, solved, None, blobs),
                        "{name} with --cross-check"
                    );
                    compare(machine, interpreter, solved, blobs)
                })
            })
            .collect();
        for task in running {
            let (more, found) = task.join().unwrap();
            grades += more;
            classes.extend(found);
        }
    });
    let each = shipped.machine.iter().map(|task| 4 * (states(task) + 1));
    assert!(grades as u64 >= each.sum(), "only {grades} grades");
    assert!(classes.contains("passed") && classes.contains("failed"));
}
