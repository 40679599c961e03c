//! The columns of a row, in the order of their query.

use rusqlite::Row;
use rusqlite::types::FromSql;

/// Gives one column after another: to look each up by its name takes longer than the query where
/// there are very many rows.
pub(super) struct Columns<'a, 'b> {
    row: &'a Row<'b>,
    next: usize,
}

impl<'a, 'b> Columns<'a, 'b> {
    pub(super) fn of(row: &'a Row<'b>) -> Self {
        Self { row, next: 0 }
    }

    /// Leaves columns out.
    pub(super) fn skip(&mut self, count: usize) {
        self.next += count;
    }

    pub(super) fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }
}
