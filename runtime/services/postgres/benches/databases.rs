//! States and sessions of a database, compared with what the server itself needs for the same data.
//!
//! `cargo bench -p mcpmark-postgres --bench databases` prints medians and their ratios. With `-- --short` the database has
//! a tenth of the rows.

#![allow(clippy::print_stdout, reason = "it prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark ends with the first error")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use mcpmark_postgres::{ADMINISTRATOR, Cluster, Installation, PostgresService, Settings, state};
use mcpmark_service::{Service, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{ScratchSpace, Snapshot, Store, Tree};
use serde_json::json;
use tokio_postgres::{Client, NoTls};

/// Rows of the larger table, which make about 100 MB of CSV.
const ROWS: usize = 900_000;
/// Runs of which the median is printed.
const ROUNDS: usize = 9;
/// Runs of what takes seconds.
const LONG_ROUNDS: usize = 3;

#[tokio::main]
async fn main() {
    let rows = if std::env::args().any(|argument| argument == "--short") {
        ROWS / 10
    } else {
        ROWS
    };
    let installation = match Installation::find(None) {
        Ok(installation) => installation,
        Err(error) => {
            println!("nothing to measure: {error}");
            return;
        }
    };
    let home = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let settings = Settings::default();
    let cluster = Cluster::create(&installation, &home.path().join("cluster"), &settings).unwrap();
    println!("PostgreSQL {}", installation.version());
    let source = database(&cluster, "source").await;
    fill(&source, rows).await;

    let tree = states(&cluster, &source, &store).await;
    drop(source);
    sessions(&installation, &cluster, &tree, &store, home.path()).await;
    cluster.stop().unwrap();
}

/// Creates an empty database and connects to it.
async fn database(cluster: &Cluster, name: &str) -> Client {
    let maintenance = connect(cluster, "postgres").await;
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    maintenance.batch_execute(&create).await.unwrap();
    connect(cluster, name).await
}

async fn connect(cluster: &Cluster, database: &str) -> Client {
    let config = cluster.config(ADMINISTRATOR, database);
    let (client, connection) = config.connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Creates two tables with keys, an index and rows of fixed content.
async fn fill(client: &Client, rows: usize) {
    let sql = format!(
        "SET statement_timeout = 0;
         CREATE ROLE clerk LOGIN;
         ALTER DATABASE source OWNER TO clerk;
         CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text);
         INSERT INTO customers SELECT n, 'Customer ' || n, 'City ' || n % 100 FROM generate_series(1, 10000) n;
         CREATE TABLE orders (id int PRIMARY KEY, customer int REFERENCES customers, placed timestamptz, price numeric(10,2),
             note text);
         INSERT INTO orders SELECT n, 1 + n % 10000, timestamptz '2026-01-01 UTC' + n * interval '1 minute',
             n % 100000 / 100.0, repeat(md5(n::text), 2) FROM generate_series(1, {rows}) n;
         CREATE INDEX ON orders (customer);
         ALTER TABLE customers OWNER TO clerk; ALTER TABLE orders OWNER TO clerk;
         VACUUM ANALYZE"
    );
    for statement in sql.split(';') {
        client.batch_execute(statement).await.unwrap();
    }
}

/// Measures dumps and restorations, and returns the state.
async fn states(cluster: &Cluster, source: &Client, store: &Store) -> Tree {
    let mut tree = Tree::default();
    let dump = median(LONG_ROUNDS, async |_| {
        tree = state::dump_tree(source, store).await.unwrap();
    })
    .await;
    let copy = median(LONG_ROUNDS, async |_| {
        for table in ["customers", "orders"] {
            let sql =
                format!("COPY (SELECT * FROM {table} ORDER BY id) TO STDOUT (FORMAT csv, HEADER)");
            let rows = source.copy_out(&sql).await.unwrap();
            rows.try_for_each(|_| std::future::ready(Ok(())))
                .await
                .unwrap();
        }
    })
    .await;
    println!("state: {:.1} MB", tree.total_size() as f64 / 1e6);
    print("dump to a store", dump, "COPY of the sorted rows", copy);

    let snapshot = Snapshot::new(tree.clone(), Arc::new(store.clone()) as _);
    let restore = median(LONG_ROUNDS, async |round| {
        let empty = database(cluster, &format!("restored{round}")).await;
        empty
            .batch_execute("SET statement_timeout = 0")
            .await
            .unwrap();
        state::restore(&empty, &snapshot).await.unwrap();
    })
    .await;
    print("restoration", restore, "dump to a store", dump);
    tree
}

/// Measures sessions from the world to the first query.
async fn sessions(
    installation: &Installation,
    cluster: &Cluster,
    tree: &Tree,
    store: &Arc<Store>,
    home: &Path,
) {
    let service = PostgresService::with_installation(installation.clone(), home.join("goldens"));
    let open = async || {
        let limits = SessionLimits {
            max_bytes: u64::MAX >> 8,
            ..SessionLimits::default()
        };
        let world = WorldState {
            tree: tree.clone(),
            store: Arc::clone(store),
            seed: 7,
            clock: 1_769_936_400,
            profile: None,
            limits,
            scratch: ScratchSpace::plain(home),
        };
        let session = service.open(world).await.unwrap();
        let client = ToolClient::connect(&*session).await.unwrap();
        let sql = json!({ "sql": "SELECT count(*) FROM customers" });
        let arguments = sql.as_object().cloned().unwrap();
        let limit = Duration::from_secs(60);
        let output = client.call("execute_sql", arguments, limit).await.unwrap();
        assert_eq!(output.text(), "[{'count': 10000}]");
        (client, session)
    };
    // Builds the golden cluster.
    let (client, session) = open().await;
    client.close().await.unwrap();
    session.close().await.unwrap();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let (client, session) = open().await;
        times.push(began.elapsed());
        client.close().await.unwrap();
        session.close().await.unwrap();
    }
    times.sort();
    let opened = times[times.len() / 2];

    let maintenance = connect(cluster, "postgres").await;
    let template = median(ROUNDS, async |round| {
        let name = format!("copy{round}");
        let create = format!("CREATE DATABASE {name} TEMPLATE source STRATEGY file_copy");
        maintenance.batch_execute(&create).await.unwrap();
        let client = connect(cluster, &name).await;
        client
            .batch_execute("SELECT count(*) FROM customers")
            .await
            .unwrap();
    })
    .await;
    print(
        "session to its first query",
        opened,
        "CREATE DATABASE TEMPLATE",
        template,
    );
}

/// Returns the median time of several runs.
async fn median(rounds: usize, mut run: impl AsyncFnMut(usize)) -> Duration {
    let mut times = Vec::new();
    for round in 0..rounds {
        let began = Instant::now();
        run(round).await;
        times.push(began.elapsed());
    }
    times.sort();
    times[rounds / 2]
}

fn print(subject: &str, time: Duration, other: &str, other_time: Duration) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (time, other_time) = (milliseconds(time), milliseconds(other_time));
    println!(
        "{subject:<28}{time:>10.0} ms, {:.2} x {other} ({other_time:.0} ms)",
        time / other_time
    );
}
