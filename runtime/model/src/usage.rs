//! Token usage and its cost.

use std::fmt;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Token usage of requests, as the provider counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of tokens of the whole request, including [`cached`](Self::cached).
    pub input: u64,
    /// Number of tokens of the request that the provider read from its cache.
    pub cached: u64,
    /// Number of tokens of the reply, including [`reasoning`](Self::reasoning).
    pub output: u64,
    /// Number of tokens of reasoning in the reply; 0 if the provider does not report it.
    pub reasoning: u64,
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Number of nano-dollars in a dollar.
const DOLLAR: u64 = 1_000_000_000;

/// Amount of money in whole nano-dollars (10⁻⁹ USD). An unknown cost is `None`, and never 0.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cost(u64);

/// Error of parsing an amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an amount in US dollars; expected a number like 2.50, with at most nine decimals"
)]
pub struct NoAmount(pub String);

impl Cost {
    /// Amount of 0.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from nano-dollars.
    pub const fn from_nano_usd(nano: u64) -> Self {
        Self(nano)
    }

    /// Returns the amount in nano-dollars.
    pub const fn nano_usd(self) -> u64 {
        self.0
    }

    /// Returns the amount in dollars, for display and JSON.
    pub fn usd(self) -> f64 {
        self.0 as f64 / DOLLAR as f64
    }

    /// Returns the sum; `None` if it overflows.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Returns the sum, or the maximum amount if it overflows.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Parses an amount of dollars in decimal notation, such as `12` or `0.075`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form, has more than nine decimals, or is too large.
    pub fn from_usd(text: &str) -> Result<Self, NoAmount> {
        let wrong = || NoAmount(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
            return Err(wrong());
        }
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let fraction: u64 = format!("{fraction:0<9}").parse().map_err(|_| wrong())?;
        whole
            .checked_mul(DOLLAR)
            .and_then(|nano| nano.checked_add(fraction))
            .map(Self)
            .ok_or_else(wrong)
    }
}

impl fmt::Display for Cost {
    /// Formats the amount as `0.17 USD`, with more decimals for amounts below a cent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} USD", decimals(self.usd()))
    }
}

/// Formats an amount of dollars without the unit: with two decimals, four below a cent, and nine below a hundredth of a
/// cent.
pub fn decimals(usd: f64) -> String {
    let digits = match usd {
        0.0 => 2,
        _ if usd < 0.0001 => 9,
        _ if usd < 0.01 => 4,
        _ => 2,
    };
    format!("{usd:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_to_the_nano_dollar() {
        for (text, nano) in [
            ("0", 0),
            ("12", 12_000_000_000),
            ("0.075", 75_000_000),
            ("2.5", 2_500_000_000),
            ("0.000000001", 1),
            ("18446744073.709551615", u64::MAX),
        ] {
            assert_eq!(Cost::from_usd(text), Ok(Cost(nano)), "{text}");
        }
        for text in [
            "",
            ".5",
            "1.",
            "-1",
            "1e3",
            "$2",
            "0.0000000001",
            "18446744073.709551616",
        ] {
            assert!(Cost::from_usd(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_cost_never_overflows_and_small_ones_show() {
        assert_eq!(Cost(u64::MAX).checked_add(Cost(1)), None);
        assert_eq!(Cost(1).checked_add(Cost(2)), Some(Cost(3)));
        assert_eq!(Cost(1_234_567_890).to_string(), "1.23 USD");
        assert_eq!(Cost(75).to_string(), "0.000000075 USD");
        assert_eq!(Cost::ZERO.to_string(), "0.00 USD");
        assert_eq!(Cost(4_200_000).to_string(), "0.0042 USD");
        assert_eq!(Cost(1_719_999_999).to_string(), "1.72 USD");
    }
}
