//! Test of an additional service that is added with one line of registration: its worlds are prepared, played,
//! captured, graded and shown like those of the built-in services.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mcpmark_build::{BuildEvent, Builder, Options};
use mcpmark_experiment::journal::{AttemptRow, OutcomeKind};
use mcpmark_experiment::{
    AgentKind, AgentSetup, Home, Participant, PrepareError, Prepared, Runner, Spec, SpecLimits,
    TaskPreparer,
};
use mcpmark_grading::Baselines;
use mcpmark_kinds::{Availability, ImportRequest, Mutation, Services, Solved, WorldGuests};
use mcpmark_sandbox::{Sandbox, SandboxConfig, ServiceAnswer, Snapshot};
use mcpmark_service::{
    BoxedStream, Calls, JsonObject, ServeHandle, Service, ServiceError, Session, SessionLimits,
    ToolHandler, ToolServer, ToolSurface, WorldState,
};
use mcpmark_snapshot::{Store, Tree, TreePath};
use mcpmark_task::Library;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use kind::{CAPACITY, COINS, IS_SHUT, MISCOUNT, TillKind, balance, state_of, write_state};

#[path = "new_service/kind.rs"]
mod kind;

const NAME: &str = "till";

/// Balance that makes a till jam.
const JAMMED: u64 = 13;

/// True while calls on jammed tills hang.
static IS_JAMMED: AtomicBool = AtomicBool::new(true);

/// Service of a till with a balance. `deposit` adds one coin, or two if the world has a guest. On a jammed till,
/// `deposit` hangs and ignores cancellation.
struct Till {
    has_guest: bool,
}

#[async_trait]
impl Service for Till {
    fn name(&self) -> &'static str {
        NAME
    }

    fn profiles(&self) -> &'static [&'static str] {
        &["1"]
    }

    fn tools(&self, _profile: Option<&str>) -> Vec<String> {
        vec!["deposit".to_owned()]
    }

    async fn open(&self, world: WorldState) -> Result<Box<dyn Session>, ServiceError> {
        let balance = balance(&world.tree, &*world.store)
            .ok_or_else(|| ServiceError::invalid_world(NAME, "the file balance holds no number"))?;
        let balance = Arc::new(Mutex::new(balance));
        let tools = json!([{"name": "deposit", "inputSchema": {"type": "object"}}]);
        let surface = ToolSurface::parse(NAME, "1", &tools.to_string())
            .map_err(|error| ServiceError::set_up(NAME, error))?;
        let handler = Deposits {
            balance: Arc::clone(&balance),
            coins: if self.has_guest { 2 } else { 1 },
        };
        Ok(Box::new(Open {
            server: ToolServer::new(surface, handler, &world.limits),
            balance,
            store: world.store,
        }))
    }
}

struct Deposits {
    balance: Arc<Mutex<u64>>,
    coins: u64,
}

impl ToolHandler for Deposits {
    fn call(&mut self, _: &str, _: JsonObject) -> Result<CallToolResult, ErrorData> {
        let mut balance = self.balance.lock().unwrap();
        while *balance == JAMMED && IS_JAMMED.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        *balance += self.coins;
        let text = ContentBlock::text(balance.to_string());
        Ok(CallToolResult::success(vec![text]))
    }
}

struct Open {
    server: ToolServer<Deposits>,
    balance: Arc<Mutex<u64>>,
    store: Arc<Store>,
}

#[async_trait]
impl Session for Open {
    fn serve(&self, io: BoxedStream) -> ServeHandle {
        self.server.serve(io)
    }

    fn calls(&self) -> Option<&Calls> {
        Some(self.server.calls())
    }

    async fn capture(&self) -> Result<Tree, ServiceError> {
        let text = self.balance.lock().unwrap().to_string();
        state_of(&text, &self.store).map_err(|error| ServiceError::capture(NAME, error))
    }

    async fn close(self: Box<Self>) -> Result<(), ServiceError> {
        self.server.close().await.map(drop)
    }
}

/// Returns a component that exports `verify` and passes.
fn passing() -> Vec<u8> {
    let text = include_str!("../../../tests/end_to_end/guests/verdict.wat");
    let text = text
        .replace("PASSED", "\\01")
        .replace("DETAIL", "fine")
        .replace("LENGTH", "4");
    wat::parse_str(text).unwrap()
}

/// Returns a verifier that passes if the interface of the till has the right capacity.
fn asking() -> Vec<u8> {
    let text = r#"(component
  (import "CAPACITY" (instance $desk (export "at" (func (param "index" u32) (result u64)))))
  (core func $at (canon lower (func $desk "at")))
  (core module $guest
    (import "desk" "at" (func $at (param i32) (result i64)))
    (memory (export "memory") 1)
    (data (i32.const 16) "\20\00\00\00\01\00\00\00")
    (data (i32.const 32) "\64\00\00\00\08\00\00\00")
    (data (i32.const 100) "capacity")
    (func (export "run") (result i32)
      (i32.store8 (i32.const 40) (i64.eq (call $at (i32.const 0)) (i64.const COINS)))
      (i32.const 16)))
  (core instance $functions (export "at" (func $at)))
  (core instance $guest (instantiate $guest (with "desk" (instance $functions))))
  (type $check (record (field "name" string) (field "passed" bool) (field "detail" string)))
  (import "check" (type $check-type (eq $check)))
  (func (export "verify") (result (list $check-type))
    (canon lift (core func $guest "run") (memory (core memory $guest "memory")))))"#;
    let text = text.replace("CAPACITY", CAPACITY);
    wat::parse_str(text.replace("COINS", &COINS.to_string())).unwrap()
}

/// Returns a sandbox that offers the interfaces of all services.
fn sandbox(services: &Services, scratch: &Path) -> Sandbox {
    let config = services.offer(SandboxConfig::default(), scratch);
    Sandbox::new(&config).unwrap().trusting()
}

/// Creates a library with worlds of a service. Each world has one task and a till with the given balance.
fn library(root: &Path, service: &str, worlds: &[(&str, u64)]) -> Library {
    let manifest = json!({"title": "Till", "license": "CC0-1.0", "clock": "2026-03-02T09:00:00Z"});
    for (world, balance) in worlds {
        let dir = root.join(format!("worlds/{service}/{world}"));
        write(&dir.join("world.json"), manifest.to_string().as_bytes());
        write_state(&dir.join("files"), *balance);
        let dir = root.join(format!("tasks/{service}/{world}/fill"));
        let mut meta = json!({"difficulty": "L1"});
        if service == NAME {
            meta["profile"] = json!("1");
        }
        write(&dir.join("meta.json"), meta.to_string().as_bytes());
        write(&dir.join("description.md"), b"Fill the till.\n");
        let verifier = if service == NAME { asking() } else { passing() };
        write(&dir.join("verifier.wasm"), &verifier);
    }
    Library::at(root)
}

/// Adds a guest to the world `guided`.
fn add_guest(root: &Path, service: &str) {
    let file = format!("worlds/{service}/guided/ci.wasm");
    write(&root.join(file), &passing());
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Registers the service, which is the only change outside its own module.
fn services() -> Services {
    let mut services = Services::builtin();
    services.register(TillKind);
    services
}

fn prepare(
    library: &Library,
    services: &Services,
    sandbox: &Sandbox,
    store: &Store,
    report: &mut dyn FnMut(BuildEvent),
) -> Result<Vec<Prepared>, PrepareError> {
    let tasks = library.tasks().unwrap().tasks;
    let mut builder = Builder::new(Options::new(library.root.join("guests")));
    let mut preparer = TaskPreparer {
        library,
        services,
        builder: &mut builder,
        sandbox,
        store,
        ceiling: &SessionLimits::CEILING,
        report,
    };
    preparer.prepare(&tasks)
}

/// Attempts of the agent `random`.
struct Played {
    runner: Arc<Runner>,
    rows: Vec<AttemptRow>,
}

async fn play(root: &Path, library: &Library, services: &Services, limits: SpecLimits) -> Played {
    let sandbox = sandbox(services, root);
    let home = Home::new(root.join("home"));
    let store = home.store().unwrap();
    let prepared = prepare(library, services, &sandbox, &store, &mut |_| {}).unwrap();

    let ids = prepared.iter().map(|task| task.id.to_string()).collect();
    let spec = Spec::new(ids, vec![Participant::plain(AgentKind::Random)]);
    let journal = home.journal().unwrap();
    let text = serde_json::to_string(&spec).unwrap();
    let experiment = journal.create_experiment("till", &text).unwrap();
    let runner = Arc::new(Runner {
        journal: Arc::clone(&journal),
        store: Arc::new(store),
        sandbox,
        scratch: mcpmark_snapshot::ScratchSpace::plain(root),
        jobs: 1,
        grades: Arc::new(Semaphore::new(1)),
        baselines: Baselines::default(),
    });
    let prepared: Vec<_> = prepared.into_iter().map(Arc::new).collect();
    let tools = runner.tools(&prepared).await;
    assert_eq!(tools.into_iter().collect::<Vec<_>>(), ["deposit"]);
    let agent_setup = Arc::new(AgentSetup {
        limits,
        ..AgentSetup::plain(AgentKind::Random)
    });
    let run = runner.run(
        &experiment,
        &agent_setup,
        &prepared,
        spec.plan(),
        CancellationToken::new(),
        Arc::new(|_| {}),
    );
    let run = tokio::time::timeout(Duration::from_secs(60), run).await;
    run.expect("the run goes on").unwrap();
    Played {
        rows: journal.attempts("till").unwrap(),
        runner,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_is_added_with_one_line() {
    let root = tempfile::tempdir().unwrap();
    let library = library(root.path(), NAME, &[("guided", 40), ("plain", 40)]);
    add_guest(root.path(), NAME);
    let services = services();
    let Played { runner, rows, .. } =
        play(root.path(), &library, &services, SpecLimits::default()).await;
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(row.outcome, Some(OutcomeKind::Graded), "{}", row.task);
        assert_eq!(row.passed(), Some(true), "{}", row.task);
        let state = row.state.unwrap().untyped();
        let tree = runner.store.load_tree(&state).unwrap();
        let coins = if row.task.contains("guided") { 2 } else { 1 };
        let calls = u64::from(row.tool_calls);
        assert!(calls > 0, "{}", row.task);
        assert_eq!(balance(&tree, &*runner.store), Some(40 + coins * calls));
        let kind = services.kind(NAME).unwrap();
        let summary = kind.summarize(&tree, &*runner.store, root.path()).unwrap();
        assert_eq!(summary.unwrap().value["balance"], 40 + coins * calls);
    }
}

/// Guard that releases jammed tills when it is dropped.
struct Jam;

impl Drop for Jam {
    fn drop(&mut self) {
        IS_JAMMED.store(false, Ordering::Relaxed);
    }
}

/// The worlds are played in sequence, the jammed one first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_does_not_stop_costs_its_own_attempt_its_grade() {
    let root = tempfile::tempdir().unwrap();
    let library = library(root.path(), NAME, &[("jammed", JAMMED), ("plain", 40)]);
    let limits = SpecLimits {
        time_seconds: Some(1),
        ..SpecLimits::default()
    };
    // The guard ends the thread of the hanging call when the test ends.
    let _jam = Jam;
    let Played { rows, .. } = play(root.path(), &library, &services(), limits).await;
    let [jammed, plain] = &rows[..] else {
        panic!("{} attempts", rows.len());
    };
    assert!(jammed.task.contains("jammed"), "{}", jammed.task);
    assert_eq!(jammed.outcome, Some(OutcomeKind::InfraError));
    assert!(jammed.state.is_none() && jammed.grade.is_none());
    let message = jammed.error.as_deref().unwrap();
    assert!(message.contains("deposit"), "{message}");
    assert_eq!(plain.outcome, Some(OutcomeKind::Graded));
}

#[test]
fn preparation_reports_each_world_and_then_each_task() {
    let root = tempfile::tempdir().unwrap();
    let library = library(root.path(), NAME, &[("guided", 40), ("plain", 40)]);
    add_guest(root.path(), NAME);
    let sandbox = sandbox(&services(), root.path());
    let store = Home::new(root.path().join("home")).store().unwrap();
    let mut events = Vec::new();
    let mut report = |event| events.push(event);
    prepare(&library, &services(), &sandbox, &store, &mut report).unwrap();
    let preparing = |what: &str, number| BuildEvent::Preparing {
        what: what.to_owned(),
        number,
        total: 2,
    };
    // The guests are built components, so there are no other events.
    assert_eq!(
        events,
        [
            preparing("world till/guided", 1),
            preparing("world till/plain", 2),
            preparing("task till/guided/fill", 1),
            preparing("task till/plain/fill", 2),
        ]
    );
    let line = events[3].to_string();
    assert_eq!(line, "preparing task till/plain/fill (2 of 2)");
}

#[test]
fn a_guest_of_a_role_that_a_service_does_not_have_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let library = library(root.path(), "playwright", &[("guided", 40)]);
    add_guest(root.path(), "playwright");
    let sandbox = Sandbox::new(&SandboxConfig::default()).unwrap().trusting();
    let store = Home::new(root.path().join("home")).store().unwrap();
    let error = prepare(&library, &services(), &sandbox, &store, &mut |_| {}).map(|_| ());
    let error = error.unwrap_err();
    assert!(!error.is_infrastructure());
    let file = root.path().join("worlds/playwright/guided/ci.wasm");
    assert_eq!(
        error.to_string(),
        format!(
            "world playwright/guided: worlds of the service \"playwright\" cannot have a guest with the role `ci`; remove {}",
            file.display()
        )
    );
}

/// Returns a state of a till in the store.
fn state(balance: u64, store: &Store) -> Tree {
    state_of(&balance.to_string(), store).unwrap()
}

#[test]
fn a_service_that_runs_is_available_and_is_shut_down() {
    let services = services();
    services.check_available(NAME).unwrap();
    let kind = services.served(NAME).unwrap();
    assert!(matches!(kind.availability(), Availability::Programs(_)));
    assert_eq!(services.service(NAME).unwrap().tools(None), ["deposit"]);
    let starting = services.starting_from_nothing();
    assert!(starting.into_iter().any(|name| name == NAME));
    let mut variables = services.script_variables();
    assert!(variables.any(|it| it.names.contains(&"TILL_DESK")));
    services.shutdown();
    assert!(IS_SHUT.load(Ordering::Relaxed));
}

#[test]
fn states_of_a_service_are_shown_and_imported() {
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(root.path().join("store")).unwrap());
    let services = services();
    let kind = services.kind(NAME).unwrap();
    let tree = state(40, &store);
    assert!(kind.resembles_world(&tree) && !kind.resembles_world(&Tree::empty()));
    let schemas = kind.documents().iter().map(|name| kind.schema(name));
    assert!(schemas.into_iter().all(|schema| schema.is_some()));
    assert_eq!(kind.schema("ledger"), None);
    let snapshot = Snapshot::new(tree.clone(), store.clone());
    let text = kind.text_at(&snapshot, root.path(), "drawer/balance");
    assert_eq!(text.unwrap().as_deref(), Some("40"));
    assert!(kind.is_noise(&TreePath::parse("balance.lock").unwrap()));
    assert!(!kind.is_noise(&TreePath::parse("balance").unwrap()));

    let dir = root.path().join("state");
    std::fs::create_dir(&dir).unwrap();
    assert_eq!(kind.lacks(&dir), Some("has no balance"));
    write_state(&dir, 1);
    assert_eq!(kind.lacks(&dir), None);

    let importer = kind.importer().unwrap();
    importer.check_login("ada").unwrap();
    importer.check_login("ada lovelace").unwrap_err();
    std::fs::write(dir.join("rolls"), "50\ncent\n20\n").unwrap();
    let template = mcpmark_experiment::capture_directory(&dir, &store).unwrap();
    let imported = importer.import(ImportRequest {
        template: &template,
        owner: "ada",
        viewer: "ada",
        clock: 0,
        store: &store,
        scratch: root.path(),
    });
    let imported = imported.unwrap();
    assert_eq!(balance(&imported.tree, &*store), Some(70));
    assert_eq!(imported.counts, [("rolls", "roll", 2)]);
    assert_eq!(imported.skipped[0].place, "rolls line 2");
}

#[test]
fn scripts_ask_the_backend_of_their_service() {
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(root.path().join("store")).unwrap());
    let services = services();
    let kind = services.kind(NAME).unwrap();
    let task = "till/plain/fill".parse().unwrap();
    let invocation = kind.script_invocation(&task, None).unwrap();
    assert_eq!(invocation.arguments, ["till/plain/fill"]);
    let snapshot = Snapshot::new(state(40, &store), store.clone());
    let guests = WorldGuests::default();
    let backend = kind.script_backend(&snapshot, 7, &guests).unwrap();
    assert_eq!(
        backend.environment,
        [("TILL_BALANCE".to_owned(), "40".to_owned())]
    );
    let mut session = backend.services.open();
    let answer = json!({"balance": 40, "clock": 7}).to_string();
    assert_eq!(session.call(NAME, "{}", 0), ServiceAnswer::Answer(answer));
    assert_eq!(session.call("bank", "{}", 0), ServiceAnswer::Absent);
}

#[test]
fn mutants_follow_the_rules_of_the_service() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path().join("store")).unwrap();
    let services = services();
    let kind = services.kind(NAME).unwrap();
    assert_eq!(kind.mutations(), [MISCOUNT]);
    assert!(!Mutation::GENERAL.contains(&MISCOUNT));
    let (start, end) = (state(40, &store), state(42, &store));
    let solved = |end| Solved {
        start: &start,
        end,
        blobs: &store,
        store: &store,
        scratch: root.path(),
    };
    let mut mutator = kind.mutator(solved(&end)).unwrap().unwrap();
    let mutants = mutator.mutants().unwrap();
    let counts = mutants.iter().map(|it| balance(&it.tree, &store).unwrap());
    assert_eq!(counts.collect::<Vec<_>>(), [43, 41]);
    let texts = mutator.texts().unwrap();
    assert_eq!((texts.len(), &*texts[0].text), (1, "42"));
    let tree = mutator.with_text(0, "24").unwrap();
    assert_eq!(balance(&tree, &store), Some(24));
    drop(mutator);
    assert!(kind.mutator(solved(&Tree::empty())).is_err());
    assert!(kind.scaffold().is_some());
}
