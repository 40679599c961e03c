//! Expected rows, and their comparison with the rows of a table.

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Found, HashMap};

use crate::Rows;

type Values = Vec<Option<String>>;

/// Rows that a table should have, each with its own key.
#[derive(Clone, Debug)]
pub struct Expected {
    columns: Vec<String>,
    key: Vec<usize>,
    rows: Vec<Values>,
    /// Positions of the rows by their key.
    positions: HashMap<String, usize>,
    ignored: BTreeSet<String>,
}

impl Expected {
    /// Creates an expectation without rows.
    ///
    /// # Panics
    ///
    /// Panics if a column of the key is not among the columns.
    #[track_caller]
    #[must_use]
    pub fn new(columns: &[&str], key: &[&str]) -> Self {
        let position = |name: &&str| columns.iter().position(|column| column == name);
        let found: Option<Vec<usize>> = key.iter().map(position).collect();
        match found {
            Some(key) => Self {
                columns: columns.iter().map(|name| (*name).to_owned()).collect(),
                key,
                rows: Vec::new(),
                positions: HashMap::default(),
                ignored: BTreeSet::new(),
            },
            None => panic!("no columns {key:?} among {columns:?}"),
        }
    }

    /// Leaves a column out of the comparison.
    #[must_use]
    pub fn ignoring(mut self, column: &str) -> Self {
        self.ignored.insert(column.to_owned());
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// Panics if its key is taken, or its number of values is not that of the columns.
    #[track_caller]
    pub fn add(&mut self, values: Values) {
        assert_eq!(
            values.len(),
            self.columns.len(),
            "values of {:?}",
            self.columns
        );
        let key = joined(self.key.iter().map(|at| values[*at].as_deref()));
        if let Some(first) = self.positions.insert(key, self.rows.len()) {
            panic!("two expected rows have the key of {:?}", self.rows[first]);
        }
        self.rows.push(values);
    }

    /// Adds a row without `NULL`.
    ///
    /// # Panics
    ///
    /// Panics like [`Expected::add`].
    #[track_caller]
    pub fn insert<const N: usize>(&mut self, values: [&str; N]) {
        self.add(values.map(|value| Some(value.to_owned())).to_vec());
    }

    /// Changes one value of the row with this key.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row or column, or the column belongs to the key.
    #[track_caller]
    pub fn set<const N: usize>(&mut self, key: [&str; N], column: &str, value: Option<&str>) {
        let at = self.position(column);
        assert!(!self.key.contains(&at), "{column} belongs to the key");
        match self.positions.get(&joined(key.into_iter().map(Some))) {
            Some(row) => self.rows[*row][at] = value.map(str::to_owned),
            None => panic!("no expected row with the key {key:?}"),
        }
    }

    /// Removes the row with this key.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    #[track_caller]
    pub fn remove<const N: usize>(&mut self, key: [&str; N]) {
        match self.positions.remove(&joined(key.into_iter().map(Some))) {
            Some(row) => {
                self.rows.swap_remove(row);
                // The last row took the position of the removed one.
                if let Some(moved) = self.rows.get(row) {
                    let key = joined(self.key.iter().map(|at| moved[*at].as_deref()));
                    self.positions.insert(key, row);
                }
            }
            None => panic!("no expected row with the key {key:?}"),
        }
    }

    /// Adds a column with a value that follows from the other ones of a row, as text or `NULL`.
    pub fn add_column(
        &mut self,
        name: &str,
        value: impl Fn(&dyn Fn(&str) -> Option<String>) -> Option<String>,
    ) {
        for row in &mut self.rows {
            let columns = &self.columns;
            let get = |column: &str| {
                let at = columns.iter().position(|name| name == column);
                at.and_then(|at| row[at].clone())
            };
            let value = value(&get);
            row.push(value);
        }
        self.columns.push(name.to_owned());
    }

    #[track_caller]
    fn position(&self, column: &str) -> usize {
        match self.columns.iter().position(|name| name == column) {
            Some(at) => at,
            None => panic!("no column {column:?} among {:?}", self.columns),
        }
    }

    /// Compares all columns that are not ignored.
    #[must_use]
    pub fn compare(&self, found: &Rows) -> Condition {
        let columns = self.columns.iter().map(String::as_str);
        let columns: Vec<&str> = columns
            .filter(|name| !self.ignored.contains(*name))
            .collect();
        self.compare_columns(found, &columns)
    }

    /// Compares the keys and some columns. The order of columns makes no difference, and columns that the table has
    /// beyond the expected ones do not matter.
    ///
    /// # Panics
    ///
    /// Panics if a column is not expected.
    #[track_caller]
    #[must_use]
    pub fn compare_columns(&self, found: &Rows, columns: &[&str]) -> Condition {
        let mut pairs = Vec::new();
        for name in columns {
            let Some(at) = found.position(name) else {
                return Condition::fail(format!(
                    "expected a column {name}, found {:?}",
                    found.columns()
                ));
            };
            pairs.push((self.position(name), at, *name));
        }
        let keys: Option<Vec<usize>> = self
            .key
            .iter()
            .map(|at| found.position(&self.columns[*at]))
            .collect();
        let Some(keys) = keys else {
            return Condition::fail(format!(
                "expected the columns {:?}, found {:?}",
                self.columns,
                found.columns()
            ));
        };
        let mut seen = vec![false; self.rows.len()];
        for row in 0..found.len() {
            let key: Vec<Option<&str>> = keys.iter().map(|at| found.get(row, *at)).collect();
            let Some(position) = self.positions.get(&joined(key.iter().copied())) else {
                return Condition::fail(format!("expected no {}", self.name(&key)));
            };
            for (wanted, at, name) in &pairs {
                let (wanted, value) = (
                    self.rows[*position][*wanted].as_deref(),
                    found.get(row, *at),
                );
                if wanted != value {
                    return Condition::fail(format!(
                        "{}, column {name}: expected {}, found {}",
                        self.name(&key),
                        shown(wanted),
                        shown(value)
                    ));
                }
            }
            if std::mem::replace(&mut seen[*position], true) {
                return Condition::fail(format!("expected one {}, found two", self.name(&key)));
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(missing) => {
                let row = &self.rows[missing];
                let key: Vec<Option<&str>> =
                    self.key.iter().map(|at| row[*at].as_deref()).collect();
                Condition::fail(format!("expected a {}, found none", self.name(&key)))
            }
            None => Condition::pass(format!("{} rows, as expected", self.rows.len())),
        }
    }

    fn name(&self, key: &[Option<&str>]) -> String {
        let parts = self.key.iter().zip(key);
        let parts = parts.map(|(at, value)| format!("{} {}", self.columns[*at], shown(*value)));
        format!("row with {}", parts.collect::<Vec<_>>().join(", "))
    }
}

/// Returns one text for the values of a key. Values are told apart by their lengths, and `NULL` by a sign of its own.
fn joined<'a>(values: impl Iterator<Item = Option<&'a str>>) -> String {
    let mut text = String::new();
    for value in values {
        match value {
            Some(value) => {
                text.push_str(&value.len().to_string());
                text.push(':');
                text.push_str(value);
            }
            None => text.push('-'),
        }
    }
    text
}

fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |text| format!("{text:?}"))
}

/// Comparisons of the rows of a table.
pub trait RowsExt {
    /// Checks that the rows are the expected ones, in any order.
    fn equal(&self, expected: &Expected) -> Condition;

    /// Checks the keys and some columns of the rows.
    fn columns_equal(&self, expected: &Expected, columns: &[&str]) -> Condition;

    /// Checks the names of the columns, in any order.
    fn has_columns(&self, names: &[&str]) -> Condition;
}

impl RowsExt for Found<Rows> {
    fn equal(&self, expected: &Expected) -> Condition {
        self.satisfies(|rows| expected.compare(rows))
    }

    fn columns_equal(&self, expected: &Expected, columns: &[&str]) -> Condition {
        self.satisfies(|rows| expected.compare_columns(rows, columns))
    }

    fn has_columns(&self, names: &[&str]) -> Condition {
        self.satisfies(|rows| {
            let found: BTreeSet<&str> = rows.columns().iter().map(String::as_str).collect();
            let expected: BTreeSet<&str> = names.iter().copied().collect();
            Condition::equal(&expected, &found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: &Expected, text: &str) -> String {
        let condition = Found::new("t", Rows::read(text)).equal(expected);
        assert_eq!(
            condition.passed(),
            condition.detail().ends_with("as expected")
        );
        condition.detail().to_owned()
    }

    #[test]
    fn differences_are_told_by_key_and_column() {
        let mut expected = Rows::read("id,a\n1,x\n2,\n").unwrap().expected(["id"]);
        expected.set(["1"], "a", Some("y"));
        expected.insert(["3", "z"]);
        assert_eq!(
            compared(&expected, "a,id\n,2\ny,1\nz,3\n"),
            "t: 3 rows, as expected"
        );
        for (text, detail) in [
            (
                "id,a\n1,x\n2,\n3,z\n",
                r#"t: row with id "1", column a: expected "y", found "x""#,
            ),
            (
                "id,a\n1,y\n2,\"\"\n3,z\n",
                r#"t: row with id "2", column a: expected NULL, found """#,
            ),
            (
                "id,a\n1,y\n2,\n",
                r#"t: expected a row with id "3", found none"#,
            ),
            (
                "id,a\n1,y\n2,\n3,z\n4,\n",
                r#"t: expected no row with id "4""#,
            ),
            (
                "id,a\n1,y\n1,y\n2,\n3,z\n",
                r#"t: expected one row with id "1", found two"#,
            ),
            ("id\n1\n", r#"t: expected a column a, found ["id"]"#),
        ] {
            assert_eq!(compared(&expected, text), detail);
        }
        expected.remove(["3"]);
        assert_eq!(
            compared(&expected.ignoring("a"), "id,a\n1,q\n2,r\n"),
            "t: 2 rows, as expected"
        );
    }

    #[test]
    fn columns_follow_from_others() {
        let mut expected = Rows::read("id,a\n1,x\n2,\n").unwrap().expected(["id"]);
        expected.add_column("b", |get| get("a").map(|a| format!("{a}{a}")));
        assert_eq!(
            compared(&expected, "id,a,b\n1,x,xx\n2,,\n"),
            "t: 2 rows, as expected"
        );
        let found = Found::new("t", Rows::read("b,id\n,2\nxx,1\n"));
        assert!(found.columns_equal(&expected, &["b"]).passed());
        assert!(!found.has_columns(&["id", "a", "b"]).passed());
    }

    #[test]
    #[should_panic(expected = "no expected row with the key")]
    fn edits_of_unknown_rows_are_mistakes_of_the_verifier() {
        Rows::read("id,a\n")
            .unwrap()
            .expected(["id"])
            .set(["1"], "a", None);
    }
}
