//! Comparison of CSV tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::Expected;
use crate::condition::{cut, show, show_difference};
use crate::dates::{self, Dates};
use crate::numbers::Amounts;
use crate::{Condition, Csv as Format, Row};

/// Number of further rows that are searched for the one that is most like a missing row.
const CANDIDATES: usize = 200;
/// Maximum number of separators and line ends of a table.
const MAX_CELLS: usize = 1_000_000;

/// Expected CSV table; see the table in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct Csv {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    rules: Vec<Rule>,
    order: Order,
    any_columns: bool,
    trimmed: bool,
    separator: u8,
}

/// Rule for the equality of the cells of one column: the same text, or the same amount or date in any of some
/// forms. With a rule for values, an empty cell equals an empty cell alone.
///
/// Readers are called through a pointer, so that a guest without dates has no code for them.
#[derive(Clone, Default)]
pub struct Rule {
    /// Returns a form that equal values have in common; `None` compares texts.
    read: Option<Rc<Reader>>,
}

type Reader = dyn Fn(&str) -> Result<String, String>;

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_text() { "text" } else { "value" })
    }
}

impl From<Amounts> for Rule {
    fn from(forms: Amounts) -> Self {
        Self {
            read: Some(Rc::new(move |cell| {
                forms.read(cell).map(|amount| amount.to_string())
            })),
        }
    }
}

impl From<Dates> for Rule {
    fn from(forms: Dates) -> Self {
        Self {
            read: Some(Rc::new(move |cell| forms.read(cell).map(dates::iso))),
        }
    }
}

/// Order of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Order {
    AsExpected,
    Any,
    /// In any order; rows with the same cell in this column belong together.
    ByKey(usize),
}

/// Expects a CSV table with this header and these rows, in any quoting.
///
/// # Panics
/// Panics if a row has another number of cells than the header.
#[track_caller]
pub fn csv<H: AsRef<str>, R: AsRef<[S]>, S: AsRef<str>>(
    header: impl AsRef<[H]>,
    rows: impl AsRef<[R]>,
) -> Csv {
    let owned = |text: &dyn AsRef<str>| text.as_ref().to_owned();
    let header: Vec<String> = header.as_ref().iter().map(|name| owned(name)).collect();
    let rows = rows.as_ref().iter().map(AsRef::as_ref);
    let rows: Vec<Vec<String>> = rows
        .map(|row| row.iter().map(|cell| owned(cell)).collect())
        .collect();
    for row in &rows {
        assert!(
            row.len() == header.len(),
            "{row:?} has not the columns {header:?}"
        );
    }
    Csv {
        rules: vec![Rule::default(); header.len()],
        header,
        rows,
        order: Order::AsExpected,
        any_columns: false,
        trimmed: false,
        separator: b',',
    }
}

impl Csv {
    /// Compares the cells of a column by a rule. Without one, they are compared as text.
    ///
    /// # Panics
    /// Panics if the expected header has no such column.
    #[track_caller]
    #[must_use]
    pub fn column(mut self, name: &str, rule: impl Into<Rule>) -> Self {
        let at = self.index(name);
        self.rules[at] = rule.into();
        self
    }

    /// Compares the cells of columns as amounts: `12.5` equals `12.50`.
    ///
    /// # Panics
    /// Panics if the expected header has no such column.
    #[track_caller]
    #[must_use]
    pub fn amounts<S: AsRef<str>>(mut self, names: impl AsRef<[S]>) -> Self {
        for name in names.as_ref() {
            self = self.column(name.as_ref(), Amounts::new());
        }
        self
    }

    /// Compares the cells of columns as dates: `1 March 2025` equals `2025-03-01`.
    ///
    /// # Panics
    /// Panics if the expected header has no such column.
    #[track_caller]
    #[must_use]
    pub fn dates<S: AsRef<str>>(mut self, names: impl AsRef<[S]>) -> Self {
        for name in names.as_ref() {
            self = self.column(name.as_ref(), Dates::new());
        }
        self
    }

    /// Accepts the rows in any order.
    #[must_use]
    pub fn in_any_order(mut self) -> Self {
        self.order = Order::Any;
        self
    }

    /// Accepts the rows in any order, and finds rows by their cell in this column, which is different in each
    /// expected row. Details then name rows by this cell.
    ///
    /// # Panics
    /// Panics if the expected header has no such column, or if two expected rows have the same cell in it.
    #[track_caller]
    #[must_use]
    pub fn by_key(mut self, column: &str) -> Self {
        let at = self.index(column);
        let mut keys = BTreeSet::new();
        for row in &self.rows {
            let key = row[at].as_str();
            assert!(
                keys.insert(key),
                "expected different cells in the column {column}, found {key:?} twice"
            );
        }
        self.order = Order::ByKey(at);
        self
    }

    /// Accepts the columns in any order.
    #[must_use]
    pub fn columns_in_any_order(mut self) -> Self {
        self.any_columns = true;
        self
    }

    /// Ignores blanks around names of columns and around cells, of the expected table too.
    #[must_use]
    pub fn trimmed(mut self) -> Self {
        self.trimmed = true;
        let rows = self.rows.iter_mut().flatten();
        for cell in self.header.iter_mut().chain(rows) {
            *cell = cell.trim().to_owned();
        }
        self
    }

    /// Sets the separator, which is a comma by default.
    ///
    /// # Panics
    /// Panics if the separator is not an ASCII character, or is a quote, CR or LF.
    #[track_caller]
    #[must_use]
    pub fn separator(mut self, separator: u8) -> Self {
        // Not stored as a format: a bad separator is to be reported here.
        let _ = Format::strict().separator(separator);
        self.separator = separator;
        self
    }

    #[track_caller]
    fn index(&self, name: &str) -> usize {
        match self.header.iter().position(|column| column == name) {
            Some(at) => at,
            None => panic!("no column {name:?} among {:?}", self.header),
        }
    }

    fn value<'a>(&self, text: &'a str) -> &'a str {
        if self.trimmed { text.trim() } else { text }
    }

    /// Returns the position in the found rows of each expected column.
    fn columns(&self, header: &[String]) -> Result<Vec<usize>, String> {
        let found: Vec<&str> = header.iter().map(|name| self.value(name)).collect();
        if !self.any_columns {
            let pairs = self.header.iter().zip(&found).zip(1..);
            for ((a, b), number) in pairs {
                if a != b {
                    return Err(format!(
                        "header, column {number}: expected {}, found {}",
                        show(a),
                        show(b)
                    ));
                }
            }
        }
        let mut columns = Vec::new();
        for (at, name) in self.header.iter().enumerate() {
            let place = if self.any_columns {
                found.iter().position(|other| other == name)
            } else {
                Some(at).filter(|at| *at < found.len())
            };
            columns.push(place.ok_or_else(|| {
                format!(
                    "header: expected the column {}, found {}",
                    show(name),
                    show(&found.join(","))
                )
            })?);
        }
        let extra = (0..found.len()).find(|at| !columns.contains(at));
        match extra {
            Some(at) => Err(format!(
                "header: expected no further column, found {}",
                show(found[at])
            )),
            None => Ok(columns),
        }
    }

    fn compare_text(&self, text: &str) -> Result<(), String> {
        let is_end = |byte: &u8| *byte == self.separator || *byte == b'\n';
        if text.bytes().filter(is_end).count() > MAX_CELLS {
            return Err(format!("expected at most {MAX_CELLS} cells, found more"));
        }
        let format = Format::strict().separator(self.separator);
        let table = format.read(text)?;
        let columns = self.columns(table.header())?;
        let (expected, found) = (self.rows.len(), table.row_count());
        if found > 2 * expected + 1000 {
            return Err(format!("expected {expected} rows, found {found}"));
        }
        let rows = self.rows_of(table.rows(), &columns);
        match self.order {
            Order::AsExpected => self.in_order(&rows),
            Order::Any => self.in_any_order_of(&rows),
            Order::ByKey(key) => self.by_key_of(&rows, key),
        }
    }

    fn rows_of(&self, rows: &[Row], columns: &[usize]) -> Vec<Found> {
        let in_order = |row: &Row| {
            let cells = row.cells();
            let cell = |&at: &usize| cells.get(at).copied().unwrap_or_default();
            columns
                .iter()
                .map(|at| self.value(cell(at)).to_owned())
                .collect()
        };
        rows.iter()
            .map(|row| Found {
                line: row.line(),
                cells: in_order(row),
            })
            .collect()
    }

    /// Compares one row. The detail names the first cell that differs.
    fn difference(&self, expected: &[String], found: &[String]) -> Option<String> {
        let cells = expected.iter().zip(found).zip(&self.rules);
        let mut named = cells.zip(&self.header);
        named.find_map(|(((a, b), rule), name)| {
            let (expected, found) = rule.difference(a, b)?;
            Some(format!("column {name}: expected {expected}, found {found}"))
        })
    }

    fn are_equal(&self, expected: &[String], found: &[String]) -> bool {
        let mut cells = expected.iter().zip(found).zip(&self.rules);
        cells.all(|((a, b), rule)| a == b || rule.difference(a, b).is_none())
    }

    fn in_order(&self, found: &[Found]) -> Result<(), String> {
        for (at, (a, b)) in self.rows.iter().zip(found).enumerate() {
            let Some(difference) = self.difference(a, &b.cells) else {
                continue;
            };
            let line = b.line;
            if let Some(next) = self.rows.get(at + 1)
                && self.rows.len() > found.len()
                && self.are_equal(next, &b.cells)
            {
                return Err(format!(
                    "line {line}: expected the row {} before this one, found none",
                    shown(a)
                ));
            }
            if let Some(next) = found.get(at + 1)
                && self.rows.len() < found.len()
                && self.are_equal(a, &next.cells)
            {
                return Err(format!(
                    "line {line}: expected no such row, found {}",
                    shown(&b.cells)
                ));
            }
            return Err(format!("line {line}, {difference}"));
        }
        let shared = self.rows.len().min(found.len());
        match (self.rows.get(shared), found.get(shared)) {
            (Some(missing), _) => Err(format!(
                "expected {} rows, found {}; first missing: {}",
                self.rows.len(),
                found.len(),
                shown(missing)
            )),
            (_, Some(extra)) => Err(format!(
                "expected {} rows, found {}; first extra, in line {}: {}",
                self.rows.len(),
                found.len(),
                extra.line,
                shown(&extra.cells)
            )),
            (None, None) => Ok(()),
        }
    }

    /// Compares the rows as multisets of canonical rows.
    fn in_any_order_of(&self, found: &[Found]) -> Result<(), String> {
        let canonical = |cells: &[String]| -> Vec<String> {
            let ruled = cells.iter().zip(&self.rules);
            ruled.map(|(cell, rule)| rule.canonical(cell)).collect()
        };
        let mut wanted: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate().rev() {
            wanted.entry(canonical(row)).or_default().push(at);
        }
        let mut extra: Vec<&Found> = Vec::new();
        for row in found {
            let place = wanted.get_mut(&canonical(&row.cells));
            if place.and_then(Vec::pop).is_none() {
                extra.push(row);
            }
        }
        let Some(missing) = wanted.values().flatten().min() else {
            return match extra.first() {
                Some(row) => Err(format!(
                    "line {}: expected no such row, found {}",
                    row.line,
                    shown(&row.cells)
                )),
                None => Ok(()),
            };
        };
        let missing = &self.rows[*missing];
        let alike = |row: &Found| {
            let cells = missing.iter().zip(&row.cells).zip(&self.rules);
            let equal = cells.filter(|((a, b), rule)| a == b || rule.difference(a, b).is_none());
            equal.count()
        };
        let mut nearest: Option<(usize, &Found)> = None;
        for row in extra.into_iter().take(CANDIDATES) {
            let alike = alike(row);
            if 2 * alike >= missing.len() && nearest.is_none_or(|(most, _)| alike > most) {
                nearest = Some((alike, row));
            }
        }
        match nearest {
            Some((_, row)) => Err(format!(
                "line {}, {}",
                row.line,
                self.difference(missing, &row.cells).unwrap_or_default()
            )),
            None => Err(format!(
                "expected the row {}, found no such row",
                shown(missing)
            )),
        }
    }

    fn by_key_of(&self, found: &[Found], key: usize) -> Result<(), String> {
        let (name, rule) = (&self.header[key], &self.rules[key]);
        let mut rows: BTreeMap<String, &Found> = BTreeMap::new();
        for row in found {
            let cell = rule.canonical(&row.cells[key]);
            if let Some(first) = rows.insert(cell, row) {
                return Err(format!(
                    "line {}: expected one row with {name} {}, found it in line {} too",
                    row.line,
                    show(&row.cells[key]),
                    first.line
                ));
            }
        }
        for expected in &self.rows {
            let key_shown = show(&expected[key]);
            let Some(row) = rows.remove(&rule.canonical(&expected[key])) else {
                return Err(format!(
                    "expected a row with {name} {key_shown}, found none"
                ));
            };
            if let Some(difference) = self.difference(expected, &row.cells) {
                return Err(format!(
                    "line {}, row with {name} {key_shown}, {difference}",
                    row.line
                ));
            }
        }
        match rows.values().min_by_key(|row| row.line) {
            Some(row) => Err(format!(
                "line {}: expected no row with {name} {}, found {}",
                row.line,
                show(&row.cells[key]),
                shown(&row.cells)
            )),
            None => Ok(()),
        }
    }
}

/// A row that was found, with its cells in the expected order of columns.
struct Found {
    line: u64,
    cells: Vec<String>,
}

fn shown(cells: &[String]) -> String {
    show(&cells.join(","))
}

impl Rule {
    /// Returns true if cells are compared as texts.
    pub(super) fn is_text(&self) -> bool {
        self.read.is_none()
    }

    /// Returns the expected and the found value in words, if they differ.
    pub(super) fn difference(&self, expected: &str, found: &str) -> Option<(String, String)> {
        if expected == found {
            return None;
        }
        let Some(read) = &self.read else {
            return Some(show_difference(expected, found));
        };
        match (read(expected), read(found)) {
            (Ok(a), Ok(b)) if a == b => None,
            (a, b) => Some((in_words(expected, a.is_ok()), in_words(found, b.is_ok()))),
        }
    }

    /// Returns a form of the cell that equal cells have in common.
    pub(super) fn canonical(&self, cell: &str) -> String {
        let value = match &self.read {
            Some(read) if !cell.is_empty() => read(cell),
            _ => return cell.to_owned(),
        };
        // A text that is no value equals itself alone, and no value.
        value.unwrap_or_else(|_| format!("\0{cell}"))
    }
}

fn in_words(text: &str, is_value: bool) -> String {
    if is_value {
        cut(text.trim(), 40)
    } else {
        show(text)
    }
}

impl Expected for Csv {
    fn size(&self) -> usize {
        let cells = self.header.iter().chain(self.rows.iter().flatten());
        cells.map(|cell| cell.len() + 3).sum()
    }

    fn compare(&self, found: &str) -> Condition {
        match self.compare_text(super::body(found)) {
            Ok(()) => Condition::pass(format!("{} rows, as expected", self.rows.len())),
            Err(reason) => Condition::fail(reason),
        }
    }
}
