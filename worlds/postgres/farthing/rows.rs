//! Rows of tables as CSV, in the form of a state.

use mcpmark_guest::World;
use mcpmark_guest::jiff::civil::{Date, DateTime};

/// Value of a row. `None` is `NULL`.
pub struct Value(Option<String>);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self(Some(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self(Some(text))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self(Some(text.clone()))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self(Some(number.to_string()))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self(Some(if value { "t" } else { "f" }.to_owned()))
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Self {
        Self(Some(date.to_string()))
    }
}

impl From<DateTime> for Value {
    fn from(time: DateTime) -> Self {
        Self(Some(time.strftime("%Y-%m-%d %H:%M:%S+00").to_string()))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        Self(value.and_then(|value| value.into().0))
    }
}

/// Number in hundredths as a decimal number with two places.
pub fn hundredths(number: i64) -> Value {
    let sign = if number < 0 { "-" } else { "" };
    let number = number.abs();
    Value(Some(format!("{sign}{}.{:02}", number / 100, number % 100)))
}

/// Number in tenths as a decimal number with one place.
pub fn tenths(number: i64) -> Value {
    let sign = if number < 0 { "-" } else { "" };
    let number = number.abs();
    Value(Some(format!("{sign}{}.{}", number / 10, number % 10)))
}

/// Table with its rows, which are added in the order of the primary key.
pub struct Rows {
    name: &'static str,
    text: String,
}

impl Rows {
    pub fn new(name: &'static str, columns: &str) -> Self {
        Self {
            name,
            text: format!("{columns}\n"),
        }
    }

    pub fn add<const N: usize>(&mut self, values: [Value; N]) {
        for (at, Value(value)) in values.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            match value.as_deref() {
                None => {}
                Some(text) if text.is_empty() || text.contains(['"', ',', '\n', '\r']) => {
                    let text = text.replace('"', "\"\"");
                    self.text.push_str(&format!("\"{text}\""));
                }
                Some(text) => self.text.push_str(text),
            }
        }
        self.text.push('\n');
    }

    pub fn write(self, world: &mut World) {
        world.file(format!("data/public/{}.csv", self.name), self.text);
    }
}
