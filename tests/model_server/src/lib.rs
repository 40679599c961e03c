//! A scripted model server on loopback, for tests.
//!
//! A [`Server`] speaks OpenAI's Chat Completions and Responses and Anthropic's Messages. What it
//! replies is a [`Script`]: a function from a [`Request`] to a [`Reaction`]. [`Conduct`] is a
//! repertoire of them, good and bad, and [`Solutions`] know the calls that solve tasks.
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

/// What a server replies.
pub type Script = dyn Fn(&Request) -> Reaction + Send + Sync;
