//! Conversion of values from and to the texts of the database.

use crate::Value;

/// Value of a parameter.
pub trait ToValue {
    /// Returns the text of the value in the form of the database, or `None` for null.
    fn to_value(&self) -> Value;
}

/// Value of a column.
pub trait FromValue: Sized {
    /// Name of the type, for messages.
    const EXPECTED: &'static str;

    /// Converts the text of a value. Returns `None` if the text is not one of the type, or if it is an unexpected null.
    fn from_value(value: Option<&str>) -> Option<Self>;
}

/// Makes the list of parameters of a statement.
///
/// ```
/// let parameters = mcpmark_guest_sql::params![7, "anchor", true, None::<i32>];
/// assert_eq!(parameters[1].as_deref(), Some("anchor"));
/// assert_eq!(parameters[3], None);
/// ```
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        ::std::vec![$($crate::ToValue::to_value(&$value)),*]
    };
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref()?.to_value()
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_value(value: Option<&str>) -> Option<Self> {
        match value {
            None => Some(None),
            text => T::from_value(text).map(Some),
        }
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        Some(self.to_owned())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Some(self.clone())
    }
}

impl FromValue for String {
    const EXPECTED: &'static str = "a text";

    fn from_value(value: Option<&str>) -> Option<Self> {
        value.map(str::to_owned)
    }
}

impl FromValue for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_value(value: Option<&str>) -> Option<Self> {
        match value? {
            "t" | "true" | "1" => Some(true),
            "f" | "false" | "0" => Some(false),
            _ => None,
        }
    }
}

macro_rules! plain {
    ($($type:ty: $expected:literal),*) => {$(
        impl ToValue for $type {
            fn to_value(&self) -> Value {
                Some(self.to_string())
            }
        }

        impl FromValue for $type {
            const EXPECTED: &'static str = $expected;

            fn from_value(value: Option<&str>) -> Option<Self> {
                value?.parse().ok()
            }
        }
    )*};
}

plain!(i32: "an integer", i64: "an integer", u32: "a natural number", u64: "a natural number", f64: "a number");

impl ToValue for bool {
    fn to_value(&self) -> Value {
        Some(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_from_the_texts_of_both_databases() {
        assert_eq!(i64::from_value(Some("-7")), Some(-7));
        assert_eq!(i64::from_value(Some("7.0")), None);
        assert_eq!(f64::from_value(Some("1e-3")), Some(0.001));
        for (text, value) in [("t", true), ("1", true), ("f", false), ("0", false)] {
            assert_eq!(bool::from_value(Some(text)), Some(value));
        }
        assert_eq!(String::from_value(None), None);
        assert_eq!(Option::<i32>::from_value(None), Some(None));
        assert_eq!(Option::<i32>::from_value(Some("x")), None);
    }
}
