//! Filters and sorts of rows.

mod condition;
mod filter;
mod sort;

pub(crate) use filter::Filter;
pub(crate) use sort::Sorts;
