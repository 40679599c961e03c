//! Sequential access to the columns of a row.

use mcpmark_snapshot::{Digest, DigestOf, InvalidDigest};
use rusqlite::Row;
use rusqlite::types::FromSql;
use serde::de::DeserializeOwned;

use super::{JournalError, words};

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

    /// Returns a column with a word of an enum. `place` describes the row.
    pub(super) fn word<T: DeserializeOwned>(
        &mut self,
        place: impl FnOnce() -> String,
        column: &'static str,
    ) -> Result<T, JournalError> {
        self.next += 1;
        word_at(self.row, self.next - 1, place, column)
    }

    /// Returns a column with a word of an enum or null. `place` describes the row.
    pub(super) fn optional_word<T: DeserializeOwned>(
        &mut self,
        place: impl FnOnce() -> String,
        column: &'static str,
    ) -> Result<Option<T>, JournalError> {
        self.next += 1;
        optional_word(self.row, self.next - 1, place, column)
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

/// Returns the column `index` of a row, which has a word of an enum. `place` describes the row.
pub(super) fn word_at<T: DeserializeOwned>(
    row: &Row<'_>,
    index: usize,
    place: impl FnOnce() -> String,
    column: &'static str,
) -> Result<T, JournalError> {
    let text = row.get_ref(index)?.as_str();
    word(text.map_err(rusqlite::Error::from)?, place, column)
}

/// Returns the column `index` of a row, which has a word of an enum or null. `place` describes the row.
pub(super) fn optional_word<T: DeserializeOwned>(
    row: &Row<'_>,
    index: usize,
    place: impl FnOnce() -> String,
    column: &'static str,
) -> Result<Option<T>, JournalError> {
    let text = row.get_ref(index)?.as_str_or_null();
    let text = text.map_err(rusqlite::Error::from)?;
    text.map(|text| word(text, place, column)).transpose()
}

/// Parses a word of an enum. The error names the row and the column.
pub(super) fn word<T: DeserializeOwned>(
    text: &str,
    place: impl FnOnce() -> String,
    column: &'static str,
) -> Result<T, JournalError> {
    words::parse(text).map_err(|source| JournalError::InvalidWord {
        row: place(),
        column,
        source,
    })
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
