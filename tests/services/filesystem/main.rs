//! Tests of the filesystem tools through an MCP client.

mod bulk;
mod copies;
mod hostile;
mod limits;
mod listing;
mod profiles;
mod races;
mod reading;
mod session;
mod support;
mod unchanged;
mod writing;
