//! Receivers of results: printed as Python lists of dictionaries, and tables for the tools themselves.

use mcpmark_service::Reservation;

use super::python::{self, Kind, Refusal, Settings};
use super::wire::{Column, Parameters, QueryError, RowValues, Sink};

/// Rows may be this much larger in the protocol than printed: bytes are sent as two digits each.
const RAW_BYTES_PER_PRINTED: u64 = 2;

/// Bytes of a row beyond its printed size.
const ROW_OVERHEAD: u64 = 64 * 1024;

fn max_row_bytes(limit: u64) -> usize {
    let bytes = limit.saturating_mul(RAW_BYTES_PER_PRINTED);
    usize::try_from(bytes.saturating_add(ROW_OVERHEAD)).unwrap_or(usize::MAX)
}

/// Returns a reservation of nothing that can grow.
fn reservation() -> Reservation {
    // A cancelled call has no reservation, and stops at its next step.
    mcpmark_service::reserve(0).unwrap_or_default()
}

/// Result of the last statement as Python prints it: a list of dictionaries.
pub(crate) struct Printed {
    limit: u64,
    current: Option<PrintedRows>,
}

struct PrintedRows {
    columns: Vec<PrintedColumn>,
    /// Whether two columns have the same name.
    has_duplicates: bool,
    settings: Settings,
    text: String,
    count: usize,
    refusal: Option<Refusal>,
    memory: Reservation,
}

struct PrintedColumn {
    /// Name as Python prints it.
    key: String,
    kind: Kind,
    /// Number of the column whose value is printed: the last one of this name. `None` if an earlier column has the name.
    shown: Option<usize>,
}

impl Printed {
    /// Creates a receiver for results of at most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            current: None,
        }
    }

    /// Returns the printed rows with their number, or `None` if the last statement returns no rows.
    pub(crate) fn finish(self) -> Option<(String, usize)> {
        let rows = self.current?;
        let mut text = rows.text;
        text.push(']');
        Some((text, rows.count))
    }
}

impl PrintedRows {
    fn push(&mut self, values: &[Option<&[u8]>]) -> Result<(), Refusal> {
        if self.count > 0 {
            self.text.push_str(", ");
        }
        self.count += 1;
        self.text.push('{');
        // All values are converted, in the order of the columns, also those that a later column of the same name
        // replaces: the first one that fails decides the error.
        let mut converted = Vec::new();
        if self.has_duplicates {
            for (column, value) in self.columns.iter().zip(values) {
                let mut text = String::new();
                push_value(&column.kind, *value, &self.settings, &mut text)?;
                converted.push(text);
            }
        }
        let mut is_first = true;
        for (column, value) in self.columns.iter().zip(values) {
            let Some(shown) = column.shown else {
                continue;
            };
            if !std::mem::take(&mut is_first) {
                self.text.push_str(", ");
            }
            self.text.push_str(&column.key);
            self.text.push_str(": ");
            match converted.get(shown) {
                Some(text) => self.text.push_str(text),
                None => push_value(&column.kind, *value, &self.settings, &mut self.text)?,
            }
        }
        self.text.push('}');
        Ok(())
    }
}

/// Appends a value, or `None` for a null.
fn push_value(
    kind: &Kind,
    value: Option<&[u8]>,
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    match value {
        Some(data) => python::value(kind, data, settings, out),
        None => {
            out.push_str("None");
            Ok(())
        }
    }
}

impl Sink for Printed {
    fn begin(&mut self, columns: Vec<Column>, parameters: &Parameters) {
        let mut places = std::collections::HashMap::new();
        for (index, column) in columns.iter().enumerate() {
            let place = places.entry(&column.name).or_insert((index, index));
            place.1 = index;
        }
        let has_duplicates = places.len() < columns.len();
        let columns = columns.iter().enumerate().map(|(index, column)| {
            let mut key = String::new();
            python::string(&String::from_utf8_lossy(&column.name), &mut key);
            let (first, last) = places[&column.name];
            PrintedColumn {
                key,
                kind: Kind::of(column.type_oid),
                shown: (first == index).then_some(last),
            }
        });
        self.current = Some(PrintedRows {
            columns: columns.collect(),
            has_duplicates,
            settings: Settings::of(parameters),
            text: "[".to_owned(),
            count: 0,
            refusal: None,
            memory: reservation(),
        });
    }

    fn row(&mut self, values: RowValues<'_>) -> Result<(), QueryError> {
        let Some(rows) = &mut self.current else {
            return Ok(());
        };
        // The last statement decides whether the value matters.
        if rows.refusal.is_some() {
            return Ok(());
        }
        let values: Vec<Option<&[u8]>> = values.collect::<Result<_, _>>()?;
        let before = rows.text.capacity();
        rows.refusal = rows.push(&values).err();
        let after = rows.text.capacity();
        if after > before {
            rows.memory.grow((after - before) as u64)?;
        }
        if rows.text.len() as u64 > self.limit {
            return Err(QueryError::TooLarge(self.limit));
        }
        Ok(())
    }

    fn no_rows(&mut self) {
        self.current = None;
    }

    fn max_row_bytes(&self) -> usize {
        max_row_bytes(self.limit)
    }

    fn oversized_row(&mut self) -> Result<(), QueryError> {
        Err(QueryError::TooLarge(self.limit))
    }

    fn check(&mut self) -> Result<(), QueryError> {
        let refusal = self.current.as_mut().and_then(|rows| rows.refusal.take());
        refusal.map_or(Ok(()), |refusal| Err(refusal.into()))
    }
}

/// Result of the last statement for a tool. Values are in text format.
pub(crate) struct Table {
    limit: u64,
    max_rows: usize,
    size: u64,
    /// Names of the columns, or `None` if the last statement returns no rows.
    columns: Option<Vec<Column>>,
    rows: Vec<Vec<Option<String>>>,
    memory: Reservation,
}

impl Table {
    /// Creates a receiver for values of at most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            max_rows: usize::MAX,
            size: 0,
            columns: None,
            rows: Vec::new(),
            memory: reservation(),
        }
    }

    /// Creates a receiver that keeps only the first row.
    pub(crate) fn first_row(limit: u64) -> Self {
        Self {
            max_rows: 1,
            ..Self::new(limit)
        }
    }

    /// Returns the columns, or `None` if the last statement returns no rows.
    pub(crate) fn columns(&self) -> Option<&[Column]> {
        self.columns.as_deref()
    }

    /// Returns the rows.
    pub(crate) fn rows(&self) -> &[Vec<Option<String>>] {
        &self.rows
    }

    /// Returns the value in the first row and column.
    pub(crate) fn value(&self) -> Option<&str> {
        self.rows.first()?.first()?.as_deref()
    }
}

impl Sink for Table {
    fn begin(&mut self, columns: Vec<Column>, _parameters: &Parameters) {
        self.no_rows();
        self.columns = Some(columns);
    }

    fn row(&mut self, values: RowValues<'_>) -> Result<(), QueryError> {
        if self.rows.len() >= self.max_rows {
            return Ok(());
        }
        let mut row = Vec::new();
        let mut size = 0;
        for value in values {
            let value = value?.map(|data| String::from_utf8_lossy(data).into_owned());
            size += value.as_ref().map_or(0, String::len) + size_of::<Option<String>>();
            row.push(value);
        }
        self.size += size as u64;
        if self.size > self.limit {
            return Err(QueryError::TooLarge(self.limit));
        }
        self.memory.grow(size as u64)?;
        self.rows.push(row);
        Ok(())
    }

    fn no_rows(&mut self) {
        self.columns = None;
        self.rows.clear();
        self.memory = reservation();
        self.size = 0;
    }

    fn max_row_bytes(&self) -> usize {
        max_row_bytes(self.limit)
    }

    fn oversized_row(&mut self) -> Result<(), QueryError> {
        Err(QueryError::TooLarge(self.limit))
    }
}
