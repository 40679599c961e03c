//! Models of several providers behind one interface, with settings, usage and prices.
//!
//! A [`ModelSpec`] names a model as `provider/name`, with its [`ModelSettings`]. An opened [`Model`] takes a
//! [`Conversation`] and returns an [`Answer`] or an [`RequestError`]. [`Usage`] counts the tokens of a request, and
//! [`Prices`] give its [`Cost`].
//!
//! ```
//! use mcpmark_model::{Cost, Prices, Usage};
//!
//! let prices = Prices::parse("a/b,2.50,0.25,10", "mine")?;
//! let usage = Usage { input: 1000, cached: 400, output: 100, reasoning: 0 };
//! let cost = prices.cost("a/b", usage).unwrap();
//! assert_eq!(cost, Cost::from_usd("0.0026").unwrap());
//! assert_eq!(prices.cost("a/unknown", usage), None);
//! # Ok::<(), mcpmark_model::PriceError>(())
//! ```

mod additions;
mod chat;
mod conversation;
mod cut;
mod error;
mod http;
mod model;
mod price;
mod provider;
mod retry;
mod said;
mod settings;
mod transcript;
mod usage;

pub use crate::conversation::{Answer, AskedCall, CallResult, Conversation, Finish};
pub use crate::cut::MiddleCut;
pub use crate::error::{OpenError, RequestError, RequestErrorKind};
pub use crate::model::{Model, ModelExchange, REQUEST_TIME, ToolSpec};
pub use crate::price::{Price, PriceError, PriceRow, Prices};
pub use crate::provider::Provider;
pub use crate::settings::{Api, Effort, ModelSettings, ModelSpec, Pace};
pub use crate::transcript::Transcript;
pub use crate::usage::{Cost, NoAmount, Usage, decimals};
pub use mcpmark_http::Secret;
