//! Prices of models.

use serde::{Deserialize, Serialize};

use crate::{Cost, NoAmount, Usage};

/// Number of tokens that a price is for.
const PER: u128 = 1_000_000;

/// Price of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Price of tokens of the request, in nano-dollars.
    pub input: Cost,
    /// Price of cached tokens of the request, in nano-dollars.
    pub cached: Cost,
    /// Price of tokens of the reply, in nano-dollars.
    pub output: Cost,
}

impl Price {
    /// Returns the cost of a request, rounded half up to whole nano-dollars; `None` if it exceeds the range of
    /// [`Cost`].
    pub fn cost(&self, usage: Usage) -> Option<Cost> {
        let cached = usage.cached.min(usage.input);
        let parts = [
            (usage.input - cached, self.input),
            (cached, self.cached),
            (usage.output, self.output),
        ];
        let mut total: u128 = 0;
        for (tokens, price) in parts {
            let part = u128::from(tokens).checked_mul(u128::from(price.nano_usd()))?;
            total = total.checked_add(part)?;
        }
        let nano = total.checked_add(PER / 2)? / PER;
        u64::try_from(nano).ok().map(Cost::from_nano_usd)
    }
}

/// Price of one model, with its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceRow {
    /// Name of the model, as `provider/name`.
    pub model: String,
    /// Price of the model.
    #[serde(flatten)]
    pub price: Price,
    /// Source of the price.
    pub source: String,
}

/// Price table of models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(Vec<PriceRow>);

/// Error of parsing a price table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// Line without four fields, or without a provider in the name of the model.
    #[error("line {line}: expected `provider/name,input,cached,output`")]
    Form {
        /// Line number, from 1.
        line: usize,
    },
    /// Invalid price.
    #[error("line {line}: {source}")]
    Amount {
        /// Line number, from 1.
        line: usize,
        /// Error of parsing the price.
        source: NoAmount,
    },
    /// Duplicate model.
    #[error("line {line}: {model} already has a price")]
    Twice {
        /// Line number, from 1.
        line: usize,
        /// Name of the model.
        model: String,
    },
}

impl Prices {
    /// Parses a price table with one model per line, as `provider/name,input,cached,output` in US dollars per million
    /// tokens. Empty lines and lines that begin with `#` or `model,` are skipped. `source` is the source of the table.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid line.
    pub fn parse(text: &str, source: &str) -> Result<Self, PriceError> {
        let mut rows: Vec<PriceRow> = Vec::new();
        for (index, content) in text.lines().enumerate() {
            let (line, content) = (index + 1, content.trim());
            if content.is_empty() || content.starts_with('#') || content.starts_with("model,") {
                continue;
            }
            let parts: Vec<&str> = content.split(',').map(str::trim).collect();
            let [model, input, cached, output] = parts[..] else {
                return Err(PriceError::Form { line });
            };
            if !model.contains('/') {
                return Err(PriceError::Form { line });
            }
            let amount =
                |text| Cost::from_usd(text).map_err(|source| PriceError::Amount { line, source });
            let price = Price {
                input: amount(input)?,
                cached: amount(cached)?,
                output: amount(output)?,
            };
            if rows.iter().any(|row| row.model == model) {
                let model = model.to_owned();
                return Err(PriceError::Twice { line, model });
            }
            rows.push(PriceRow {
                model: model.to_owned(),
                price,
                source: source.to_owned(),
            });
        }
        Ok(Self(rows))
    }

    /// Returns the prices that the program ships with.
    pub fn shipped() -> Self {
        const TABLE: &str = include_str!("../prices.csv");
        const SOURCE: &str = "list price, catalog of rig-core 0.44.0, 2026-11-21";
        // A test below parses the table.
        Self::parse(TABLE, SOURCE).unwrap_or_default()
    }

    /// Returns the price of a model.
    pub fn of(&self, model: &str) -> Option<&PriceRow> {
        self.0.iter().find(|row| row.model == model)
    }

    /// Returns the cost of a request; `None` if the price is unknown or the cost exceeds the range of [`Cost`].
    pub fn cost(&self, model: &str, usage: Usage) -> Option<Cost> {
        self.of(model)?.price.cost(usage)
    }

    /// Merges both tables. Rows of `over` replace those of the same model.
    #[must_use]
    pub fn overridden(mut self, over: Self) -> Self {
        self.0.retain(|row| over.of(&row.model).is_none());
        self.0.extend(over.0);
        self
    }

    /// Returns only the rows of these models.
    #[must_use]
    pub fn only(&self, models: &[&str]) -> Self {
        let rows = self.0.iter();
        Self(
            rows.filter(|row| models.contains(&row.model.as_str()))
                .cloned()
                .collect(),
        )
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[PriceRow] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_exact_and_rounded_once() {
        let prices = Prices::parse("# none\nx/y, 0.0375, 0.01, 0.15\n", "test").unwrap();
        let usage = |input, cached, output| Usage {
            input,
            cached,
            output,
            reasoning: 0,
        };
        // 37.5 nano-dollars per token: two cost 75, one is rounded up to 38.
        for (usage, nano) in [
            (usage(0, 0, 0), 0),
            (usage(1, 0, 0), 38),
            (usage(2, 0, 0), 75),
            (usage(2, 1, 1), 198),
            (usage(1_000_000, 1_000_000, 1_000_000), 160_000_000),
        ] {
            let cost = prices.cost("x/y", usage).map(Cost::nano_usd);
            assert_eq!(cost, Some(nano), "{usage:?}");
        }
        assert_eq!(prices.cost("x/z", usage(1, 0, 0)), None);
        assert_eq!(prices.cost("x/y", usage(u64::MAX, 0, u64::MAX)), None);
    }

    #[test]
    fn a_table_that_cannot_be_read_says_where() {
        for (text, message) in [
            (
                "x/y,1,2",
                "line 1: expected `provider/name,input,cached,output`",
            ),
            (
                "\nxy,1,2,3",
                "line 2: expected `provider/name,input,cached,output`",
            ),
            ("x/y,1,2,3\nx/y,1,2,3", "line 2: x/y already has a price"),
        ] {
            assert_eq!(Prices::parse(text, "t").unwrap_err().to_string(), message);
        }
        let error = Prices::parse("x/y,1,2,free", "t").unwrap_err().to_string();
        assert!(
            error.starts_with("line 1: \"free\" is not an amount"),
            "{error}"
        );
    }

    #[test]
    fn the_shipped_table_is_whole() {
        let prices = Prices::shipped();
        assert!(prices.rows().len() > 300, "{}", prices.rows().len());
        for row in prices.rows() {
            let provider = row.model.split('/').next().unwrap();
            assert!(crate::Provider::named(provider).is_some(), "{}", row.model);
            let free = row.model.ends_with(":free");
            assert!(free || row.price.output > Cost::ZERO, "{}", row.model);
        }
    }

    #[test]
    fn an_override_replaces_a_row() {
        let ours = Prices::parse("x/y,1,1,1\nx/z,2,2,2", "ours").unwrap();
        let both = ours.overridden(Prices::parse("x/y,3,3,3", "theirs").unwrap());
        assert_eq!(both.of("x/y").unwrap().source, "theirs");
        assert_eq!(both.of("x/z").unwrap().source, "ours");
        assert_eq!(both.only(&["x/z"]).rows().len(), 1);
    }
}
