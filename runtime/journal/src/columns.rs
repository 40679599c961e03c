//! Sequential access to the columns of a row.

use mcpmark_snapshot::{Digest, DigestOf, InvalidDigest};
use rusqlite::Row;
use rusqlite::types::FromSql;

use super::JournalError;

/// Iterator over the columns of a row, in the order of the query. With very many rows, looking up each column by name
/// takes longer than the query.
pub(super) struct Columns<'a, 'b> {
    row: &'a Row<'b>,
    next: usize,
}

impl<'a, 'b> Columns<'a, 'b> {
    pub(super) fn of(row: &'a Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    /// Skips columns.
    pub(super) fn skip(&mut self, count: usize) {
        self.next += count;
    }

    pub(super) fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// Returns a column with a digest. `place` describes the row.
    pub(super) fn digest<T: ?Sized>(
        &mut self,
        place: impl FnOnce() -> String,
        column: &'static str,
    ) -> Result<DigestOf<T>, JournalError> {
        let text: String = self.next()?;
        named(text.parse(), place, column)
    }

    /// Returns a column with a digest or null. `place` describes the row.
    pub(super) fn optional_digest<T: ?Sized>(
        &mut self,
        place: impl FnOnce() -> String,
        column: &'static str,
    ) -> Result<Option<DigestOf<T>>, JournalError> {
        let text: Option<String> = self.next()?;
        text.map(|text| named(text.parse(), place, column))
            .transpose()
    }

    /// Returns a column with a digest in hexadecimal, without its prefix, or null. `place` describes the row.
    pub(super) fn optional_hex_digest(
        &mut self,
        place: impl FnOnce() -> String,
        column: &'static str,
    ) -> Result<Option<Digest>, JournalError> {
        let text: Option<String> = self.next()?;
        text.map(|text| named(Digest::from_hex(&text), place, column))
            .transpose()
    }
}

/// Adds the row and the column to the error of a digest.
fn named<T>(
    parsed: Result<T, InvalidDigest>,
    place: impl FnOnce() -> String,
    column: &'static str,
) -> Result<T, JournalError> {
    parsed.map_err(|source| JournalError::InvalidDigest {
        row: place(),
        column,
        source,
    })
}
