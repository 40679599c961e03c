//! Rows of a table, in which `NULL` and the empty string differ.

use std::fmt;
use std::rc::Rc;

use mcpmark_guest::jiff::civil::{Date, DateTime};
use mcpmark_guest::numbers;
use mcpmark_guest::rust_decimal::Decimal;

use crate::Expected;

/// Text and cells, shared by all rows.
struct Content {
    columns: Vec<String>,
    cells: Vec<Option<Cell>>,
    text: Rc<str>,
}

/// Range of the text. A cell with escaped quotes is stored without them at the end of the text.
#[derive(Clone, Copy)]
struct Cell {
    start: u32,
    end: u32,
}

/// Rows of a table or a materialized view, in the order of the state.
#[derive(Clone)]
pub struct Rows {
    content: Rc<Content>,
}

impl Rows {
    /// Reads the CSV file of a table.
    ///
    /// # Errors
    ///
    /// Returns the line of a record that has another number of fields than the header, or of an open quote.
    pub fn read(text: impl Into<String>) -> Result<Self, String> {
        let mut text: String = text.into();
        let mut cells: Vec<Option<Cell>> = Vec::new();
        let (mut unescaped, mut line, mut width) = (String::new(), 1_u32, None);
        let (bytes, length) = (text.as_bytes(), text.len());
        let (mut at, mut in_record) = (0, 0_usize);
        while at < length {
            let start = at;
            if bytes[at] == b'"' {
                at += 1;
                let (content, mut has_escapes) = (at, false);
                loop {
                    match bytes.get(at) {
                        None => return Err(format!("line {line}: expected a closing quote")),
                        Some(b'"') if bytes.get(at + 1) == Some(&b'"') => {
                            has_escapes = true;
                            at += 2;
                        }
                        Some(b'"') => break,
                        Some(byte) => {
                            line += u32::from(*byte == b'\n');
                            at += 1;
                        }
                    }
                }
                if has_escapes {
                    let from = length + unescaped.len();
                    unescaped.push_str(&text[content..at].replace("\"\"", "\""));
                    cells.push(Some(cell(from, length + unescaped.len())));
                } else {
                    cells.push(Some(cell(content, at)));
                }
                at += 1;
            } else {
                while at < length && !matches!(bytes[at], b',' | b'\n') {
                    at += 1;
                }
                cells.push((at > start).then(|| cell(start, at)));
            }
            in_record += 1;
            match bytes.get(at) {
                Some(b',') => {
                    at += 1;
                    if at < length {
                        continue;
                    }
                    cells.push(None);
                    in_record += 1;
                }
                Some(b'\n') | None => at += 1,
                Some(_) => {
                    return Err(format!(
                        "line {line}: expected a comma after the closing quote"
                    ));
                }
            }
            let expected = *width.get_or_insert(in_record);
            if in_record != expected {
                return Err(format!(
                    "line {line}: expected {expected} fields, found {in_record}"
                ));
            }
            in_record = 0;
            line += 1;
        }
        text.push_str(&unescaped);
        let width = width.ok_or("expected a header line, found an empty text")?;
        let data = cells.split_off(width);
        let columns = cells
            .iter()
            .map(|cell| {
                cell.map_or("", |cell| &text[cell.start as usize..cell.end as usize])
                    .to_owned()
            })
            .collect();
        Ok(Self {
            content: Rc::new(Content {
                columns,
                cells: data,
                text: text.into(),
            }),
        })
    }

    /// Returns the rows that fulfil a condition.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(&Record) -> bool) -> Self {
        let width = self.columns().len();
        let rows = self.iter().filter(|row| keep(row));
        let cells = rows
            .flat_map(|row| self.content.cells[row.row * width..(row.row + 1) * width].to_vec());
        Self {
            content: Rc::new(Content {
                columns: self.content.columns.clone(),
                cells: cells.collect(),
                text: Rc::clone(&self.content.text),
            }),
        }
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.content.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.content.cells.len() / self.content.columns.len().max(1)
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows.
    pub fn iter(&self) -> impl Iterator<Item = Record> + '_ {
        (0..self.len()).map(|row| Record {
            content: Rc::clone(&self.content),
            row,
        })
    }

    /// Returns some cells of each row, in the order of `names`. `NULL` is `None`.
    ///
    /// # Panics
    ///
    /// Panics if the table has no such column.
    #[track_caller]
    pub fn select<const N: usize>(
        &self,
        names: [&str; N],
    ) -> impl Iterator<Item = [Option<&str>; N]> {
        let columns = names.map(|name| match self.position(name) {
            Some(at) => at,
            None => panic!("no column {name:?} among {:?}", self.columns()),
        });
        (0..self.len()).map(move |row| columns.map(|column| self.content.get(row, column)))
    }

    /// Returns an expectation with these rows, which can be edited. The key identifies a row, in messages too.
    ///
    /// # Panics
    ///
    /// Panics if a column of the key does not exist or two rows have the same key.
    #[track_caller]
    #[must_use]
    pub fn expected<const N: usize>(&self, key: [&str; N]) -> Expected {
        let columns: Vec<&str> = self.columns().iter().map(String::as_str).collect();
        let mut expected = Expected::new(&columns, &key);
        for row in 0..self.len() {
            let cells =
                (0..columns.len()).map(|column| self.content.get(row, column).map(str::to_owned));
            expected.add(cells.collect());
        }
        expected
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column == name)
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> Option<&str> {
        self.content.get(row, column)
    }
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Content {
    fn get(&self, row: usize, column: usize) -> Option<&str> {
        let cell = self.cells[row * self.columns.len() + column]?;
        Some(&self.text[cell.start as usize..cell.end as usize])
    }
}

fn cell(start: usize, end: usize) -> Cell {
    Cell {
        start: u32::try_from(start).unwrap_or(u32::MAX),
        end: u32::try_from(end).unwrap_or(u32::MAX),
    }
}

/// A row. A clone is cheap.
///
/// # Panics
///
/// The methods that return a value panic if the column does not exist, or the value is `NULL` or of another type. They
/// are meant for the starting state.
#[derive(Clone)]
pub struct Record {
    content: Rc<Content>,
    row: usize,
}

impl Record {
    /// Returns the text of a column, or `None` for `NULL`.
    #[track_caller]
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&str> {
        match self.content.columns.iter().position(|name| name == column) {
            Some(at) => self.content.get(self.row, at),
            None => panic!("no column {column:?} among {:?}", self.content.columns),
        }
    }

    /// Returns the text of a column that is not `NULL`.
    #[track_caller]
    #[must_use]
    pub fn text(&self, column: &str) -> &str {
        match self.get(column) {
            Some(text) => text,
            None => panic!("{column} is NULL in {self:?}"),
        }
    }

    /// Returns an integer.
    #[track_caller]
    #[must_use]
    pub fn integer(&self, column: &str) -> i64 {
        self.parsed(column, |text| text.parse().ok())
    }

    /// Returns a decimal number.
    #[track_caller]
    #[must_use]
    pub fn decimal(&self, column: &str) -> Decimal {
        self.parsed(column, |text| numbers::parse(text).ok())
    }

    /// Returns a date.
    #[track_caller]
    #[must_use]
    pub fn date(&self, column: &str) -> Date {
        self.parsed(column, |text| text.parse().ok())
    }

    /// Returns a timestamp, which a state writes in UTC.
    #[track_caller]
    #[must_use]
    pub fn time(&self, column: &str) -> DateTime {
        self.parsed(column, |text| text.trim_end_matches("+00").parse().ok())
    }

    /// Returns a truth value.
    #[track_caller]
    #[must_use]
    pub fn truth(&self, column: &str) -> bool {
        self.parsed(column, |text| match text {
            "t" => Some(true),
            "f" => Some(false),
            _ => None,
        })
    }

    #[track_caller]
    fn parsed<T>(&self, column: &str, parse: impl FnOnce(&str) -> Option<T>) -> T {
        let text = self.text(column);
        match parse(text) {
            Some(value) => value,
            None => panic!("{column} is {text:?}, which is of another type"),
        }
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.content.columns.iter().enumerate();
        let cells = columns.map(|(at, name)| (name, self.content.get(self.row, at)));
        f.debug_map().entries(cells).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_differs_from_the_empty_string() {
        let rows = Rows::read("id,a,b\n1,,\"\"\n2,\"x, \"\"y\"\"\nz\",\n").unwrap();
        let found: Vec<_> = rows.select(["b", "a"]).collect();
        assert_eq!(found, [[Some(""), None], [None, Some("x, \"y\"\nz")]]);
        assert_eq!(rows.len(), 2);
        let second = rows.filtered(|row| row.text("id") == "2");
        assert_eq!(second.select(["b"]).collect::<Vec<_>>(), [[None]]);
        assert!(second.filtered(|_| false).is_empty());
    }

    #[test]
    fn values_are_typed() {
        let rows =
            Rows::read("n,d,t,at,yes\n-4,12.50,2026-02-28,2026-03-05 20:15:00+00,t\n").unwrap();
        let row = rows.iter().next().unwrap();
        assert_eq!(row.integer("n"), -4);
        assert_eq!(row.decimal("d"), Decimal::new(1250, 2));
        assert_eq!(row.date("t").to_string(), "2026-02-28");
        assert_eq!(row.time("at").to_string(), "2026-03-05T20:15:00");
        assert!(row.truth("yes"));
    }

    #[test]
    fn invalid_files_are_refused_with_their_line() {
        for (text, reason) in [
            ("", "expected a header line, found an empty text"),
            ("a,b\n1,2\n3\n", "line 3: expected 2 fields, found 1"),
            ("a\n\"x", "line 2: expected a closing quote"),
            (
                "a\n\"x\"y\n",
                "line 2: expected a comma after the closing quote",
            ),
        ] {
            assert_eq!(
                Rows::read(text).map(|rows| rows.len()),
                Err(reason.to_owned()),
                "{text:?}"
            );
        }
        assert_eq!(Rows::read("a,b\n1,").unwrap().len(), 1);
    }
}
