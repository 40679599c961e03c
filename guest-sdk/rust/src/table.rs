//! CSV tables.

mod scan;

use std::cell::OnceCell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use crate::condition::show;
use crate::sequence::{count, in_any_order};
use crate::{Condition, Found};

/// Format of a CSV text: separator, header and strictness.
#[derive(Clone, Debug)]
pub struct Csv {
    separator: u8,
    ragged: bool,
    lenient: bool,
    header: bool,
}

impl Csv {
    /// Returns the strict format: RFC 4180 with a header, LF or CRLF, and commas. Every record has
    /// as many fields as the header, no line is blank, and quotes enclose only whole fields.
    pub fn strict() -> Self {
        Self {
            separator: b',',
            ragged: false,
            lenient: false,
            header: true,
        }
    }

    /// Returns a format like [`Csv::strict`] that skips blank lines and accepts stray quotes as
    /// text, for reading the starting tree.
    pub fn lenient() -> Self {
        Self {
            lenient: true,
            ..Self::strict()
        }
    }

    /// Sets the separator, which is a comma by default.
    ///
    /// # Panics
    /// Panics if the separator is not an ASCII character, or is a quote, CR or LF.
    #[must_use]
    pub fn separator(mut self, separator: u8) -> Self {
        assert!(
            separator.is_ascii() && !b"\"\r\n".contains(&separator),
            "no separator of CSV: byte {separator}"
        );
        self.separator = separator;
        self
    }

    /// Allows records that are shorter or longer than the header.
    #[must_use]
    pub fn ragged(mut self) -> Self {
        self.ragged = true;
        self
    }

    /// Reads the first record as data and names the columns `1`, `2` and so on.
    #[must_use]
    pub fn without_header(mut self) -> Self {
        self.header = false;
        self
    }

    /// Writes one record, with commas between the fields and LF at the end. A field is quoted only
    /// if it contains a comma, a quote, CR or LF.
    pub fn line<S: AsRef<str>>(cells: impl AsRef<[S]>) -> String {
        let mut line = String::new();
        for (index, cell) in cells.as_ref().iter().map(AsRef::as_ref).enumerate() {
            if index > 0 {
                line.push(',');
            }
            if cell.contains([',', '"', '\r', '\n']) {
                line.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
            } else {
                line.push_str(cell);
            }
        }
        line.push('\n');
        line
    }

    /// Reads a table from a text.
    ///
    /// # Errors
    /// Returns a message with the violated rule and the line.
    pub fn read(&self, text: impl Into<String>) -> Result<Table, String> {
        let read = scan::scan(text.into(), self.separator, self.lenient)?;
        if !self.ragged
            && let Some(first) = read.records.first()
        {
            let width = first.end - first.first;
            for record in &read.records {
                let found = record.end - record.first;
                if found != width {
                    return Err(format!(
                        "expected as many fields in each line as in line {}, which has {width}, found {found} in line {}",
                        first.line, record.line
                    ));
                }
            }
        }
        let header: Vec<String> = if self.header {
            let header = read
                .records
                .first()
                .ok_or("expected a header line, found an empty text")?;
            let cells = &read.cells[header.first as usize..header.end as usize];
            cells
                .iter()
                .map(|range| cut_out(&read.text, *range).to_owned())
                .collect()
        } else {
            let width = read
                .records
                .iter()
                .map(|record| record.end - record.first)
                .max();
            (1..=width.unwrap_or(0))
                .map(|number| number.to_string())
                .collect()
        };
        Ok(Table {
            rows: OnceCell::new(),
            first: usize::from(self.header),
            content: Rc::new(Content { header, read }),
        })
    }
}

/// Header and records, shared by a table and its rows.
#[derive(Debug)]
struct Content {
    header: Vec<String>,
    read: scan::Records,
}

fn cut_out(text: &str, (start, end): (u32, u32)) -> &str {
    &text[start as usize..end as usize]
}

/// A table: a header and rows.
#[derive(Clone, Debug)]
pub struct Table {
    content: Rc<Content>,
    /// Index of the record with the first row.
    first: usize,
    rows: OnceCell<Vec<Row>>,
}

impl Table {
    /// Returns the names of the columns.
    pub fn header(&self) -> &[String] {
        &self.content.header
    }

    /// Returns the rows, without the header.
    pub fn rows(&self) -> &[Row] {
        self.rows.get_or_init(|| {
            self.records()
                .iter()
                .map(|record| Row {
                    content: Rc::clone(&self.content),
                    record: *record,
                })
                .collect()
        })
    }

    /// Returns the number of rows, without the header.
    pub(crate) fn row_count(&self) -> usize {
        self.records().len()
    }

    fn records(&self) -> &[scan::Record] {
        &self.content.read.records[self.first..]
    }

    /// Returns some cells of each row, in the order of `names`.
    ///
    /// The columns are looked up once: over many rows this costs a fraction of [`Row::get`].
    ///
    /// ```
    /// # use mcpmark_guest::Csv;
    /// let loans = Csv::strict().read("id,title,days\n1,Emma,34\n2,Ulysses,3\n")?;
    /// let late = loans.columns(["days", "id"]).filter(|[days, _]| days.len() > 1);
    /// assert_eq!(late.collect::<Vec<_>>(), [["34", "1"]]);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the table has no such column, or a row is too short to have it.
    #[track_caller]
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> impl Iterator<Item = [&str; N]> {
        let header = self.header();
        let mut indexes = [0; N];
        // Not a closure: a panic in it would report its own line instead of the caller's.
        for (index, name) in indexes.iter_mut().zip(names) {
            match header.iter().position(|found| found == name) {
                Some(found) => *index = found,
                None => panic!("no column {name:?} among {header:?}"),
            }
        }
        let caller = Location::caller();
        let read = &self.content.read;
        self.records().iter().map(move |record| {
            let cells = &read.cells[record.first as usize..record.end as usize];
            indexes.map(|index| match cells.get(index) {
                Some(range) => cut_out(&read.text, *range),
                None => panic!(
                    "line {}: no column {:?}, which {caller} reads",
                    record.line, header[index]
                ),
            })
        })
    }
}

/// A row of a table. A clone is cheap: the text is shared.
#[derive(Clone)]
pub struct Row {
    content: Rc<Content>,
    record: scan::Record,
}

impl Row {
    /// Returns the line of the text on which the row begins, from 1.
    pub fn line(&self) -> u64 {
        self.record.line.into()
    }

    /// Returns the cells in their order.
    pub fn cells(&self) -> Vec<&str> {
        self.each().collect()
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.content.read.cells[self.record.first as usize..self.record.end as usize]
            .iter()
            .map(|range| cut_out(&self.content.read.text, *range))
    }

    /// Returns the cell of a column, or `None` if the row has no such cell.
    pub fn try_get(&self, column: &str) -> Option<&str> {
        let index = self.content.header.iter().position(|name| name == column)?;
        self.cell(index)
    }

    fn cell(&self, index: usize) -> Option<&str> {
        let index = self.record.first as usize + index;
        if index >= self.record.end as usize {
            return None;
        }
        Some(cut_out(
            &self.content.read.text,
            self.content.read.cells[index],
        ))
    }

    /// Returns the cell of a column that the table is known to have, as in the starting tree.
    ///
    /// # Panics
    /// Panics if the row has no such cell.
    #[track_caller]
    pub fn get(&self, column: &str) -> &str {
        match self.try_get(column) {
            Some(cell) => cell,
            None => panic!(
                "line {}: no column {column:?} among {:?}",
                self.line(),
                self.content.header
            ),
        }
    }

    fn joined(&self) -> String {
        self.cells().join(",")
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line())?;
        f.debug_list().entries(self.each()).finish()
    }
}

impl Found<Table> {
    /// Checks that the header has exactly these columns, in this order.
    pub fn header_is<S: AsRef<str>>(&self, expected: impl AsRef<[S]>) -> Condition {
        self.satisfies(|table| header_is(expected.as_ref(), table))
    }

    /// Returns the table if its header has exactly these columns, in this order. Otherwise all
    /// conditions on the result fail.
    #[must_use]
    pub fn header<S: AsRef<str>>(&self, expected: impl AsRef<[S]>) -> Found<Table> {
        self.try_map(|table| {
            let condition = header_is(expected.as_ref(), table);
            if condition.passed() {
                Ok(table.clone())
            } else {
                Err(condition.detail().to_owned())
            }
        })
    }

    /// Checks the number of rows, without the header.
    pub fn count_is(&self, expected: usize) -> Condition {
        self.satisfies(|table| count(expected, table.rows().len()))
    }

    /// Checks that the rows equal `expected`, in this order. The detail shows the first difference.
    pub fn equal<R: AsRef<[S]>, S: AsRef<str>>(&self, expected: impl AsRef<[R]>) -> Condition {
        self.satisfies(|table| {
            let expected = expected.as_ref();
            for (row, wanted) in table.rows().iter().zip(expected) {
                let wanted = cells(wanted);
                if !row.each().eq(wanted.iter().copied()) {
                    return Condition::fail(format!(
                        "line {}: expected {}, found {}",
                        row.line(),
                        show(&wanted.join(",")),
                        show(&row.joined())
                    ));
                }
            }
            match (
                expected.get(table.rows().len()),
                table.rows().get(expected.len()),
            ) {
                (Some(missing), _) => Condition::fail(format!(
                    "expected {} rows, found {}; first missing: {}",
                    expected.len(),
                    table.rows().len(),
                    show(&cells(missing).join(","))
                )),
                (_, Some(extra)) => Condition::fail(format!(
                    "expected {} rows, found {}; first extra, in line {}: {}",
                    expected.len(),
                    table.rows().len(),
                    extra.line(),
                    show(&extra.joined())
                )),
                (None, None) => Condition::pass(format!("{} rows, as expected", expected.len())),
            }
        })
    }

    /// Checks that the rows equal `expected`, in any order. The detail shows missing and extra
    /// rows.
    pub fn equal_in_any_order<R: AsRef<[S]>, S: AsRef<str>>(
        &self,
        expected: impl AsRef<[R]>,
    ) -> Condition {
        self.satisfies(|table| {
            let expected: Vec<String> = expected
                .as_ref()
                .iter()
                .map(|row| cells(row).join(","))
                .collect();
            let found: Vec<String> = table.rows().iter().map(Row::joined).collect();
            in_any_order(&expected, &found)
        })
    }

    /// Returns the cells of one column, from top to bottom.
    pub fn column(&self, name: &str) -> Found<Vec<String>> {
        self.part(&format!("column {name:?}"), |table| {
            table
                .rows()
                .iter()
                .map(|row| row.try_get(name).map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or(format!("no such column among {}", show(table.header())))
        })
    }

    /// Returns the only row with this value in this column.
    pub fn row_where(&self, column: &str, value: &str) -> Found<Row> {
        self.part(&format!("the row with {column} {value:?}"), |table| {
            let mut rows = table
                .rows()
                .iter()
                .filter(|row| row.try_get(column) == Some(value));
            match (rows.next(), rows.next()) {
                (Some(row), None) => Ok(row.clone()),
                (None, _) => Err("there is none".to_owned()),
                (Some(first), Some(second)) => Err(format!(
                    "expected one, found it in lines {} and {}",
                    first.line(),
                    second.line()
                )),
            }
        })
    }
}

impl Found<Row> {
    /// Returns one cell of the row.
    pub fn cell(&self, column: &str) -> Found<String> {
        self.part(&format!("{column:?}"), |row| {
            row.try_get(column)
                .map(str::to_owned)
                .ok_or("there is no such cell".to_owned())
        })
    }
}

fn cells<'a, S: AsRef<str> + 'a>(row: &'a impl AsRef<[S]>) -> Vec<&'a str> {
    row.as_ref().iter().map(AsRef::as_ref).collect()
}

fn header_is<S: AsRef<str>>(expected: &[S], table: &Table) -> Condition {
    let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
    let found: Vec<&str> = table.header().iter().map(String::as_str).collect();
    if expected == found {
        Condition::pass(format!("columns {}", show(&found.join(","))))
    } else {
        Condition::fail(format!(
            "expected the columns {}, found {}",
            show(&expected.join(",")),
            show(&found.join(","))
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Found<Table> {
        Found::new("a.csv", Csv::strict().read(text))
    }

    #[test]
    fn rows_are_compared_by_cells_and_told_by_line() {
        let found = table("id,name\n1,\"Doe, Jane\"\n2,x\n").header(["id", "name"]);
        assert!(found.equal([["1", "Doe, Jane"], ["2", "x"]]).passed());
        assert_eq!(
            found.equal([["1", "Doe, Jane"], ["2", "y"]]).detail(),
            r#"a.csv: line 3: expected "2,y", found "2,x""#
        );
        assert_eq!(
            found.equal([["1", "Doe, Jane"]]).detail(),
            r#"a.csv: expected 1 rows, found 2; first extra, in line 3: "2,x""#
        );
        assert!(
            found
                .equal_in_any_order([["2", "x"], ["1", "Doe, Jane"]])
                .passed()
        );
        assert!(found.row_where("id", "2").cell("name").equals("x").passed());
        assert_eq!(
            found.row_where("id", "9").exists().detail(),
            r#"the row with id "9" of a.csv: there is none"#
        );
        assert!(found.column("name").equal(["Doe, Jane", "x"]).passed());
    }

    #[test]
    fn another_header_fails_all_that_follows() {
        let found = table("id,nom\n1,x\n").header(["id", "name"]);
        assert_eq!(
            found.count_is(1).detail(),
            r#"a.csv: expected the columns "id,name", found "id,nom""#
        );
    }

    #[test]
    fn what_rfc_4180_forbids_is_refused() {
        let cases = [
            ("a,b\n\n1,2\n", "expected CSV, found a blank line 2"),
            (
                "a,b\n1\"x,2\n",
                "expected CSV, found a quote inside an unquoted field in line 2",
            ),
            (
                "a,b\n\"1\"x,2\n",
                "expected CSV, found text after a closing quote in line 2",
            ),
            (
                "a,b\n\"1,2\n",
                "expected CSV, found no closing quote for the one in line 2",
            ),
            ("", "expected a header line, found an empty text"),
        ];
        for (text, detail) in cases {
            assert_eq!(
                Csv::strict().read(text).err().as_deref(),
                Some(detail),
                "{text:?}"
            );
        }
        let short = Csv::strict().read("a,b\n1\n").expect_err("a short record");
        assert_eq!(
            short,
            "expected as many fields in each line as in line 1, which has 2, found 1 in line 2"
        );
        assert_eq!(
            Csv::lenient()
                .ragged()
                .read("a,b\n\n1\n")
                .expect("lenient")
                .rows()
                .len(),
            1
        );
    }

    #[test]
    fn quoted_newlines_and_crlf_are_read() {
        let found = table("a,b\r\n\"x\ny\",\"q\"\"q\"\r\n");
        assert!(found.equal([["x\ny", "q\"q"]]).passed());
    }

    proptest::proptest! {
        #[test]
        fn what_a_writer_writes_is_read_back(rows in proptest::collection::vec(proptest::collection::vec("[a,\"\n é]{1,5}", 3), 1..5)) {
            let text: String = std::iter::once(Csv::line(["x", "y", "z"])).chain(rows.iter().map(Csv::line)).collect();
            proptest::prop_assert!(table(&text).equal(&rows).passed(), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a,\"\r\n]{0,12}") {
            let _ = Csv::strict().read(&text);
            let _ = Csv::lenient().ragged().without_header().read(&text);
        }
    }
}
