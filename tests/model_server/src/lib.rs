//! Scripted model server on loopback, for tests.
//!
//! A [`Server`] implements OpenAI's Chat Completions and Responses and Anthropic's Messages. Its replies come from a
//! [`Script`], a function from a [`Request`] to a [`Reaction`]. [`Conduct`] is a set of good and bad behaviours, and
//! [`Solutions`] contains the calls that solve tasks.
//!
//! ```
//! use mcpmark_model_server::{Reaction, Server};
//!
//! let server = Server::start(|_| Reaction::say("Done.")).unwrap();
//! assert!(server.base_url().starts_with("http://127.0.0.1:"));
//! ```

mod conduct;
mod http;
mod wire;

pub use crate::conduct::{Conduct, Solutions, chance};
pub use crate::http::Server;
pub use crate::wire::{Api, Reaction, Request, Saying};

/// Function that determines the reaction to a request.
pub type Script = dyn Fn(&Request) -> Reaction + Send + Sync;
