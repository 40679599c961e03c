//! Values, rows and errors of SQL statements.

use std::fmt;

/// Value of a column or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `NULL`.
    Null,
    /// Integer.
    Integer(i64),
    /// Floating-point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

macro_rules! value_from {
    ($($type:ty, $value:ident => $expression:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $expression
            }
        }
    )*};
}
value_from! {
    i64, value => Self::Integer(value);
    i32, value => Self::Integer(value.into());
    u32, value => Self::Integer(value.into());
    bool, value => Self::Integer(value.into());
    f64, value => Self::Real(value);
    &str, value => Self::Text(value.to_owned());
    &String, value => Self::Text(value.clone());
    String, value => Self::Text(value);
    Vec<u8>, value => Self::Blob(value);
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Parameters of a statement that has none.
pub const NONE: [Value; 0] = [];

/// Result of a statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Rows in the order of the statement.
    pub rows: Vec<Row>,
    /// Number of rows that the statement changed.
    pub changes: u64,
    /// Rowid of the row that was inserted last.
    pub last_insert_rowid: i64,
}

/// Row with the names of its columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    values: Vec<(String, Value)>,
}

impl Row {
    /// Creates a row from its columns.
    pub fn new(values: Vec<(String, Value)>) -> Self {
        Self { values }
    }

    /// Returns the value of a column.
    ///
    /// # Panics
    ///
    /// Panics if the statement has no column of this name, which is an error of the site.
    pub fn get(&self, column: &str) -> &Value {
        let found = self.values.iter().find(|(name, _)| name == column);
        match found {
            Some((_, value)) => value,
            None => panic!("the statement has no column {column:?}"),
        }
    }

    /// Returns the text of a column; a number as text, and an empty text for `NULL`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such column, or if its value is bytes.
    pub fn text(&self, column: &str) -> String {
        match self.get(column) {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Real(number) => number.to_string(),
            Value::Null => String::new(),
            Value::Blob(_) => panic!("column {column:?} is bytes, not text"),
        }
    }

    /// Returns the integer of a column; 0 for `NULL`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such column, or if its value has another type.
    pub fn integer(&self, column: &str) -> i64 {
        match self.get(column) {
            Value::Integer(number) => *number,
            Value::Null => 0,
            other => panic!("column {column:?} is no integer: {other:?}"),
        }
    }

    /// Returns true if the integer of a column is not 0.
    ///
    /// # Panics
    ///
    /// Panics as [`integer`](Self::integer) does.
    pub fn flag(&self, column: &str) -> bool {
        self.integer(column) != 0
    }

    /// Returns true if the value of a column is `NULL`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such column.
    pub fn is_null(&self, column: &str) -> bool {
        *self.get(column) == Value::Null
    }
}

/// Error of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The statement violates a constraint of a table.
    Constraint(String),
    /// The statement is invalid or not allowed.
    Invalid(String),
    /// The database has reached its maximum size.
    Full(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Constraint(message) | Self::Invalid(message) | Self::Full(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let row = Row::new(vec![
            ("id".to_owned(), 7.into()),
            ("name".to_owned(), "Ann".into()),
            ("gone".to_owned(), None::<i64>.into()),
        ]);
        assert_eq!((row.integer("id"), row.text("id").as_str()), (7, "7"));
        assert_eq!(row.text("name"), "Ann");
        assert!(row.is_null("gone") && !row.flag("gone") && row.flag("id"));
        assert_eq!(row.text("gone"), "");
    }

    #[test]
    #[should_panic(expected = "the statement has no column \"title\"")]
    fn an_unknown_column_is_an_error_of_the_site() {
        Row::new(Vec::new()).text("title");
    }
}
