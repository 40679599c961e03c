//! `repr` of floating-point numbers and decimals.

use std::fmt::Write as _;

/// Appends the `repr` of the float that a text denotes.
pub(super) fn float_text(text: &str, out: &mut String) {
    match text {
        "NaN" => out.push_str("nan"),
        "Infinity" => out.push_str("inf"),
        "-Infinity" => out.push_str("-inf"),
        // PostgreSQL prints no other text that is not a number.
        text => float(text.parse().unwrap_or(f64::NAN), out),
    }
}

/// Appends the `repr` of a float: the shortest digits that denote it, with an exponent below -4 or from 16.
pub(super) fn float(number: f64, out: &mut String) {
    if !number.is_finite() {
        out.push_str(match number {
            f64::INFINITY => "inf",
            f64::NEG_INFINITY => "-inf",
            _ => "nan",
        });
        return;
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a string does not fail.
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
    }
}

/// Appends the `repr` of the `Decimal` that a number in the text format of PostgreSQL denotes.
pub(super) fn decimal(text: &str, out: &mut String) {
    out.push_str("Decimal('");
    push_decimal(text, out);
    out.push_str("')");
}

fn push_decimal(text: &str, out: &mut String) {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    out.push_str(sign);
    // Python uses an exponent if the number has more than five zeros after the point.
    let fraction = digits.split_once('.').map(|(_, fraction)| fraction);
    let Some(fraction) = fraction.filter(|_| digits.starts_with("0.")) else {
        out.push_str(digits);
        return;
    };
    let significant = fraction.trim_start_matches('0');
    let adjusted = match significant.len() {
        // Zero: the exponent of its last digit.
        0 => fraction.len(),
        count => fraction.len() - count + 1,
    };
    if adjusted <= 6 {
        out.push_str(digits);
        return;
    }
    let (first, rest) = significant.split_at_checked(1).unwrap_or(("0", ""));
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let _ = write!(out, "E-{adjusted}");
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values are those of Python 3.12.
    #[test]
    fn floats_are_printed_as_in_python() {
        for (text, expected) in [
            ("1", "1.0"),
            ("-0", "-0.0"),
            ("0.1", "0.1"),
            ("1e15", "1000000000000000.0"),
            ("1e+16", "1e+16"),
            ("123456789012345680", "1.2345678901234568e+17"),
            ("0.0001", "0.0001"),
            ("1.5e-05", "1.5e-05"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e+308", "1.7976931348623157e+308"),
            ("NaN", "nan"),
            ("-Infinity", "-inf"),
        ] {
            let mut out = String::new();
            float_text(text, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn decimals_are_printed_as_in_python() {
        for (text, expected) in [
            ("12.50", "Decimal('12.50')"),
            ("0.000001", "Decimal('0.000001')"),
            ("0.0000001", "Decimal('1E-7')"),
            ("-0.00000012", "Decimal('-1.2E-7')"),
            ("0.0000000", "Decimal('0E-7')"),
            ("0.000000", "Decimal('0.000000')"),
            ("100000000000000000000", "Decimal('100000000000000000000')"),
            ("NaN", "Decimal('NaN')"),
            ("-Infinity", "Decimal('-Infinity')"),
        ] {
            let mut out = String::new();
            decimal(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
