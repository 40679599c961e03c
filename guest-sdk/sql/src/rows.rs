//! Rows of a result.

use std::fmt;

use crate::bindings::mcpmark::sql::database;
use crate::{Column, FromValue, Value};

/// Result of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows(database::Rows);

/// Row of a result.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    columns: &'a [Column],
    values: &'a [Value],
}

/// Column that does not exist, or a value of another type than expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowError {
    /// No column has this name.
    NoColumn {
        /// Requested name.
        name: String,
        /// Names of the columns.
        found: Vec<String>,
    },
    /// Value of another type.
    Value {
        /// Name of the column.
        column: String,
        /// Expected type, as a phrase.
        expected: &'static str,
        /// Text of the value; none is null.
        found: Value,
    },
    /// Result with another number of rows or columns than one.
    NotOneValue {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
}

impl Rows {
    pub(crate) fn new(rows: database::Rows) -> Self {
        Self(rows)
    }

    /// Returns the columns, with the names of their types. A statement that returns no rows has none.
    pub fn columns(&self) -> &[Column] {
        &self.0.columns
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.0.rows.len()
    }

    /// Reports whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.rows.is_empty()
    }

    /// Returns the number of rows that the statement returned or changed, if it counts them.
    pub fn affected(&self) -> Option<u64> {
        self.0.affected
    }

    /// Returns the rows in order.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        let columns = self.columns();
        self.0
            .rows
            .iter()
            .map(move |values| Row { columns, values })
    }

    /// Returns the texts of all rows, with `None` for null, for comparison with expected rows.
    pub fn texts(&self) -> &[Vec<Value>] {
        &self.0.rows
    }

    /// Returns the only value of a result with one row and one column, such as a count.
    ///
    /// # Errors
    ///
    /// Returns an error if there is another number of rows or columns, or if the value has another type.
    pub fn value<T: FromValue>(&self) -> Result<T, RowError> {
        match (self.0.rows.as_slice(), self.columns()) {
            ([values], [column]) => Row {
                columns: std::slice::from_ref(column),
                values,
            }
            .at(0),
            (rows, columns) => Err(RowError::NotOneValue {
                rows: rows.len(),
                columns: columns.len(),
            }),
        }
    }

    /// Returns the values of one column.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no column of this name, or if a value has another type.
    pub fn column<T: FromValue>(&self, name: &str) -> Result<Vec<T>, RowError> {
        let place = place(self.columns(), name)?;
        self.iter().map(|row| row.at(place)).collect()
    }
}

impl Row<'_> {
    /// Returns the value of a column, of which the first of this name counts.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no column of this name, or if the value has another type.
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T, RowError> {
        self.at(place(self.columns, name)?)
    }

    /// Returns the texts of the values, with `None` for null.
    pub fn texts(&self) -> &[Value] {
        self.values
    }

    fn at<T: FromValue>(&self, place: usize) -> Result<T, RowError> {
        let value = self.values.get(place).and_then(Option::as_deref);
        T::from_value(value).ok_or_else(|| RowError::Value {
            column: self
                .columns
                .get(place)
                .map_or_else(String::new, |it| it.name.clone()),
            expected: T::EXPECTED,
            found: value.map(str::to_owned),
        })
    }
}

fn place(columns: &[Column], name: &str) -> Result<usize, RowError> {
    let place = columns.iter().position(|column| column.name == name);
    place.ok_or_else(|| RowError::NoColumn {
        name: name.to_owned(),
        found: columns.iter().map(|column| column.name.clone()).collect(),
    })
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoColumn { name, found } => {
                write!(
                    f,
                    "no column {name:?}; the columns are {}",
                    found.join(", ")
                )
            }
            Self::Value {
                column,
                expected,
                found,
            } => {
                write!(f, "column {column:?}: expected {expected}, found ")?;
                match found {
                    Some(text) => write!(f, "{text:?}"),
                    None => f.write_str("null"),
                }
            }
            Self::NotOneValue { rows, columns } => write!(
                f,
                "expected one row with one column, found {rows} rows with {columns} columns"
            ),
        }
    }
}

impl std::error::Error for RowError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[&[Option<&str>]]) -> Rows {
        let column = |name: &str, type_name: &str| Column {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        };
        let owned = |row: &&[Option<&str>]| {
            let values = row.iter().map(|value| value.map(str::to_owned));
            values.collect()
        };
        Rows(database::Rows {
            columns: vec![column("id", "int4"), column("name", "text")],
            rows: values.iter().map(owned).collect(),
            affected: Some(values.len() as u64),
        })
    }

    #[test]
    fn columns_are_found_by_name_and_converted() {
        let rows = rows(&[&[Some("1"), Some("anchor")], &[Some("2"), None]]);
        assert_eq!(rows.column::<i64>("id").unwrap(), [1, 2]);
        let names: Vec<Option<String>> = rows.column("name").unwrap();
        assert_eq!(names, [Some("anchor".to_owned()), None]);
        let second = rows.iter().nth(1).unwrap();
        assert_eq!(second.get::<i32>("id").unwrap(), 2);
        let error = second.get::<String>("name").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"column "name": expected a text, found null"#
        );
        let error = rows.column::<i64>("ids").unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"no column "ids"; the columns are id, name"#
        );
    }

    #[test]
    fn one_value_needs_one_row_with_one_column() {
        let error = rows(&[]).value::<i64>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected one row with one column, found 0 rows with 2 columns"
        );
    }
}
