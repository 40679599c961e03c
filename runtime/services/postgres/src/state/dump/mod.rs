//! Dump of a database to its canonical form.

mod rows;
mod views;

use std::collections::BTreeMap;

use mcpmark_snapshot::{Store, Tree, TreePath};
use tokio_postgres::Client;

use super::error::{DumpError, Unsupported};
use super::files::{Files, Sink, StoreSink};
use super::{FORMAT, PINNED, paths, sql};

const HELPERS: &str = include_str!("../queries/helpers.sql");
const UNSUPPORTED: &str = include_str!("../queries/unsupported.sql");

/// Disables the event triggers of the database in the transaction of the dump, because they would run when the helpers
/// are created. The query of event triggers reads their true states from the setting.
const DISABLE_EVENT_TRIGGERS: &str = "
SELECT set_config('mcpmark.event_triggers', coalesce(jsonb_object_agg(oid, evtenabled), '{}')::text, true)
    FROM pg_event_trigger;
UPDATE pg_event_trigger SET evtenabled = 'D' WHERE evtenabled <> 'D';
";

/// Queries whose rows are a path and a statement of that file. Statements of one file are in the order of the queries.
const DEFINITIONS: [(&str, &str); 19] = [
    ("roles", include_str!("../queries/roles.sql")),
    ("the database", include_str!("../queries/database.sql")),
    ("schemas", include_str!("../queries/schemas.sql")),
    ("extensions", include_str!("../queries/extensions.sql")),
    ("types", include_str!("../queries/types.sql")),
    ("collations", include_str!("../queries/collations.sql")),
    ("sequences", include_str!("../queries/sequences.sql")),
    ("tables", include_str!("../queries/tables.sql")),
    ("functions", include_str!("../queries/functions.sql")),
    ("operators", include_str!("../queries/operators.sql")),
    ("constraints", include_str!("../queries/constraints.sql")),
    ("indexes", include_str!("../queries/indexes.sql")),
    ("statistics", include_str!("../queries/statistics.sql")),
    ("rules", include_str!("../queries/rules.sql")),
    ("triggers", include_str!("../queries/triggers.sql")),
    ("policies", include_str!("../queries/policies.sql")),
    ("privileges", include_str!("../queries/grants.sql")),
    (
        "default privileges",
        include_str!("../queries/default_privileges.sql"),
    ),
    (
        "large objects",
        include_str!("../queries/large_objects.sql"),
    ),
];

/// Queries of definitions that follow those of views.
const LAST_DEFINITIONS: [(&str, &str); 3] = [
    ("comments", include_str!("../queries/comments.sql")),
    ("publications", include_str!("../queries/publications.sql")),
    (
        "event triggers",
        include_str!("../queries/event_triggers.sql"),
    ),
];

/// Statements by file, in their order in the file.
type Definitions = BTreeMap<TreePath, Vec<String>>;

/// Writes the roles of the cluster and the database of the connection to `sink`.
///
/// The connection must be one of the bootstrap superuser, without an open transaction. The dump reads one snapshot of
/// the database, and changes nothing.
///
/// # Errors
///
/// Returns [`DumpError::Unsupported`] if the state cannot represent an object of the database, and other errors if the
/// server or the sink fails.
pub async fn dump(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    client
        .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE")
        .await
        .map_err(DumpError::server("begin a transaction"))?;
    let dumped = dump_snapshot(client, sink).await;
    // The transaction created temporary helpers, which the rollback removes.
    let ended = client.batch_execute("ROLLBACK").await;
    dumped?;
    ended.map_err(DumpError::server("end the transaction"))
}

/// Returns the state of the database of the connection, in memory. See [`dump`].
///
/// # Errors
///
/// See [`dump`].
pub async fn dump_files(client: &Client) -> Result<Files, DumpError> {
    let mut files = Files::new();
    dump(client, &mut files).await?;
    Ok(files)
}

/// Stores the state of the database of the connection and returns its tree. See [`dump`].
///
/// # Errors
///
/// See [`dump`].
pub async fn dump_tree(client: &Client, store: &Store) -> Result<Tree, DumpError> {
    let mut sink = StoreSink::new(store);
    dump(client, &mut sink).await?;
    Ok(sink.finish()?)
}

async fn dump_snapshot(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    let prepare = format!("{PINNED}{DISABLE_EVENT_TRIGGERS}{HELPERS}");
    client
        .batch_execute(&prepare)
        .await
        .map_err(DumpError::server("prepare the dump"))?;
    refuse_unsupported(client).await?;

    put(sink, &TreePath::root().join("format")?, FORMAT.as_bytes())?;
    let mut definitions = Definitions::new();
    for (subject, query) in DEFINITIONS {
        collect(client, subject, query, &mut definitions).await?;
    }
    views::collect(client, &mut definitions).await?;
    for (subject, query) in LAST_DEFINITIONS {
        collect(client, subject, query, &mut definitions).await?;
    }
    for (path, statements) in &definitions {
        put(sink, path, join(statements).as_bytes())?;
    }
    rows::sequence_values(client, sink).await?;
    // Before functions of the database can run: in version 15, they can change large objects even in a read-only
    // transaction.
    rows::large_objects(client, sink).await?;
    rows::tables(client, sink).await
}

async fn refuse_unsupported(client: &Client) -> Result<(), DumpError> {
    let rows = client
        .query(UNSUPPORTED, &[])
        .await
        .map_err(DumpError::server("list the objects of the database"))?;
    if rows.is_empty() {
        return Ok(());
    }
    let objects = rows.iter().map(|row| Unsupported {
        object: row.get(0),
        reason: row.get(1),
    });
    Err(DumpError::Unsupported {
        objects: objects.collect(),
    })
}

async fn collect(
    client: &Client,
    subject: &str,
    query: &str,
    definitions: &mut Definitions,
) -> Result<(), DumpError> {
    let rows = client
        .query(query, &[])
        .await
        .map_err(DumpError::server(format!(
            "read the definitions of {subject}"
        )))?;
    for row in rows {
        let parts: Vec<String> = row.get(0);
        let statement: Option<String> = row.get(1);
        add(definitions, &parts, statement)?;
    }
    Ok(())
}

fn add(
    definitions: &mut Definitions,
    parts: &[String],
    statement: Option<String>,
) -> Result<(), DumpError> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let path = paths::path(&parts, "sql")?;
    let Some(statement) = statement else {
        let path = path.to_string();
        return Err(DumpError::NoDefinition { path });
    };
    let statement = sql::canonical_quotes(&statement);
    definitions.entry(path).or_default().push(statement);
    Ok(())
}

/// Joins statements to the text of a file. A statement of several lines is surrounded by blank lines.
fn join(statements: &[String]) -> String {
    let mut text = String::new();
    let mut after_long = false;
    for (at, statement) in statements.iter().enumerate() {
        let long = statement.contains('\n');
        if at > 0 && (long || after_long) {
            text.push('\n');
        }
        text.push_str(statement);
        text.push('\n');
        after_long = long;
    }
    text
}

fn put(sink: &mut dyn Sink, path: &TreePath, mut content: &[u8]) -> Result<(), DumpError> {
    sink.put(path, &mut content)
        .map_err(|source| DumpError::Write {
            path: path.clone(),
            source,
        })
}
