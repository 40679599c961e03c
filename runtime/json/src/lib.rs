//! Canonical JSON, and JSON parsing that rejects duplicate keys.

mod canonical;
mod unique;

pub use canonical::canonical;
pub use unique::{Unique, from_unique};
