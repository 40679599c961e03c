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

/// Forms in which an amount may be written. By default a number with or without zeros at its end and with an
/// optional sign, such as `12.5`, `12.50` or `-3`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    units: Vec<String>,
    grouped: bool,
    decimal_comma: bool,
    places: Option<u32>,
}

impl Amounts {
    /// Returns the default forms.
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts a unit in front of the number or after it, with or without a blank: `€12.50`, `12.50 EUR`. The
    /// unit may be left out. Can be called several times.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.units.push(unit.into());
        self
    }

    /// Accepts separators between groups of three digits: a comma (a point if the decimals have a comma), an
    /// apostrophe, a blank or a no-break space.
    #[must_use]
    pub fn grouped(mut self) -> Self {
        self.grouped = true;
        self
    }

    /// Expects a comma instead of a point before the decimals.
    #[must_use]
    pub fn decimal_comma(mut self) -> Self {
        self.decimal_comma = true;
        self
    }

    /// Expects exactly this number of decimals.
    #[must_use]
    pub fn places(mut self, places: u32) -> Self {
        self.places = Some(places);
        self
    }

    /// Reads an amount. Blanks around it are ignored.
    ///
    /// # Errors
    /// Returns a message with the text if it has none of the forms.
    pub fn read(&self, text: &str) -> Result<Decimal, String> {
        let refused = || format!("expected an amount, found {}", show(text));
        let trimmed = text.trim();
        let (mut is_negative, mut rest) = split_sign(trimmed);
        let has_outer_sign = rest.len() < trimmed.len();
        // The longest unit counts: "12 US$" has the unit "US$", even if "$" is accepted too.
        let units = self.units.iter().filter(|unit| !unit.is_empty());
        let numbers = units.filter_map(|unit| {
            rest.strip_prefix(unit.as_str())
                .or_else(|| rest.strip_suffix(unit.as_str()))
        });
        if let Some(number) = numbers.min_by_key(|number| number.len()) {
            rest = number.trim();
        }
        if !has_outer_sign {
            (is_negative, rest) = split_sign(rest);
        }
        let point = if self.decimal_comma { ',' } else { '.' };
        let (whole, fraction) = match rest.split_once(point) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (rest, None),
        };
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        let whole = if is_digits(whole) {
            whole.to_owned()
        } else {
            self.ungroup(whole).ok_or_else(refused)?
        };
        if fraction.is_some_and(|fraction| !is_digits(fraction)) {
            return Err(refused());
        }
        let fraction = fraction.unwrap_or_default();
        if let Some(places) = self.places
            && fraction.len() != places as usize
        {
            return Err(format!(
                "expected an amount with {places} decimals, found {}",
                show(text)
            ));
        }
        let sign = if is_negative { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        let number = parse(&format!("{sign}{whole}{point}{fraction}")).map_err(|_| refused())?;
        Ok(number.normalize())
    }

    /// Removes the separators between groups of three digits.
    fn ungroup(&self, whole: &str) -> Option<String> {
        if !self.grouped {
            return None;
        }
        let separator = whole.chars().find(|it| !it.is_ascii_digit())?;
        let own = if self.decimal_comma { '.' } else { ',' };
        if separator != own && !"' \u{a0}\u{202f}\u{2019}".contains(separator) {
            return None;
        }
        let mut groups = whole.split(separator);
        let first = groups.next()?;
        let all_digits = |part: &str| part.bytes().all(|it| it.is_ascii_digit());
        let is_first = (1..=3).contains(&first.len()) && all_digits(first);
        let are_groups = groups.all(|group| group.len() == 3 && all_digits(group));
        (is_first && are_groups).then(|| whole.replace(separator, ""))
    }
}

/// Splits the sign from a number. The minus sign may also be `U+2212`.
fn split_sign(text: &str) -> (bool, &str) {
    if let Some(rest) = text.strip_prefix(['-', '\u{2212}']) {
        (true, rest.trim_start())
    } else {
        (false, text.strip_prefix('+').map_or(text, str::trim_start))
    }
}

/// Returns the value of a decimal number with an optional fraction and exponent in a form that is the same for
/// all spellings of one value: sign, digits, and the power of ten of the last digit. The number of digits has no
/// limit. Returns `None` if the text is no such number.
pub(crate) fn canonical(text: &str) -> Option<(bool, String, i64)> {
    let (is_negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let kept = digits.trim_end_matches('0');
    let power = i64::from(exponent) - fraction.len() as i64 + (digits.len() - kept.len()) as i64;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() {
        return Some((false, "0".to_owned(), 0));
    }
    Some((is_negative, kept.to_owned(), power))
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

    #[test]
    fn amounts_have_one_value_in_every_form() {
        let forms = Amounts::new().unit("€").unit("EUR").grouped();
        for text in [
            "1234.5",
            "1234.50",
            "+1,234.5",
            " €1'234.50 ",
            "1 234.50 EUR",
            "EUR 1234.500",
            "1\u{a0}234.50\u{a0}€",
        ] {
            assert_eq!(forms.read(text), Ok(decimal("1234.5")), "{text}");
        }
        for text in ["-€3", "€-3", "\u{2212}3.00 €", "- 3"] {
            assert_eq!(forms.read(text), Ok(decimal("-3")), "{text}");
        }
        let dollars = Amounts::new().unit("$").unit("US$");
        for text in ["3 US$", "US$3", "$3", "3$"] {
            assert_eq!(dollars.read(text), Ok(decimal("3")), "{text}");
        }
        let comma = Amounts::new().decimal_comma().grouped().places(2);
        assert_eq!(comma.read("1.234,50"), Ok(decimal("1234.5")));
        assert!(comma.read("1.234,5").is_err());
    }

    #[test]
    fn ambiguous_amounts_are_refused() {
        let forms = Amounts::new();
        for text in [
            "", "1,234.50", "12,50", "€3", "1e3", ".5", "5.", "1 2", "--1", "+-1", "1.2.3", "NaN",
        ] {
            assert!(forms.read(text).is_err(), "{text:?}");
        }
        let grouped = Amounts::new().grouped();
        for text in [
            "1,23",
            "1,2345",
            ",123",
            "1234,567",
            "1,234 567",
            "1,,234",
            "12,50",
        ] {
            assert!(grouped.read(text).is_err(), "{text:?}");
        }
        assert_eq!(
            Amounts::new().places(2).read("3.5"),
            Err(r#"expected an amount with 2 decimals, found "3.5""#.to_owned())
        );
    }

    #[test]
    fn equal_numbers_have_one_canonical_form() {
        for (one, other) in [
            ("1", "1.0"),
            ("1e2", "100"),
            ("0.10", "1E-1"),
            ("-0.0", "0"),
            ("+5", "5"),
            (
                "12345678901234567890123456789012345678901",
                "12345678901234567890123456789012345678901.00",
            ),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one} {other}");
            assert!(canonical(one).is_some());
        }
        assert_ne!(canonical("1"), canonical("10"));
        assert_ne!(canonical("1"), canonical("-1"));
        assert_ne!(canonical("0.1"), canonical("0.10000000000000001"));
        for text in ["", "e1", "1e", "1e99999999999", "x", "--1", "1.2.3", "."] {
            assert_eq!(canonical(text), None, "{text:?}");
        }
    }
}
