//! Models behind one interface: providers, settings, usage, prices.
//!
//! A [`ModelSpec`] names a model as `provider/name` with its [`ModelSettings`]. [`Usage`] counts
//! what a request took, and [`Prices`] say what that [`Cost`]s.
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

mod price;
mod settings;
mod usage;

pub use crate::price::{Price, PriceError, PriceRow, Prices};
pub use crate::settings::{Effort, ModelSettings, ModelSpec};
pub use crate::usage::{Cost, NoAmount, Usage};
