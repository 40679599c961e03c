//! Client of the simple query protocol, as psycopg uses it for statements without parameters.
//!
//! `tokio-postgres` has an interface for simple queries, but it hides the types of the columns, which decide how Python
//! prints a value, and the positions of errors in the form in which libpq reports them. So this module reads the
//! messages of the protocol itself.

mod connection;
mod message;
mod startup;

pub(crate) use connection::{Connection, Ignored, Parameters, QueryError, Sink, Transaction};
pub(crate) use message::{Column, RowValues, ServerError};
