//! Differential test of the stand-in for psycopg2 against the driver itself.
//!
//! Each script of `scripts` runs twice with the Python of this machine, on equal databases: with the driver on a server,
//! and with the stand-in, whose requests the service answers as in a grade. Output and exit code must be equal. The test is
//! skipped if PostgreSQL, Python or the package index is missing.

#[path = "../../pypi.rs"]
#[allow(dead_code, reason = "only the installation of packages is used")]
mod pypi;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use mcpmark_kinds::{Availability, ServiceKind, ServiceSettings, Services, WorldGuests};
use mcpmark_postgres::{Cluster, DATABASE, Goldens, Installation, Settings};
use mcpmark_sandbox::ServiceAnswer;
use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};
use tokio_postgres::config::Host;

use crate::pypi::Packages;

/// Clock of the databases: 2026-02-01 09:00:00 UTC.
const CLOCK: i64 = 1_769_936_400;

const DRIVER: Packages = Packages {
    dir: "psycopg2",
    module: "psycopg2",
    installs: &[&["psycopg2-binary==2.9.13"]],
};

/// Scripts, each with its exit code.
const SCRIPTS: [(&str, i32); 6] = [
    ("report.py", 0),
    ("values.py", 0),
    ("arguments.py", 0),
    ("refusals.py", 0),
    ("behaviour.py", 0),
    ("ledger.py", 1),
];

const STATE: &[(&str, &str)] = &[
    ("format", "mcpmark postgres state 1\n"),
    ("roles.sql", "CREATE ROLE clerk WITH LOGIN;\nCREATE ROLE guest WITH LOGIN;\n"),
    ("database.sql", "ALTER DATABASE :\"database\" OWNER TO clerk;\n"),
    ("schemas.sql", "CREATE SCHEMA public;\nALTER SCHEMA public OWNER TO clerk;\n"),
    (
        "schemas/public/types/mood.sql",
        "CREATE TYPE public.mood AS ENUM ('sad', 'happy');\n",
    ),
    (
        "schemas/public/tables/tables.sql",
        "CREATE TABLE public.items (id integer NOT NULL, name text);
         CREATE TABLE public.orders (id integer NOT NULL);
         CREATE TABLE public.lines (id integer NOT NULL, order_id integer);
         CREATE TABLE public.accounts (id integer NOT NULL, balance numeric(10,2));
         CREATE TABLE public.sales (id integer, region text, day date, amount numeric(10,2));
         CREATE TABLE public.notes (owner text, text text);
         ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;\n",
    ),
    (
        "schemas/public/constraints/all.sql",
        "ALTER TABLE public.items ADD CONSTRAINT items_pkey PRIMARY KEY (id);
         ALTER TABLE public.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (id);
         ALTER TABLE public.lines ADD CONSTRAINT lines_pkey PRIMARY KEY (id);
         ALTER TABLE public.sales ADD CONSTRAINT sales_amount_check CHECK (amount > 0);\n",
    ),
    (
        "schemas/public/foreign-keys/lines.sql",
        "ALTER TABLE public.lines ADD CONSTRAINT lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.orders(id) DEFERRABLE;\n",
    ),
    (
        "schemas/public/functions/move.sql",
        "CREATE FUNCTION public.move(a integer, b integer, amount numeric) RETURNS text LANGUAGE plpgsql AS $$
         BEGIN
             IF (SELECT balance FROM public.accounts WHERE id = a) < amount THEN
                 RAISE EXCEPTION 'insufficient balance' USING HINT = 'move less';
             END IF;
             UPDATE public.accounts SET balance = balance - amount WHERE id = a;
             UPDATE public.accounts SET balance = balance + amount WHERE id = b;
             RETURN 'moved';
         END $$;
         CREATE FUNCTION public.refuse() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no: %', 7; END $$;\n",
    ),
    (
        "schemas/public/policies/notes.sql",
        "CREATE POLICY own ON public.notes USING (owner = current_user) WITH CHECK (owner = current_user);\n",
    ),
    (
        "schemas/public/grants.sql",
        "GRANT USAGE ON SCHEMA public TO guest; GRANT SELECT, INSERT ON public.notes TO guest; GRANT SELECT ON public.sales TO guest;\n",
    ),
    ("data/public/items.csv", "id,name\n1,anchor\n2,buoy\n3,\n"),
    ("data/public/orders.csv", "id\n1\n"),
    ("data/public/lines.csv", "id,order_id\n1,1\n"),
    ("data/public/accounts.csv", "id,balance\n1,100.00\n2,0.50\n"),
    (
        "data/public/sales.csv",
        "id,region,day,amount\n1,north,2026-01-05,40.25\n2,north,2026-02-01,60.25\n3,north,2026-02-20,40.25\n4,south,2026-02-02,7.00\n",
    ),
    ("data/public/notes.csv", "owner,text\nclerk,secret\nguest,hello\n"),
];

fn state() -> Snapshot {
    let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
    for (path, text) in STATE {
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

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/differential/psycopg2")
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).to_owned()
}

/// Output of a script, and its exit code.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    output: String,
    code: i32,
}

/// Starts Python with the variables of published scripts.
fn python(path: &[PathBuf], host: &str, password: &str) -> Command {
    let mut python = Command::new("python3");
    python
        .env("PYTHONPATH", std::env::join_paths(path).unwrap())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .env("POSTGRES_HOST", host)
        .env("POSTGRES_PORT", "5432")
        .env("POSTGRES_DATABASE", DATABASE)
        .env("POSTGRES_USERNAME", "postgres")
        .env("POSTGRES_PASSWORD", password)
        .stdout(Stdio::piped());
    python
}

/// Runs a script with the driver.
fn with_driver(script: &Path, home: &Path, cluster: &Cluster) -> Ended {
    let config = cluster.config(cluster.administrator(), DATABASE);
    let Some(Host::Unix(socket)) = config.get_hosts().first() else {
        panic!("the server listens on a socket");
    };
    let password = String::from_utf8(config.get_password().unwrap().to_vec()).unwrap();
    let output = python(&[home.to_owned()], socket.to_str().unwrap(), &password)
        .arg(script)
        .output()
        .unwrap();
    let code = output.status.code().unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(
        problem.is_empty(),
        "{} with the driver: {problem}",
        script.display()
    );
    Ended {
        output: String::from_utf8(output.stdout).unwrap(),
        code,
    }
}

/// Runs a script with the stand-in, and answers its requests.
fn with_stand_in(script: &Path, kind: &dyn ServiceKind, state: &Snapshot) -> Ended {
    let backend = kind.script_backend(state, CLOCK, &WorldGuests::default());
    let mut session = backend.unwrap().services.open();
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest-sdk/python");
    let mut child = python(&[sdk.join("shims"), sdk], "localhost", "mcpmark")
        .arg(directory().join("bridge.py"))
        .arg(script)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = child.stdin.take().unwrap();
    let mut ended = None;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(request) = line["request"].as_str() else {
            let code = line["code"].as_i64().unwrap();
            ended = Some(Ended {
                output: line["output"].as_str().unwrap().to_owned(),
                code: i32::try_from(code).unwrap(),
            });
            continue;
        };
        let answer = match session.call(line["service"].as_str().unwrap(), request, CLOCK) {
            ServiceAnswer::Answer(answer) => json!({"answer": answer}),
            ServiceAnswer::Error(error) => json!({"error": error}),
            other => panic!("{request}: {other:?}"),
        };
        writeln!(answers, "{answer}").unwrap();
    }
    child.wait().unwrap();
    ended.unwrap_or_else(|| panic!("{} ended with an exception", script.display()))
}

#[test]
fn scripts_see_the_same_with_the_driver_and_with_the_stand_in() {
    let services = Services::builtin_with(&ServiceSettings { cache: cache() });
    let kind = services.kind("postgres").unwrap();
    if let Availability::Missing(reason) | Availability::Weakened(reason) = kind.availability() {
        return skip(Need::Postgres, reason);
    }
    let home = match DRIVER.install() {
        Ok(home) => home,
        Err(problem) => return skip(Need::Python, format!("psycopg2 from PyPI: {problem}")),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let (state, installation) = (state(), Installation::find(None).unwrap());
    let settings = Settings {
        clock: Some(CLOCK),
        ..Settings::default()
    };
    let goldens = Goldens::new(cache().join("postgres"));
    let golden = goldens.get(&state, &installation, &settings).unwrap();
    let mut differences = Vec::new();
    for (name, code) in SCRIPTS {
        let script = directory().join("scripts").join(name);
        let cluster = golden.copy(&installation, &settings).unwrap();
        let driver = with_driver(&script, &home, &cluster);
        cluster.close();
        assert_eq!(
            driver.code, code,
            "{name} with the driver: {}",
            driver.output
        );
        let stand_in = with_stand_in(&script, &**kind, &state);
        if driver.code != stand_in.code {
            differences.push(format!(
                "{name}: exit codes {} and {}",
                driver.code, stand_in.code
            ));
        }
        let (mut ours, mut theirs) = (stand_in.output.lines(), driver.output.lines());
        loop {
            match (theirs.next(), ours.next()) {
                (None, None) => break,
                (theirs, ours) if theirs == ours => {}
                (theirs, ours) => differences.push(format!("{name}:\n  {theirs:?}\n  {ours:?}")),
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
