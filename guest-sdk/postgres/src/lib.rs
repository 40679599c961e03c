//! Typed views of the state of a PostgreSQL world, for verifiers.
//!
//! A [`Database`] reads the files of a state: rows of tables, columns, constraints, indexes, other definitions, roles
//! and privileges. Values that cannot be read are [`Found`](mcpmark_guest::Found) without a value, so that a check on
//! them fails. [`Expected`] is a table with the rows that it should have. Its comparison names the row and the column of
//! the first difference:
//!
//! ```
//! use mcpmark_guest::Verifier;
//! use mcpmark_guest::testing::{self, MemoryTree};
//! use mcpmark_guest_postgres::{Database, RowsExt};
//!
//! fn verify(task: &mut Verifier) {
//!     let (start, end) = (Database::of(task.start()), Database::of(task.end()));
//!     let mut expected = start.rows("orders").required().expected(["id"]);
//!     expected.set(["2"], "paid", Some("t"));
//!     task.check("the orders", end.rows("orders").equal(&expected));
//!     task.unchanged_except(["data/public/orders.csv"]);
//! }
//!
//! let start = MemoryTree::from([("data/public/orders.csv", "id,paid\n1,t\n2,f\n")]);
//! let checks = testing::verify(verify, &start, &start, None);
//! assert_eq!(
//!     checks[0].detail,
//!     r#"data/public/orders.csv: row with id "2", column paid: expected "t", found "f""#
//! );
//! ```

mod access;
mod database;
mod definitions;
mod expected;
mod rows;
mod sql;

pub use access::{Grant, Membership};
pub use database::Database;
pub use definitions::{Column, Constraint, ConstraintKind, Index};
pub use expected::{Expected, RowsExt};
pub use rows::{Record, Rows};
pub use sql::{Token, normalized, statements, tokens};
