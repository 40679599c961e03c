//! Enhanced Markdown, in which pages are read and written since version 2026-03-11 (documentation: enhanced Markdown).
//!
//! Children of a block are indented by one tab more than the block. Blocks without a form in Markdown are tags that
//! name them, so that a text that contains the tag keeps the block.

mod inline;
mod parse;
mod print;
mod spans;
mod tree;

pub(crate) use self::parse::parse;
pub(crate) use self::print::{print, print_one};
pub(crate) use self::tree::{Content, Item, children, opaque};

use crate::model::Id;

/// Returns the address of an object in tags.
fn address(id: Id) -> String {
    format!("https://www.notion.so/{}", id.simple())
}

/// Returns the id at the end of an address.
fn id_of(address: &str) -> Option<Id> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    Id::parse(last).or_else(|| Id::parse(last.get(last.len().checked_sub(32)?..)?))
}
