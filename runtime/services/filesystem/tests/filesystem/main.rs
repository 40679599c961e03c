//! The tools as an agent meets them: through an MCP client.

mod hostile;
mod limits;
mod listing;
mod reading;
mod session;
mod support;
mod writing;
