//! HTTP client, retry delays, addresses, and redaction of secrets.
//!
//! A [`Secret`] is a key that is never displayed. [`Secrets`] redacts keys in responses, also in escaped or encoded
//! form. An [`Address`] reports whether its host is this machine, and whether traffic to it is unencrypted. [`client`]
//! creates the client for model providers and external servers.
//!
//! ```
//! use mcpmark_http::{Address, Secret};
//!
//! assert!(Address::parse("http://127.0.0.1:8080/v1")?.is_local());
//! assert!(Address::parse("http://example.org/mcp")?.is_unencrypted());
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
