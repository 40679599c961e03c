//! Rows of tables, values of sequences, and large objects.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};

use futures_util::StreamExt;
use mcpmark_snapshot::TreePath;
use tokio_postgres::Client;

use super::put;
use crate::state::csv;
use crate::state::error::DumpError;
use crate::state::files::Sink;
use crate::state::paths;

const ROWS: &str = include_str!("../queries/rows.sql");
const SEQUENCES: &str = include_str!("../queries/sequence_values.sql");

/// Size in bytes up to which a file is kept in memory before it is written.
const IN_MEMORY: usize = 4 << 20;
/// Number of bytes of a large object that are read at once.
const CHUNK: i32 = 4 << 20;

/// Writes the rows of all tables and materialised views.
pub(super) async fn tables(client: &Client, sink: &mut dyn Sink) -> Result<(), DumpError> {
    let rows = client
        .query(ROWS, &[])
        .await
        .map_err(DumpError::server("list the tables"))?;
    for row in rows {
        let (schema, name, relation): (String, String, String) =
            (row.get(0), row.get(1), row.get(2));
        let materialised: bool = row.get(3);
        let condition: Option<String> = row.get(4);
        let (columns, order): (Vec<String>, Vec<String>) = (row.get(5), row.get(6));
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
        let path = paths::path(&["data", &schema, &name], "csv")?;
        copy(client, &query, &path, sink).await?;
    }
    Ok(())
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
        spool.write(&chunk.map_err(doing())?).map_err(failed)?;
    }
    spool.into_sink(path, sink).map_err(failed)
}

/// Bytes that are collected in memory, and in a temporary file if they are many.
#[derive(Default)]
struct Spool {
    memory: Vec<u8>,
    file: Option<std::fs::File>,
}

impl Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
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
            spool.write(&bytes).map_err(failed)?;
        }
        spool.into_sink(&path, sink).map_err(failed)?;
    }
    Ok(())
}
