//! Dumps by `pg_dump` as worlds.

use std::path::Path;

use mcpmark_postgres::Isolation;
use mcpmark_postgres::import::{DumpImportError, DumpImporter, DumpRequest, ImportedDump};
use mcpmark_postgres::state::Files;
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Blobs, Store};
use mcpmark_test_support::{Need, skip};
use tempfile::TempDir;

use crate::support::{Server, assert_same, fixture, runtime, text};

/// Role of the agent in imported worlds.
const OWNER: &str = "desk";
/// Files that follow from the cluster or the database as such, which a dump of one database does not contain.
const OF_CLUSTER: [&str; 2] = ["roles.sql", "database.sql"];

/// Files of objects that `pg_dump` writes otherwise: the order of inherited columns, rows of a materialised view since its
/// last refresh, and the disabled trigger of a partition.
const OTHERWISE_IN_DUMPS: [&str; 4] = [
    "data/public/boat.csv",
    "data/sales/totals.csv",
    "schemas/public/tables/boat.sql",
    "schemas/public/triggers/reading_note.sql",
];

/// Importer with a store.
struct Bench {
    dir: TempDir,
    store: Store,
    importer: DumpImporter,
}

impl Bench {
    fn new() -> Option<Self> {
        if Isolation::of_machine() == Isolation::Process {
            skip(Need::Mount, "the kernel refuses namespaces");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let goldens = Path::new(env!("CARGO_TARGET_TMPDIR")).join("imports");
        Some(Self {
            store: Store::open(dir.path().join("store")).unwrap(),
            dir,
            importer: DumpImporter::new(goldens),
        })
    }

    fn import(&self, dump: &[u8]) -> Result<ImportedDump, DumpImportError> {
        self.importer.import(DumpRequest {
            dump: dump.to_vec(),
            owner: OWNER,
            clock: 1_750_000_000,
            store: &self.store,
            scratch: self.dir.path(),
            limits: SessionLimits::default(),
        })
    }

    /// Returns the files of an imported world.
    fn files(&self, imported: &ImportedDump) -> Files {
        let files = imported.tree.files();
        let files = files.map(|(path, file)| (path, self.store.read(&file.content).unwrap()));
        files.collect()
    }

    /// Returns the message for a dump that is refused.
    fn refusal(&self, dump: &str) -> String {
        let error = self.import(dump.as_bytes()).unwrap_err();
        assert!(!error.is_infrastructure(), "{error}");
        error.to_string()
    }
}

/// Returns the files that a dump of one database determines.
fn in_dump(mut files: Files) -> Files {
    let left_out = [&OF_CLUSTER[..], &OTHERWISE_IN_DUMPS].concat();
    files.retain(|path, _| !left_out.contains(&path.as_str()));
    files
}

#[test]
fn a_dump_of_every_kind_of_object_is_imported_as_its_state() {
    let (Some(server), Some(bench)) = (Server::start(), Bench::new()) else {
        return;
    };
    let dumped = runtime().block_on(async {
        let database = server.database().await;
        let begin =
            format!("CREATE ROLE {OWNER} LOGIN SUPERUSER; SET SESSION AUTHORIZATION {OWNER}");
        database.run(&begin).await;
        database.run(&fixture("everything.sql")).await;
        let end = format!("RESET SESSION AUTHORIZATION; ALTER ROLE {OWNER} NOSUPERUSER");
        database.run(&end).await;
        let state = database.dump().await;
        let plain = server.pg_dump(&database, &[]).await?;
        let archive = server.pg_dump(&database, &["-Fc"]).await?;
        Some((state, plain, archive))
    });
    let Some((state, plain, archive)) = dumped else {
        return;
    };
    let state = in_dump(state);
    for dump in [plain, archive] {
        let imported = bench.import(&dump).unwrap();
        assert_eq!(imported.skipped, []);
        assert!(
            imported.roles.contains(&"clerk".to_owned()),
            "{:?}",
            imported.roles
        );
        let files = bench.files(&imported);
        let roles = text(&files, "roles.sql");
        let role = roles.lines().find(|line| line.contains("ROLE desk WITH"));
        let role = role.unwrap_or_else(|| panic!("{roles}"));
        assert!(
            role.contains(" LOGIN") && !role.contains(" SUPERUSER"),
            "{role}"
        );
        assert!(text(&files, "database.sql").contains("OWNER TO desk"));
        assert_same(&state, &in_dump(files));
    }
}

#[test]
fn objects_of_the_administrator_belong_to_the_agent() {
    let Some(bench) = Bench::new() else { return };
    let dump = "SET of_the_future = 0;\nCREATE TABLE public.t (n int);\n\
                ALTER TABLE public.t OWNER TO postgres;\nGRANT SELECT ON TABLE public.t TO reader;\n\
                COPY public.t (n) FROM stdin;\n2\n1\n\\.\nCREATE VIEW v AS SELECT * FROM t;\n";
    let imported = bench.import(dump.as_bytes()).unwrap();
    assert_eq!(imported.roles, ["reader"]);
    let skipped: Vec<usize> = imported.skipped.iter().map(|it| it.line).collect();
    assert_eq!(skipped, [1]);
    let files = bench.files(&imported);
    assert_eq!(text(&files, "data/public/t.csv"), "n\n1\n2\n");
    for path in ["schemas/public/tables/t.sql", "schemas/public/views/v.sql"] {
        assert!(text(&files, path).contains("OWNER TO desk"), "{path}");
    }
}

#[test]
fn broken_dumps_are_refused_with_the_line() {
    let Some(bench) = Bench::new() else { return };
    let table = "CREATE TABLE t (n int);\n";
    for (dump, wanted) in [
        ("SELECT 1;\n\nSELECT\n  nothing;\n".to_owned(), "line 4: column \"nothing\" does not exist"),
        (format!("{table}COPY t FROM stdin;\n1\nx\n\\.\n"), "line 4: invalid input syntax for type integer: \"x\""),
        (format!("{table}COPY t FROM stdin;\n1\n"), "line 2: the rows of COPY have no end"),
        (format!("{table}\\! touch x\n"), "line 2: \\! is a command of psql"),
        ("COPY (SELECT 1) TO PROGRAM 'id';".to_owned(), "line 1: COPY of a file or a program"),
        (
            "--\n-- Name: t; Type: TABLE; Schema: public; Owner: x\n--\nCREATE TABLE public.t (n of_no_type);\n".to_owned(),
            "line 4 (TABLE t): type \"of_no_type\" does not exist",
        ),
    ] {
        let found = bench.refusal(&dump);
        assert!(found.starts_with(wanted), "{found}");
    }
    let latin = bench
        .import(b"SELECT 1;\nSELECT '\xe9';\n")
        .unwrap_err()
        .to_string();
    assert!(latin.starts_with("line 2: not valid UTF-8"), "{latin}");
    let truncated = bench.import(b"PGDMP\x01\x0e\x00").unwrap_err();
    assert!(
        matches!(
            truncated,
            DumpImportError::Archive(_) | DumpImportError::NoProgram { .. }
        ),
        "{truncated}"
    );
}
