//! Objects of responses.

mod node;
mod property;
mod rollup;
mod schema;
mod source;
mod text;

pub(crate) use node::{block, comment, database, list, page, user};
pub(crate) use property::{live_relation, number, person, value};
pub(crate) use rollup::{Rolled, roll_up, roll_up_within};
pub(crate) use source::{data_source, page_or_database};
pub(crate) use text::rich_text_piece;
