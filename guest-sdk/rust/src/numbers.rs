//! Decimal numbers: parsing, rounding and formatting.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::condition::show;

/// Parses a plain decimal number: an optional sign, digits, and optionally a point with digits.
///
/// White space, thousands separators, exponents and currency symbols are rejected.
///
/// # Errors
/// Returns a message with the text if it is not such a number.
pub fn parse(text: &str) -> Result<Decimal, String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return Err(format!("expected a number, found {}", show(text)));
    }
    Decimal::from_str_exact(text.strip_prefix('+').unwrap_or(text))
        .map_err(|error| format!("expected a number, found {} ({error})", show(text)))
}

/// Rounds to `places` decimals, with ties away from zero: 2.5 → 3, -2.5 → -3.
pub fn half_up(number: Decimal, places: u32) -> Decimal {
    number.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero)
}

/// Rounds to `places` decimals, with ties to the even neighbour: 2.5 → 2, 3.5 → 4.
pub fn half_even(number: Decimal, places: u32) -> Decimal {
    number.round_dp_with_strategy(places, RoundingStrategy::MidpointNearestEven)
}

/// Rounds to `places` decimals towards zero: 2.9 → 2, -2.9 → -2.
pub fn towards_zero(number: Decimal, places: u32) -> Decimal {
    number.round_dp_with_strategy(places, RoundingStrategy::ToZero)
}

/// Formats a number with exactly `places` decimals, rounded half up. Zero has no sign.
pub fn fixed(number: Decimal, places: u32) -> String {
    let mut rounded = half_up(number, places);
    if rounded.is_zero() {
        rounded.set_sign_positive(true);
    }
    rounded.rescale(places);
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        parse(text).expect("a number")
    }

    #[test]
    fn ties_go_where_the_name_says() {
        for (text, up, even, zero) in [
            ("2.345", "2.35", "2.34", "2.34"),
            ("2.355", "2.36", "2.36", "2.35"),
            ("-2.345", "-2.35", "-2.34", "-2.34"),
            ("2.3449", "2.34", "2.34", "2.34"),
        ] {
            assert_eq!(half_up(decimal(text), 2), decimal(up), "{text}");
            assert_eq!(half_even(decimal(text), 2), decimal(even), "{text}");
            assert_eq!(towards_zero(decimal(text), 2), decimal(zero), "{text}");
        }
    }

    #[test]
    fn written_numbers_have_their_decimals() {
        assert_eq!(fixed(decimal("3"), 2), "3.00");
        assert_eq!(fixed(decimal("-0.001"), 2), "0.00");
        assert_eq!(fixed(decimal("1234.565"), 2), "1234.57");
        assert_eq!(fixed(decimal("7.5"), 0), "8");
    }

    #[test]
    fn only_plain_numbers_are_read() {
        for text in [
            "", ".5", "5.", "1,000", "1e3", " 1", "--1", "£3", "1.2.3", "0x1", "1_000",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        assert_eq!(
            parse("+1.50").map(|number| number.to_string()),
            Ok("1.50".into())
        );
        assert!(parse(&"9".repeat(60)).is_err());
    }
}
