//! SQL on the states of database worlds, for verifiers.
//!
//! [`START`] and [`FINAL`] are the databases of the two states. [`Database::query`] reads one of them, and
//! [`Database::scratch`] runs statements of several sessions in a throw-away copy. Both return errors of the database as
//! values with their SQLSTATE.
//!
//! A verifier names this crate beside `mcpmark-guest` in its manifest:
//!
//! ```no_run
//! use mcpmark_guest_sql::{FINAL, params};
//!
//! # fn checks() -> Result<bool, mcpmark_guest_sql::Error> {
//! let late = FINAL.query(
//!     "SELECT id, days FROM public.loans WHERE days > $1 ORDER BY id",
//!     params![30],
//! )?;
//! let days: Vec<i64> = late.column("days").expect("days are numbers");
//!
//! let mut copy = FINAL.scratch();
//! copy.login("desk", "librarian");
//! let twice = copy.execute("desk", "INSERT INTO loans (id, days) VALUES ($1, 1)", params![1]);
//! let results = copy.run();
//! let is_refused = results.error(twice).is_some_and(|error| error.code == "23505");
//! # Ok(is_refused && days.is_empty())
//! # }
//! ```

#![allow(
    clippy::result_large_err,
    reason = "an error has 96 bytes on the target of guests, and its parts are easier to read without a box"
)]

mod bindings;
mod database;
mod error;
mod rows;
mod scratch;
mod values;

pub use crate::bindings::mcpmark::sql::database::{Column, Value};
pub use crate::database::{Database, FINAL, START};
pub use crate::error::Error;
pub use crate::rows::{Row, RowError, Rows};
pub use crate::scratch::{Results, Scratch, StepId};
pub use crate::values::{FromValue, ToValue};
