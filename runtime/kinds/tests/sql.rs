//! Verifiers that send SQL to the states of a database, on the real server.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use mcpmark_interfaces::sql::DEFAULT_CLOCK;
use mcpmark_kinds::{Availability, ServiceSettings, Services, WorldGuests};
use mcpmark_postgres::Installation;
use mcpmark_sandbox::{
    FaultKind, InterfaceVersions, Limits, Run, RunError, Sandbox, SandboxConfig, ServiceAnswer,
    Verdict, Verifier, VerifyInput,
};
use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use mcpmark_test_support::{Need, skip};

/// World of most tests, whose agent is the clerk.
const WORLD: &[(&str, &str)] = &[
    ("format", "mcpmark postgres state 1\n"),
    (
        "roles.sql",
        "CREATE ROLE clerk WITH LOGIN;\nCREATE ROLE guest WITH LOGIN;\n",
    ),
    (
        "database.sql",
        "ALTER DATABASE :\"database\" OWNER TO clerk;\n",
    ),
    (
        "schemas.sql",
        "CREATE SCHEMA public;\nALTER SCHEMA public OWNER TO clerk;\n",
    ),
    (
        "schemas/public/grants.sql",
        "GRANT USAGE ON SCHEMA public TO guest;\n",
    ),
    (
        "schemas/public/tables/items.sql",
        "CREATE TABLE public.items (\n    id integer NOT NULL,\n    name text\n);\nALTER TABLE public.items OWNER TO clerk;\n",
    ),
    (
        "schemas/public/constraints/items.sql",
        "ALTER TABLE public.items ADD CONSTRAINT items_pkey PRIMARY KEY (id);\n",
    ),
    ("data/public/items.csv", "id,name\n1,anchor\n2,buoy\n"),
];

fn state(changes: &[(&str, &str)]) -> Snapshot {
    let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
    let is_changed = |path: &str| changes.iter().any(|(changed, _)| *changed == path);
    let kept = WORLD.iter().filter(|(path, _)| !is_changed(path));
    for (path, text) in kept.chain(changes) {
        let file = File {
            size: text.len() as u64,
            executable: false,
            modified: None,
            content: blobs.put(text.as_bytes()),
        };
        tree.insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    Snapshot::new(tree.finish(), Arc::new(blobs))
}

/// Sandbox with the services of the program, and a verifier that sends the lines of its parameters.
struct Bench {
    sandbox: Sandbox,
    verifier: Verifier,
    services: Services,
    scratch: tempfile::TempDir,
}

impl Bench {
    /// Returns a bench, or skips the test if there is no isolated server.
    fn new() -> Option<Self> {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned();
        let services = Services::builtin_with(&ServiceSettings { cache });
        match services.kind("postgres").unwrap().availability() {
            Availability::Programs(_) => {}
            Availability::Missing(reason) | Availability::Weakened(reason) => {
                skip(Need::Postgres, reason);
                return None;
            }
            Availability::InProcess => panic!("a server is a program"),
        }
        let scratch = tempfile::tempdir().unwrap();
        let config = services.offer(SandboxConfig::default(), scratch.path());
        let sandbox = Sandbox::new(&config).unwrap().trusting();
        let component = wat::parse_str(include_str!("sql/guest.wat")).unwrap();
        let verifier = sandbox.verifier(&component).unwrap();
        Some(Self {
            sandbox,
            verifier,
            services,
            scratch,
        })
    }

    fn verify(&self, start: &Snapshot, end: &Snapshot, lines: &[&str]) -> Run<Verdict> {
        let input = VerifyInput {
            parameters: lines.join("\n"),
            ..VerifyInput::new(start.clone(), end.clone())
        };
        let limits = Limits {
            time_ms: 120_000,
            ..Limits::VERIFIER
        };
        self.sandbox.verify(&self.verifier, input, &limits)
    }

    /// Returns the servers that answered the verifier.
    fn interfaces(&self, start: &Snapshot, end: &Snapshot, lines: &[&str]) -> InterfaceVersions {
        self.verify(start, end, lines).interfaces
    }

    fn run(
        &self,
        start: &Snapshot,
        end: &Snapshot,
        lines: &[&str],
    ) -> Result<Vec<String>, RunError> {
        let verdict = self.verify(start, end, lines).result?;
        Ok(verdict
            .checks()
            .iter()
            .map(|check| check.detail.clone())
            .collect())
    }

    /// Returns the results of queries on a final state.
    fn queries(&self, end: &Snapshot, queries: &[&str]) -> Vec<String> {
        self.run(&state(&[]), end, queries).unwrap()
    }

    /// Returns the results of steps in a copy of a final state.
    fn steps(&self, end: &Snapshot, steps: &[&str]) -> Vec<String> {
        let lines: Vec<&str> = ["!"].iter().chain(steps).copied().collect();
        self.run(&state(&[]), end, &lines).unwrap()
    }
}

#[test]
fn queries_read_both_states() {
    let Some(bench) = Bench::new() else { return };
    let end = state(&[("data/public/items.csv", "id,name\n1,anchor\n2,buoy\n3,\n")]);
    let queries = [
        "sSELECT count(*) FROM public.items",
        "fSELECT count(id) FROM public.items",
        "fSELECT name FROM public.items WHERE id = 2",
        "fSELECT name FROM public.items WHERE id = 3",
        "fSELECT name FROM public.items WHERE id = 4",
        "fSELECT now() < '2000-01-02'",
    ];
    let results = bench.queries(&end, &queries);
    assert_eq!(results[..5], ["2", "3", "buoy", "null", "none"]);
}

#[test]
fn a_run_names_the_major_version_of_the_server_that_answered() {
    let Some(bench) = Bench::new() else { return };
    let major = Installation::find(None).unwrap().version().major;
    let expected = InterfaceVersions::from_iter([("sql", format!("postgres {major}"))]);
    let world = state(&[]);
    // A state that no server can restore may be one for another version.
    let damaged = state(&[(
        "schemas/public/tables/items.sql",
        "CREATE TABLE public.items (id of_the_future);\n",
    )]);
    for (end, lines) in [
        (&world, &["fSELECT 1"][..]),
        (&world, &["!", "+clerk", "clerk:SELECT 1"]),
        (&damaged, &["fSELECT 1"]),
    ] {
        assert_eq!(bench.interfaces(&world, end, lines), expected, "{lines:?}");
    }
    let nothing: &[&str] = &[];
    let found = bench.interfaces(&world, &world, nothing);
    assert_eq!(found, InterfaceVersions::default());

    // Scripts reach the same server through `psycopg2`.
    let backend = bench.services.kind("postgres").unwrap().script_backend(
        &world,
        DEFAULT_CLOCK,
        &WorldGuests::default(),
    );
    let mut session = backend.unwrap().services.open();
    session.call("http", "{}", DEFAULT_CLOCK);
    assert_eq!(session.interfaces(), InterfaceVersions::default());
    let answer = session.call("sql", r#"{"connect": {"user": "clerk"}}"#, DEFAULT_CLOCK);
    assert!(matches!(answer, ServiceAnswer::Answer(_)), "{answer:?}");
    assert_eq!(session.interfaces(), expected);
}

#[test]
fn queries_only_read_and_leave_nothing_behind() {
    let Some(bench) = Bench::new() else { return };
    let queries = [
        "fDELETE FROM public.items",
        "fSELECT set_config('search_path', 'public', false)",
        "fSELECT count(*) FROM items",
        "fCOMMIT",
        "fSELECT no_such_function()",
        "fSELECT 1; SELECT 2",
        "fSET ROLE guest",
        "fSELECT current_user = session_user",
        "fSELECT count(*) FROM public.items",
    ];
    let results = bench.queries(&state(&[]), &queries);
    let expected = [
        "25006", "public", "42P01", "2D000", "42883", "42601", "none", "t", "2",
    ];
    assert_eq!(results, expected);
}

#[test]
fn sessions_of_roles_change_a_copy_that_is_discarded() {
    let Some(bench) = Bench::new() else { return };
    let steps = [
        ("+clerk", "none"),
        ("+guest", "none"),
        ("+nobody", "28000"),
        ("*clerk", "08003"),
        ("guest:SELECT count(*) FROM items", "42501"),
        ("clerk:GRANT SELECT ON items TO guest", "none"),
        ("guest:SELECT count(*) FROM items ", "2"),
        ("clerk:BEGIN", "none"),
        ("clerk:UPDATE items SET name = 'bell' WHERE id = 2", "none"),
        ("guest:SELECT name FROM items WHERE id = 2", "buoy"),
        ("clerk:COMMIT", "none"),
        ("guest:SELECT name FROM items WHERE id = 2 ", "bell"),
        ("clerk:INSERT INTO items VALUES (1, 'again')", "23505"),
        ("-clerk", "none"),
        ("clerk:SELECT 1", "08003"),
        ("guest:SELECT current_user", "guest"),
        ("*root", "none"),
        (
            "root:SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
            "t",
        ),
        (
            "root:SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'",
            "t",
        ),
        ("guest:SELECT 2", "08006"),
        ("guest:SELECT 3", "08003"),
    ];
    let lines = steps.map(|(line, _)| line);
    let results = bench.steps(&state(&[]), &lines);
    for ((line, expected), found) in steps.iter().zip(&results) {
        assert_eq!(found, expected, "{line}");
    }
    // The next copy is a new one.
    let results = bench.steps(
        &state(&[]),
        &["+clerk", "clerk:SELECT name FROM items WHERE id = 2"],
    );
    assert_eq!(results[1], "buoy");
}

#[test]
fn a_statement_that_waits_for_a_lock_fails() {
    let Some(bench) = Bench::new() else { return };
    let steps = [
        "*one",
        "+clerk",
        "one:BEGIN",
        "one:UPDATE public.items SET name = 'x' WHERE id = 1",
        "clerk:UPDATE items SET name = 'y' WHERE id = 1 RETURNING name",
        "one:ROLLBACK",
        "clerk:UPDATE items SET name = 'z' WHERE id = 1 RETURNING name",
    ];
    let results = bench.steps(&state(&[]), &steps);
    assert_eq!(results[4], "55P03");
    assert_eq!(results[6], "z");
}

/// Definitions of a function of the agent, and of a view that calls it.
fn with_function(body: &str) -> Snapshot {
    let function = format!(
        "CREATE FUNCTION public.f() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN {body} END $$;\nALTER FUNCTION public.f() OWNER TO clerk;\n"
    );
    state(&[
        ("schemas/public/functions/f.sql", &function),
        (
            "schemas/public/views/v.sql",
            "CREATE VIEW public.v AS\n SELECT public.f() AS f;\nALTER VIEW public.v OWNER TO clerk;\n",
        ),
    ])
}

/// Starting state with another view of the name.
fn with_view() -> Snapshot {
    let view = "CREATE VIEW public.v AS\n SELECT 1 AS f;\nALTER VIEW public.v OWNER TO clerk;\n";
    state(&[("schemas/public/views/v.sql", view)])
}

#[test]
fn endless_functions_of_an_agent_do_not_void_its_grade() {
    let Some(bench) = Bench::new() else { return };
    let endless = with_function("LOOP PERFORM 1; END LOOP;");
    // In a copy it is an error that the verifier sees.
    let results = bench.steps(&endless, &["+clerk", "clerk:SELECT f()", "clerk:SELECT 1"]);
    assert_eq!(results, ["none", "57014", "1"]);
    // A query ends the grade, with a fault that is attributed to the state.
    let query = ["fSELECT f FROM public.v"];
    assert_eq!(
        bench.run(&with_view(), &with_view(), &query).unwrap(),
        ["1"]
    );
    match bench.run(&with_view(), &endless, &query) {
        Err(RunError::Fault(fault)) => {
            assert_eq!(fault.kind, FaultKind::Statement, "{fault}");
            assert!(fault.kind.follows_from_input());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_state_that_ends_the_server_or_is_none_is_a_damaged_world() {
    let Some(bench) = Bench::new() else { return };
    let ending = with_function("PERFORM pg_terminate_backend(pg_backend_pid()); RETURN 1;");
    let broken = state(&[(
        "schemas/public/views/v.sql",
        "CREATE VIEW public.v AS SELECT 1/;\n",
    )]);
    let uncaptured = state(&[("capture-error.txt", "too large\n")]);
    for (end, words) in [
        (ending, "ended the session"),
        (broken, "schemas/public/views/v.sql"),
        (uncaptured, "capture-error.txt"),
    ] {
        match bench.run(&with_view(), &end, &["fSELECT f FROM public.v"]) {
            Err(RunError::World(message)) => assert!(message.contains(words), "{message}"),
            other => panic!("{words}: {other:?}"),
        }
    }
}

#[test]
fn a_world_without_a_database_is_a_fault_of_the_verifier() {
    let Some(bench) = Bench::new() else { return };
    let none = Snapshot::new(TreeBuilder::new().finish(), Arc::new(MemoryBlobs::new()));
    // The starting state decides, which an agent does not change.
    match bench.run(&none, &state(&[]), &["fSELECT 1"]) {
        Err(RunError::Fault(fault)) => assert_eq!(fault.kind, FaultKind::Link, "{fault}"),
        other => panic!("{other:?}"),
    }
}

/// Both ways to build a database give the same rows in the same physical order.
#[test]
fn the_order_of_rows_follows_from_the_state() {
    let Some(bench) = Bench::new() else { return };
    let rows: String = (0..500)
        .map(|id| format!("{id},{}\n", id * 7 % 500))
        .collect();
    let rows = format!("id,name\n{rows}");
    let end = state(&[("data/public/items.csv", &rows)]);
    let queries = [
        "fSELECT string_agg(name, ' ') FROM public.items",
        "fSELECT string_agg(ctid::text, ' ') FROM public.items",
        "fSELECT string_agg(relpages || ' ' || reltuples, ' ' ORDER BY relname) FROM pg_class WHERE relname LIKE 'items%'",
        "fSELECT string_agg(starelid::regclass || ' ' || stanullfrac || ' ' || stadistinct, ' ' ORDER BY staattnum) FROM pg_statistic WHERE starelid = 'public.items'::regclass",
    ];
    let replaced = bench.run(&state(&[]), &end, &queries).unwrap();
    // The starting state has other definitions, so everything is restored.
    let restored = bench.run(&with_view(), &end, &queries).unwrap();
    assert_eq!(replaced, restored);
    assert!(replaced[0].starts_with("0 7 14 21"), "{}", replaced[0]);
}

#[test]
fn rows_that_a_constraint_refuses_are_restored_otherwise() {
    let Some(bench) = Bench::new() else { return };
    let check = (
        "schemas/public/constraints/items.sql",
        "ALTER TABLE public.items ADD CONSTRAINT items_id_check CHECK (id > 1) NOT VALID;\n",
    );
    let rows = ("data/public/items.csv", "id,name\n0,old\n1,anchor\n");
    let results = bench.run(
        &state(&[check]),
        &state(&[check, rows]),
        &["fSELECT min(id) FROM public.items"],
    );
    assert_eq!(results.unwrap(), ["0"]);
}

#[test]
fn tables_that_reference_others_keep_their_rows() {
    let Some(bench) = Bench::new() else { return };
    let lines = [
        (
            "schemas/public/tables/lines.sql",
            "CREATE TABLE public.lines (\n    item integer NOT NULL\n);\nALTER TABLE public.lines OWNER TO clerk;\n",
        ),
        (
            "schemas/public/foreign-keys/lines.sql",
            "ALTER TABLE public.lines ADD CONSTRAINT lines_item_fkey FOREIGN KEY (item) REFERENCES public.items(id);\n",
        ),
        ("data/public/lines.csv", "item\n1\n2\n"),
    ];
    let start = state(&lines);
    let rows = ("data/public/items.csv", "id,name\n1,bell\n2,buoy\n");
    let end = state(&[&lines[..], &[rows]].concat());
    let queries =
        ["fSELECT string_agg(item || name, ' ') FROM public.lines JOIN public.items ON id = item"];
    assert_eq!(bench.run(&start, &end, &queries).unwrap(), ["1bell 2buoy"]);
}

#[test]
fn nothing_remains_of_the_clusters_of_a_grade() {
    let Some(bench) = Bench::new() else { return };
    bench.queries(&state(&[]), &["fSELECT 1"]);
    // The directories are removed by threads that wait for the servers.
    let is_empty = || fs::read_dir(bench.scratch.path()).unwrap().next().is_none();
    for _ in 0..1500 {
        if is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!(
        "files of a cluster are left in {}",
        bench.scratch.path().display()
    );
}
