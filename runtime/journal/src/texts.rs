//! Compressed, deduplicated storage of the long strings in JSON columns.
//!
//! A tool result often contains its text twice (`content` and `structuredContent`), a provider's reply repeats the
//! message that was parsed from it, and attempts at the same task read the same files. A string of [`LONG`] bytes or
//! more in one of the [`COLUMNS`] is therefore stored once, in the table `texts`, under the SHA-256 of its JSON literal
//! and compressed with zstd. The column contains a reference in its place: `{"mcpmark:text":"<digest>"}`. All other
//! parts of the JSON stay as they are, so that SQL can still read them.
//!
//! Strings are replaced in the JSON text, without parsing its numbers, so that reading a column returns exactly the
//! bytes that were written. An object key that starts like the one of a reference gets a `+` at its end, which reading
//! removes: JSON from servers and models cannot contain a reference.

mod compact;
mod json;

use std::io::Read;

use mcpmark_snapshot::Digest;
use rusqlite::{Connection, OptionalExtension, params};

pub use self::compact::Compacted;
use super::JournalError;

/// Columns whose long strings are stored in `texts`.
pub(super) const COLUMNS: [(&str, &str); 4] = [
    ("messages", "content"),
    ("tool_calls", "arguments"),
    ("tool_calls", "result"),
    ("model_calls", "raw"),
];

/// Minimum length of a string that is stored in `texts`, in bytes of its literal. A shorter one takes about as much
/// space as its reference and its row.
const LONG: usize = 512;

/// Compression level of zstd. Higher levels take longer and save little.
const LEVEL: i32 = 3;

/// Maximum size of a decompressed string, in bytes. A tool result has at most 16 MiB.
const MAX_BYTES: u64 = 256 << 20;

/// Keys whose strings are never replaced, because [`SUMMARISE`](super::SUMMARISE) reads them.
const MALFORMED: &str = "malformed";
const TEXT: &str = "text";

/// Returns true if a column's long strings are stored in `texts`.
pub(super) fn is_packed(table: &str, column: &str) -> bool {
    COLUMNS.contains(&(table, column))
}

/// Returns a column's JSON with references in place of long strings, and stores the strings.
pub(super) fn pack(connection: &Connection, json: String) -> Result<String, JournalError> {
    // The text of an unreadable reply serves as that of a malformed call.
    let is_unreadable = json.contains("\"unreadable\":true");
    let inline: &[&str] = if is_unreadable {
        &[MALFORMED, TEXT]
    } else {
        &[MALFORMED]
    };
    let packed = json::replace(&json, LONG, inline, |literal| store(connection, literal))?;
    Ok(packed.unwrap_or(json))
}

/// Returns a column's JSON as it was before [`pack`].
pub(super) fn unpack(connection: &Connection, json: String) -> Result<String, JournalError> {
    let unpacked = json::restore(&json, |digest| load(connection, digest))?;
    Ok(unpacked.unwrap_or(json))
}

/// Stores a string literal if it does not exist yet, and returns its digest.
fn store(connection: &Connection, literal: &str) -> Result<String, JournalError> {
    let digest = Digest::of(literal.as_bytes()).hex();
    let mut query = connection.prepare_cached("SELECT 1 FROM texts WHERE digest = unhex(?1)")?;
    if !query.exists([&digest])? {
        let content =
            zstd::bulk::compress(literal.as_bytes(), LEVEL).map_err(JournalError::Pack)?;
        connection
            .prepare_cached("INSERT INTO texts (digest, content) VALUES (unhex(?1), ?2)")?
            .execute(params![digest, content])?;
    }
    Ok(digest)
}

/// Loads the string literal with the given digest.
fn load(connection: &Connection, digest: &str) -> Result<String, JournalError> {
    let mut query =
        connection.prepare_cached("SELECT content FROM texts WHERE digest = unhex(?1)")?;
    let content: Option<Vec<u8>> = query.query_row([digest], |row| row.get(0)).optional()?;
    content
        .and_then(|content| whole(&content, digest))
        .ok_or_else(|| JournalError::Damaged(format!("text {digest}")))
}

/// Decompresses a stored string; none if it does not match the digest.
fn whole(content: &[u8], digest: &str) -> Option<String> {
    let decoder = zstd::Decoder::with_buffer(content).ok()?;
    let mut literal = String::new();
    decoder.take(MAX_BYTES).read_to_string(&mut literal).ok()?;
    (Digest::of(literal.as_bytes()).hex() == digest).then_some(literal)
}

/// Returns the digests of stored strings that are damaged, and of missing strings that a column refers to.
pub(super) fn damaged(connection: &Connection) -> Result<Vec<String>, JournalError> {
    let mut damaged = Vec::new();
    let mut query = connection.prepare("SELECT lower(hex(digest)), content FROM texts")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let digest: String = row.get(0)?;
        if whole(row.get_ref(1)?.as_blob().unwrap_or_default(), &digest).is_none() {
            damaged.push(digest);
        }
    }
    let mut there = connection.prepare("SELECT 1 FROM texts WHERE digest = unhex(?1)")?;
    for digest in references(connection)? {
        if !there.exists([&digest])? {
            damaged.push(digest);
        }
    }
    Ok(damaged)
}

/// Returns all digests that a column refers to.
fn references(connection: &Connection) -> Result<std::collections::BTreeSet<String>, JournalError> {
    let mut digests = std::collections::BTreeSet::new();
    for (table, column) in COLUMNS {
        let mut query = connection.prepare(&format!(
            "SELECT {column} FROM {table} WHERE instr({column}, '{}') > 0",
            json::KEY
        ))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let Ok(text) = row.get_ref(0)?.as_str() else {
                continue;
            };
            let found = json::restore(text, |digest| {
                digests.insert(digest.to_owned());
                Ok::<_, JournalError>(String::new())
            });
            found.map(drop)?;
        }
    }
    Ok(digests)
}

#[cfg(test)]
mod tests;
