//! Loading of rows, values of sequences, and large objects.

use std::io::{self, BufRead, BufReader, Read};

use bytes::Bytes;
use futures_util::SinkExt;
use tokio_postgres::Client;

use super::phases::{Content, Part};
use super::{RestoreError, describe};
use crate::state::csv;
use crate::state::files::Source;
use crate::state::sql::{identifier, literal};

/// Number of bytes that are sent at once.
const CHUNK: usize = 256 << 10;

/// Reason why rows were not loaded.
pub(super) enum Failure {
    /// The relation does not exist yet.
    MissingRelation(RestoreError),
    /// Another attempt would fail as well.
    Final(RestoreError),
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        Self::Final(error)
    }
}

/// Loads the content of a file.
pub(super) async fn load(client: &Client, source: &dyn Source, part: &Part) -> Result<(), Failure> {
    let file = source.open(&part.path).map_err(unreadable(part))?;
    match &part.content {
        Content::Statements => Ok(()),
        Content::Rows {
            schema,
            name,
            materialised,
        } => {
            let relation = format!("{}.{}", identifier(schema), identifier(name));
            rows(client, part, file, &relation, *materialised).await
        }
        Content::Sequences { schema } => sequences(client, part, file, schema).await,
        Content::LargeObject { oid } => large_object(client, part, file, *oid).await,
    }
}

fn unreadable(part: &Part) -> impl Fn(io::Error) -> RestoreError {
    let path = part.path.clone();
    move |source| RestoreError::Read {
        path: path.clone(),
        source,
    }
}

async fn rows(
    client: &Client,
    part: &Part,
    file: Box<dyn Read + Send + '_>,
    relation: &str,
    materialised: bool,
) -> Result<(), Failure> {
    let mut reader = BufReader::with_capacity(CHUNK, file);
    let (names, columns) = next_record(&mut reader).map_err(unreadable(part))?;
    let exists = client
        .query_one(
            "SELECT pg_catalog.to_regclass($1) IS NOT NULL",
            &[&relation],
        )
        .await
        .map_err(RestoreError::server("look up a relation"))?;
    if !exists.get::<_, bool>(0) {
        return Err(Failure::MissingRelation(RestoreError::Rejected {
            path: part.path.clone(),
            line: 1,
            message: format!("the relation {relation} does not exist"),
        }));
    }
    // The server copies no rows into a materialised view, and a refresh would compute other rows than those of the
    // state if the view was stale. Therefore it is a table while its rows are loaded.
    if materialised {
        set_class(client, relation, "relkind = 'r'").await?;
    }
    // With the names, the server counts lines as they are in the file.
    let mut file = names.as_slice().chain(reader);
    copy(client, part, &mut file, &columns, relation).await?;
    if materialised {
        set_class(client, relation, "relkind = 'm', relispopulated = true").await?;
    }
    Ok(())
}

async fn set_class(client: &Client, relation: &str, columns: &str) -> Result<(), RestoreError> {
    let update = format!(
        "UPDATE pg_catalog.pg_class SET {columns} WHERE oid = {}::pg_catalog.regclass",
        literal(relation)
    );
    client
        .batch_execute(&update)
        .await
        .map_err(RestoreError::server("load a materialised view"))
}

async fn copy(
    client: &Client,
    part: &Part,
    reader: &mut impl BufRead,
    columns: &[String],
    relation: &str,
) -> Result<(), RestoreError> {
    let columns: Vec<String> = columns.iter().map(|name| identifier(name)).collect();
    let list = if columns.is_empty() {
        String::new()
    } else {
        format!(" ({})", columns.join(", "))
    };
    let rejected = |error: tokio_postgres::Error| refused(part, &error);
    let statement = format!("COPY {relation}{list} FROM STDIN (FORMAT csv, HEADER)");
    let sink = client.copy_in(&statement).await.map_err(rejected)?;
    let mut sink = std::pin::pin!(sink);
    loop {
        let chunk = reader.fill_buf().map_err(unreadable(part))?;
        if chunk.is_empty() {
            break;
        }
        let (bytes, length) = (Bytes::copy_from_slice(chunk), chunk.len());
        reader.consume(length);
        sink.send(bytes).await.map_err(rejected)?;
    }
    sink.finish().await.map_err(rejected)?;
    Ok(())
}

/// Returns the error of a copy, with the line that the context of the message names.
fn refused(part: &Part, error: &tokio_postgres::Error) -> RestoreError {
    let context = error.as_db_error().and_then(|error| error.where_());
    let line = context.and_then(|context| {
        let number = &context[context.find(", line ")? + ", line ".len()..];
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        number[..end].parse::<usize>().ok()
    });
    RestoreError::Rejected {
        path: part.path.clone(),
        line: line.unwrap_or(1),
        message: describe(error),
    }
}

/// Reads the next record of a CSV file: its bytes and its fields. There are no fields in an empty line.
fn next_record(reader: &mut impl BufRead) -> io::Result<(Vec<u8>, Vec<String>)> {
    let bytes = csv::read_record(reader)?;
    if bytes.is_empty() || bytes == b"\n" {
        return Ok((bytes, Vec::new()));
    }
    let fields = csv::fields(&bytes)?.into_iter();
    Ok((bytes, fields.map(Option::unwrap_or_default).collect()))
}

async fn sequences(
    client: &Client,
    part: &Part,
    file: Box<dyn Read + Send + '_>,
    schema: &str,
) -> Result<(), Failure> {
    let mut reader = BufReader::new(file);
    let (names, _) = next_record(&mut reader).map_err(unreadable(part))?;
    let mut line = 1 + count_lines(&names);
    loop {
        let (bytes, fields) = next_record(&mut reader).map_err(unreadable(part))?;
        if bytes.is_empty() {
            return Ok(());
        }
        let rejected = |message: String| RestoreError::Rejected {
            path: part.path.clone(),
            line,
            message,
        };
        let [name, last, called] = fields.as_slice() else {
            let message = format!(
                "expected sequence,last_value,is_called, found {} fields",
                fields.len()
            );
            return Err(rejected(message).into());
        };
        let last: i64 = last
            .parse()
            .map_err(|_| rejected(format!("invalid value {last:?}")))?;
        let called: bool = called
            .parse()
            .map_err(|_| rejected(format!("expected true or false, found {called:?}")))?;
        let sequence = format!("{}.{}", identifier(schema), identifier(name));
        let set = format!(
            "SELECT pg_catalog.setval({}::pg_catalog.regclass, {last}, {called})",
            literal(&sequence)
        );
        client
            .batch_execute(&set)
            .await
            .map_err(|error| rejected(describe(&error)))?;
        line += count_lines(&bytes);
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

async fn large_object(
    client: &Client,
    part: &Part,
    mut file: Box<dyn Read + Send + '_>,
    oid: u32,
) -> Result<(), Failure> {
    let failed = |error: tokio_postgres::Error| refused(part, &error);
    client
        .query_one("SELECT pg_catalog.lo_create($1)", &[&oid])
        .await
        .map_err(failed)?;
    let (mut buffer, mut offset) = (vec![0; CHUNK], 0_i64);
    loop {
        let length = file.read(&mut buffer).map_err(unreadable(part))?;
        if length == 0 {
            return Ok(());
        }
        client
            .execute(
                "SELECT pg_catalog.lo_put($1, $2, $3)",
                &[&oid, &offset, &&buffer[..length]],
            )
            .await
            .map_err(failed)?;
        offset += length as i64;
    }
}
