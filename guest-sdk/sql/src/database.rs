//! Databases of the two states.

use crate::bindings::mcpmark::sql::database::{self, Tree};
use crate::rows::Rows;
use crate::{Error, Scratch, Value};

/// Database of one of the two states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Database(Tree);

/// Database as the agent found it.
pub const START: Database = Database(Tree::Start);

/// Database as the agent left it.
pub const FINAL: Database = Database(Tree::Final);

impl Database {
    /// Runs one statement that reads, as a superuser in a read-only transaction. [`params!`](crate::params) makes the
    /// values of `$1`, `$2` and so on. Names need their schema, such as `public.items`, and an order needs `ORDER BY`.
    ///
    /// # Errors
    ///
    /// Returns the error of the database.
    pub fn query(self, text: &str, parameters: Vec<Value>) -> Result<Rows, Error> {
        database::query(self.0, text, &parameters)
            .map(Rows::new)
            .map_err(Error::from)
    }

    /// Begins a list of steps in a throw-away copy of the database.
    #[must_use]
    pub fn scratch(self) -> Scratch {
        Scratch::new(self.0)
    }
}
