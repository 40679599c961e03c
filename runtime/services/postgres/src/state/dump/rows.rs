//! Rows of tables, values of sequences, and large objects.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};

use futures_util::StreamExt;
use mcpmark_snapshot::TreePath;
use tokio_postgres::{Client, Row};

use super::put;
use crate::state::csv;
use crate::state::error::DumpError;
use crate::state::files::Sink;
use crate::state::{PINNED, paths};

const ROWS: &str = include_str!("../queries/rows.sql");
const SEQUENCES: &str = include_str!("../queries/sequence_values.sql");

/// Size in bytes up to which a file is kept in memory before it is written.
const IN_MEMORY: usize = 4 << 20;
/// Number of bytes of a large object that are read at once.
const CHUNK: i32 = 4 << 20;

/// Makes the role that reads rows, with a name that no other role has. The rollback of the dump removes it.
const READER: &str = "SELECT 'mcpmark_reader_' || pg_backend_pid() || '_' || n FROM generate_series(0, (SELECT count(*) \
     FROM pg_authid)) n WHERE NOT EXISTS (SELECT FROM pg_authid WHERE rolname = 'mcpmark_reader_' || \
     pg_backend_pid() || '_' || n) LIMIT 1";

/// Undoes what functions of the database have set.
const RESET: &str = "SET LOCAL ROLE NONE; SET LOCAL SESSION AUTHORIZATION DEFAULT;";

/// Writes the rows of all tables and materialised views. Afterwards the transaction is read-only.
///
/// To plan a query on a table, the server evaluates the expressions of the indexes and statistics of the table, so it
/// calls functions that the owner of the table wrote. That must happen neither as a superuser nor in a transaction that
/// can change what is read later. So each relation is read by a function that runs with the rights of a role that can
/// read everything and nothing else. Within such a function, the server refuses to change the role.
pub(super) async fn tables(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    let rows = client
        .query(ROWS, &[])
        .await
        .map_err(DumpError::server("list the tables"))?;
    let prepare = || DumpError::server("prepare the reading of rows");
    let reader: String = client
        .query_one(READER, &[])
        .await
        .map_err(prepare())?
        .get(0);
    let mut statements =
        format!("CREATE ROLE {reader} NOLOGIN BYPASSRLS; GRANT pg_read_all_data TO {reader};");
    let mut relations = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let (schema, name): (String, String) = (row.get(0), row.get(1));
        let function = format!("pg_temp.rows_{number}()");
        let body = query(row).replace('\'', "''");
        statements.push_str(&format!(
            "CREATE FUNCTION {function} RETURNS SETOF record LANGUAGE sql SECURITY DEFINER AS '{body}';\
             ALTER FUNCTION {function} OWNER TO {reader};"
        ));
        let columns: Vec<String> = row.get(7);
        let read = if columns.is_empty() {
            format!("SELECT FROM {function} AS r(n pg_catalog.int4)")
        } else {
            format!("SELECT * FROM {function} AS r({})", columns.join(", "))
        };
        relations.push((paths::path(&["data", &schema, &name], "csv")?, read));
    }
    statements.push_str("SET LOCAL transaction_read_only = on");
    client.batch_execute(&statements).await.map_err(prepare())?;
    for (path, read) in relations {
        client
            .batch_execute(&format!("{RESET}{PINNED}"))
            .await
            .map_err(prepare())?;
        copy(client, &read, &path, sink).await?;
    }
    Ok(())
}

/// Returns the query of the rows of a relation. A relation without columns has a number in each row.
fn query(row: &Row) -> String {
    let relation: String = row.get(2);
    let materialised: bool = row.get(3);
    let condition: Option<String> = row.get(4);
    let (mut columns, order): (Vec<String>, Vec<String>) = (row.get(5), row.get(6));
    if columns.is_empty() {
        columns.push("1".to_owned());
    }
    let mut query = format!(
        "SELECT {} FROM {}{relation} {}",
        columns.join(", "),
        if materialised { "" } else { "ONLY " },
        condition.unwrap_or_default(),
    );
    if !order.is_empty() {
        query.push_str(" ORDER BY ");
        query.push_str(&order.join(", "));
    }
    query
}

async fn copy(
    client: &Client,
    query: &str,
    path: &TreePath,
    sink: &mut dyn Sink,
) -> Result<(), DumpError> {
    let doing = || DumpError::server(format!("read the rows of {path}"));
    let copy = format!("COPY ({query}) TO STDOUT (FORMAT csv, HEADER)");
    let stream = client.copy_out(&copy).await.map_err(doing())?;
    let mut stream = std::pin::pin!(stream);
    let mut spool = Spool::default();
    let failed = |source| DumpError::Write {
        path: path.clone(),
        source,
    };
    while let Some(chunk) = stream.next().await {
        spool
            .write(&chunk.map_err(doing())?, sink)
            .map_err(failed)?;
    }
    spool.into_sink(path, sink).map_err(failed)
}

/// Bytes that are collected in memory, and in a temporary file if they are many.
#[derive(Default)]
struct Spool {
    memory: Vec<u8>,
    file: Option<std::fs::File>,
    length: u64,
}

impl Spool {
    /// Adds bytes, unless `sink` would not take so many.
    fn write(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<()> {
        self.length += bytes.len() as u64;
        sink.check(self.length)?;
        self.memory.extend_from_slice(bytes);
        if self.memory.len() < IN_MEMORY {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.memory)?;
        self.memory.clear();
        Ok(())
    }

    fn into_sink(self, path: &TreePath, sink: &mut dyn Sink) -> io::Result<()> {
        let mut memory = self.memory.as_slice();
        match self.file {
            None => sink.put(path, &mut memory),
            Some(mut file) => {
                file.rewind()?;
                sink.put(path, &mut file.chain(memory))
            }
        }
    }
}

/// Writes the values of the sequences of each schema.
pub(super) async fn sequence_values(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    let doing = || DumpError::server("read the values of sequences");
    let mut schemas: BTreeMap<String, String> = BTreeMap::new();
    for row in client.query(SEQUENCES, &[]).await.map_err(doing())? {
        let (schema, name, relation): (String, String, String) =
            (row.get(0), row.get(1), row.get(2));
        let query = format!("SELECT last_value, is_called FROM {relation}");
        let value = client.query_one(&query, &[]).await.map_err(doing())?;
        let (last, called): (i64, bool) = (value.get(0), value.get(1));
        let lines = schemas
            .entry(schema)
            .or_insert_with(|| "sequence,last_value,is_called\n".to_owned());
        let fields = [Some(name), Some(last.to_string()), Some(called.to_string())];
        lines.push_str(&csv::record(&fields));
    }
    for (schema, lines) in schemas {
        let path = paths::path(&["schemas", &schema, "sequence-values"], "csv")?;
        put(sink, &path, lines.as_bytes())?;
    }
    Ok(())
}

/// Writes the bytes of all large objects.
pub(super) async fn large_objects(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    let doing = || DumpError::server("read the large objects");
    let list = "SELECT oid FROM pg_catalog.pg_largeobject_metadata ORDER BY oid";
    for row in client.query(list, &[]).await.map_err(doing())? {
        let oid: u32 = row.get(0);
        let path = TreePath::root().join(&format!("large-objects/{oid}"))?;
        let failed = |source| DumpError::Write {
            path: path.clone(),
            source,
        };
        let (mut spool, mut offset) = (Spool::default(), 0_i64);
        loop {
            let row = client
                .query_one(
                    "SELECT pg_catalog.lo_get($1, $2, $3)",
                    &[&oid, &offset, &CHUNK],
                )
                .await
                .map_err(doing())?;
            let bytes: Vec<u8> = row.get(0);
            if bytes.is_empty() {
                break;
            }
            offset += bytes.len() as i64;
            spool.write(&bytes, sink).map_err(failed)?;
        }
        spool.into_sink(&path, sink).map_err(failed)?;
    }
    Ok(())
}
