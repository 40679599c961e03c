//! Sequential access to the columns of a row.

use rusqlite::Row;
use rusqlite::types::FromSql;

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
}
