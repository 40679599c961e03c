//! JSON that has one form, and JSON in which no key stands twice.

mod canonical;
mod unique;

pub use canonical::canonical;
pub use unique::{Unique, from_unique};
