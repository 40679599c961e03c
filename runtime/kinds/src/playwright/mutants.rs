//! Mutants of sites, made from the rows of their tables: one row or value differs.

use std::collections::BTreeMap;

use mcpmark_snapshot::{Blobs, File, Node, Tree, TreeBuilder, TreePath};
use serde_json::{Value, json};

use crate::{MutateError, Mutation, Solved, StateMutant, StateMutator};

/// A row is that of the starting state, or a removed row is there again.
const STALE_ROW: Mutation = Mutation::new("stale-row");
/// A row is missing.
const LOST_ROW: Mutation = Mutation::new("lost-row");
/// A row is duplicated, as if a form was sent twice.
const DOUBLED_ROW: Mutation = Mutation::new("doubled-row");
/// A value differs by one, or in its text.
const VALUE: Mutation = Mutation::new("value");
/// A value is `NULL`.
const NULL_VALUE: Mutation = Mutation::new("null-value");
/// A row that the solution left alone differs.
const OTHER_ROW: Mutation = Mutation::new("other-row");

/// All mutations that are specific to sites.
pub(super) const MUTATIONS: &[Mutation] = &[
    STALE_ROW,
    LOST_ROW,
    DOUBLED_ROW,
    VALUE,
    NULL_VALUE,
    OTHER_ROW,
];

/// Table of the sessions of browsers, which the SDK for sites maintains.
const SESSIONS: &str = "sessions";
/// Table of the last values of `AUTOINCREMENT` columns.
const SEQUENCES: &str = "sqlite_sequence";
/// Smallest integer that is taken for a time in seconds. Times depend on the number of requests before.
const FIRST_TIME: i64 = 1_000_000_000;
/// Maximum number of changed rows of a table that are mutated.
const MAX_ROWS: usize = 60;

/// Mutator of the tables of sites.
pub(super) struct SiteMutator<'a> {
    solved: Solved<'a>,
}

/// Rows of a table by their first value, as JSON.
#[derive(Debug, Clone, Default, PartialEq)]
struct Rows {
    header: String,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Rows {
    fn read(tree: &Tree, path: &TreePath, blobs: &dyn Blobs) -> Result<Self, MutateError> {
        let Some(Node::File(file)) = tree.get(path) else {
            return Ok(Self::default());
        };
        let bytes = blobs.read(&file.content).map_err(MutateError::new)?;
        let text = String::from_utf8(bytes).map_err(MutateError::new)?;
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default().to_owned();
        let rows = lines.map(serde_json::from_str).collect::<Result<_, _>>();
        Ok(Self {
            columns: serde_json::from_str(&header).map_err(MutateError::new)?,
            header,
            rows: rows.map_err(MutateError::new)?,
        })
    }

    fn text(&self) -> String {
        let mut text = self.header.clone() + "\n";
        for row in &self.rows {
            text.push_str(&Value::Array(row.clone()).to_string());
            text.push('\n');
        }
        text
    }

    /// Returns the row with the same first value.
    fn same(&self, row: &[Value]) -> Option<&Vec<Value>> {
        self.rows.iter().find(|other| other.first() == row.first())
    }
}

/// Mutation of a table before it is stored.
struct Draft {
    mutation: Mutation,
    what: String,
    rows: Rows,
}

impl<'a> SiteMutator<'a> {
    pub(super) fn new(solved: Solved<'a>) -> Self {
        Self { solved }
    }

    /// Returns the paths of the tables of both states.
    fn tables(&self) -> Vec<TreePath> {
        let files = self.solved.start.files().chain(self.solved.end.files());
        let tables: BTreeMap<String, TreePath> = files
            .map(|(path, _)| path)
            .filter(|path| {
                let name = path.as_str().rsplit_once("/rows/");
                let name = name.and_then(|(_, name)| name.strip_suffix(".jsonl"));
                name.is_some_and(|name| !matches!(name, SESSIONS | SEQUENCES))
            })
            .map(|path| (path.as_str().to_owned(), path))
            .collect();
        tables.into_values().collect()
    }

    fn store(&self, path: &TreePath, text: &str) -> Result<Tree, MutateError> {
        let store = self.solved.store;
        let file = File {
            size: text.len() as u64,
            executable: false,
            modified: None,
            content: store.put(text.as_bytes()).map_err(MutateError::new)?,
        };
        let mut builder = TreeBuilder::from(self.solved.end.clone());
        builder.remove(path);
        builder.insert_file(path, file).map_err(MutateError::new)?;
        let tree = builder.finish();
        store.put_tree(&tree).map_err(MutateError::new)?;
        Ok(tree)
    }
}

impl StateMutator for SiteMutator<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let mut mutants = Vec::new();
        for path in self.tables() {
            let start = Rows::read(self.solved.start, &path, self.solved.blobs)?;
            let end = Rows::read(self.solved.end, &path, self.solved.blobs)?;
            for draft in drafts(&start, &end) {
                mutants.push(StateMutant {
                    mutation: draft.mutation,
                    place: path.as_str().to_owned(),
                    what: draft.what,
                    tree: self.store(&path, &draft.rows.text())?,
                });
            }
        }
        Ok(mutants)
    }
}

/// Returns the mutations of a table.
fn drafts(start: &Rows, end: &Rows) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let mut add = |mutation, what: String, change: &dyn Fn(&mut Vec<Vec<Value>>)| {
        let mut rows = end.clone();
        change(&mut rows.rows);
        if rows != *end {
            drafts.push(Draft {
                mutation,
                what,
                rows,
            });
        }
    };
    let changed = end.rows.iter().enumerate();
    let changed = changed.filter(|(_, row)| start.same(row) != Some(row));
    for (index, row) in changed.take(MAX_ROWS) {
        let name = shown(row);
        let before = start.same(row);
        match before {
            Some(before) => add(
                STALE_ROW,
                format!("row {name} is that of the start"),
                &|rows| {
                    rows[index].clone_from(before);
                },
            ),
            None => {
                add(LOST_ROW, format!("row {name} is missing"), &|rows| {
                    rows.remove(index);
                });
                add(DOUBLED_ROW, format!("row {name} is there twice"), &|rows| {
                    let mut copy = rows[index].clone();
                    copy[0] = next_key(rows);
                    rows.push(copy);
                });
            }
        }
        for (column, value) in row.iter().enumerate().skip(1) {
            let is_changed = before.is_none_or(|before| before.get(column) != Some(value));
            if !is_changed || value.as_i64().is_some_and(|number| number >= FIRST_TIME) {
                continue;
            }
            let label = end.columns.get(column).map_or("", String::as_str);
            add(
                VALUE,
                format!("{label} of row {name} is another one"),
                &|rows| {
                    rows[index][column] = other(value);
                },
            );
            add(
                NULL_VALUE,
                format!("{label} of row {name} is NULL"),
                &|rows| {
                    rows[index][column] = Value::Null;
                },
            );
        }
    }
    let removed = start.rows.iter().filter(|row| end.same(row).is_none());
    for row in removed.take(MAX_ROWS) {
        add(
            STALE_ROW,
            format!("row {} is there again", shown(row)),
            &|rows| {
                rows.push(row.clone());
            },
        );
    }
    let unchanged = end.rows.iter().position(|row| start.same(row) == Some(row));
    if let Some(index) = unchanged {
        let row = &end.rows[index];
        let column = row.len().saturating_sub(1);
        add(OTHER_ROW, format!("row {} differs", shown(row)), &|rows| {
            rows[index][column] = other(&row[column]);
        });
    }
    drafts
}

fn shown(row: &[Value]) -> String {
    row.first().map_or_else(String::new, Value::to_string)
}

/// Returns a first value that no row has.
fn next_key(rows: &[Vec<Value>]) -> Value {
    let keys = rows.iter().filter_map(|row| row.first()?.as_i64());
    match keys.max() {
        Some(last) => json!(last + 1),
        None => json!("another"),
    }
}

/// Returns another value of the same type.
fn other(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(number) => json!(number + 1),
            None => json!(number.as_f64().unwrap_or_default() + 1.0),
        },
        Value::String(text) => json!(format!("{text} x")),
        _ => json!(1),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn rows(lines: &[&str]) -> Rows {
        let header = r#"["id","state","time"]"#;
        Rows {
            header: header.to_owned(),
            columns: serde_json::from_str(header).unwrap(),
            rows: lines
                .iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        }
    }

    #[test]
    fn changed_added_and_removed_rows_are_mutated() {
        let start = rows(&[r#"[1,"new",5]"#, r#"[2,"new",5]"#, r#"[3,"new",5]"#]);
        let end = rows(&[
            r#"[1,"new",5]"#,
            r#"[2,"done",5]"#,
            r#"[4,"new",1800000000]"#,
        ]);
        let drafts = drafts(&start, &end);
        let made: BTreeSet<&str> = drafts.iter().map(|draft| draft.mutation.as_str()).collect();
        let all: BTreeSet<&str> = MUTATIONS.iter().map(|it| it.as_str()).collect();
        assert_eq!(made, all);
        let mut texts = BTreeSet::new();
        for draft in &drafts {
            assert_ne!(draft.rows, end, "{}", draft.what);
            assert!(texts.insert(draft.rows.text()), "{}", draft.what);
            // Times are left alone.
            assert!(
                draft
                    .rows
                    .rows
                    .iter()
                    .all(|row| row[2] != json!(1_800_000_001))
            );
        }
        assert!(
            super::drafts(&end, &end).len() == 1,
            "only the row of another mutation"
        );
    }
}
