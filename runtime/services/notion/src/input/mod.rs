//! Parsing and validation of requests.

mod block;
mod field;
mod schema;
mod text;
mod value;

pub(crate) use block::{NewBlock, children, misplaced, update, wrong_width};
pub(crate) use field::{Field, either};
pub(crate) use schema::{NewConfig, NewOption, SchemaChange, changed_schema, new_schema};
pub(crate) use text::{MAX_ITEMS, cover, icon, rich_text};
pub(crate) use value::{NewValue, OptionRef, value};
