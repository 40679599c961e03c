//! What goes over HTTP to others: keys, the addresses they may be sent to, the client.
//!
//! A [`Secret`] is a key that is shown nowhere, and [`Secrets`] are taken out of what comes back, also where it
//! is escaped or recoded. An [`Address`] says whether it is this machine,
//! and whether what is sent there can be read on the way. [`client`] makes the client that models
//! and servers of others are reached with.
//!
//! ```
//! use mcpmark_http::{Address, Secret};
//!
//! assert!(Address::parse("http://127.0.0.1:8080/v1")?.is_local());
//! assert!(Address::parse("http://example.org/mcp")?.is_readable());
//! assert_eq!(Secret::new("sk-123456").to_string(), "[redacted]");
//! # Ok::<(), mcpmark_http::BadAddress>(())
//! ```

mod address;
mod client;
mod escapes;
mod finder;
mod retry;
mod secret;
mod secrets;
mod variables;

pub use crate::address::{Address, BadAddress};
pub use crate::client::client;
pub use crate::retry::retry_after;
pub use crate::secret::Secret;
pub use crate::secrets::Secrets;
pub use crate::variables::may_be_secret;
