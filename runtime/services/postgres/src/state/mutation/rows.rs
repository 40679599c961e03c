//! Mutations of rows and of values of sequences.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::{Changed, Mutant, MutationKind, PER_FILE};
use crate::state::csv::{self, Field};
use crate::state::overview::{Overview, Relation};
use crate::state::paths::Place;

/// Adds the mutants of a file of rows.
pub(super) fn mutate(
    file: &Changed<'_>,
    overview: &Overview,
    found: &mut Vec<Mutant>,
) -> io::Result<()> {
    let Some(place) = Place::parse(file.path, "csv") else {
        return Ok(());
    };
    let (before, after) = (records(file.before)?, records(file.after)?);
    match place.rows() {
        Some((schema, name)) => {
            let key = (schema.to_owned(), name.to_owned());
            if let Some(relation) = overview.relations.get(&key) {
                let table = Table::new(file, relation, overview, &key, before, after);
                table.mutate(found);
            }
        }
        None => sequences(file, &before, after, found),
    }
    Ok(())
}

type Record = Vec<Field>;

fn records(text: &str) -> io::Result<Vec<Record>> {
    let (mut reader, mut records) = (text.as_bytes(), Vec::new());
    loop {
        let record = csv::read_record(&mut reader)?;
        if record.is_empty() {
            return Ok(records);
        }
        records.push(csv::fields(&record)?);
    }
}

fn text(records: &[Record]) -> String {
    records.iter().map(|record| csv::record(record)).collect()
}

/// Rows of a table before and after the solution. The first record has the names of the columns.
struct Table<'a> {
    file: &'a Changed<'a>,
    before: Vec<Record>,
    after: Vec<Record>,
    /// Positions of the rows that the solution added or changed.
    changed: Vec<usize>,
    /// Positions of the columns of the primary key.
    key: Vec<usize>,
    /// Positions of the columns that can be changed: no part of a key or of a reference.
    free: Vec<usize>,
    /// Names of the columns that cannot be `NULL`.
    required: BTreeSet<String>,
    /// Whether another table references this one.
    referenced: bool,
    /// Whether a constraint or an index may forbid equal rows.
    unique: bool,
}

impl<'a> Table<'a> {
    fn new(
        file: &'a Changed<'a>,
        relation: &Relation,
        overview: &Overview,
        name: &(String, String),
        before: Vec<Record>,
        after: Vec<Record>,
    ) -> Self {
        let names: Vec<String> = after
            .first()
            .into_iter()
            .flatten()
            .cloned()
            .map(Option::unwrap_or_default)
            .collect();
        let position = |column: &String| names.iter().position(|name| name == column);
        let known: BTreeSet<&Record> = before.iter().skip(1).collect();
        let changed = (1..after.len())
            .filter(|at| !known.contains(&after[*at]))
            .collect();
        let key: Vec<usize> = relation.primary_key.iter().filter_map(position).collect();
        let mut bound: BTreeSet<usize> = key.iter().copied().collect();
        let foreign = relation.foreign_keys.iter().flat_map(|key| &key.columns);
        bound.extend(foreign.filter_map(position));
        let parent = relation.partition_of.as_ref();
        let referenced = overview.relations.values().any(|other| {
            other
                .foreign_keys
                .iter()
                .any(|key| key.references == *name || Some(&key.references) == parent)
        });
        let columns = relation.columns.iter();
        let required = columns
            .filter(|column| column.not_null)
            .map(|column| column.name.clone());
        let free = (0..names.len()).filter(|at| !bound.contains(at)).collect();
        Self {
            file,
            before,
            changed,
            free,
            required: required.collect(),
            referenced,
            unique: !key.is_empty()
                || !relation.constraints.is_empty()
                || !relation.indexes.is_empty(),
            key,
            after,
        }
    }

    fn mutate(&self, found: &mut Vec<Mutant>) {
        for at in some(&self.changed) {
            if !self.referenced {
                self.edit(
                    found,
                    MutationKind::LostRow,
                    format!("removes row {at}"),
                    |rows| {
                        rows.remove(at);
                    },
                );
            }
            if !self.unique {
                self.edit(
                    found,
                    MutationKind::DoubledRow,
                    format!("duplicates row {at}"),
                    |rows| {
                        rows.insert(at, rows[at].clone());
                    },
                );
            }
            if let Some(old) = self.old_row(at) {
                self.edit(
                    found,
                    MutationKind::StaleRow,
                    format!("undoes the change of row {at}"),
                    |rows| {
                        rows[at] = old.clone();
                    },
                );
            }
            self.values(at, found);
        }
        self.swap(found);
        if !self.before.is_empty() && self.before.first() == self.after.first() && !self.referenced
        {
            let what = "has the rows of the starting state";
            found.push(
                self.file
                    .mutant(MutationKind::StaleRow, what, text(&self.before)),
            );
        }
    }

    /// Returns the row of the starting state with the same primary key, if it can replace a changed row.
    fn old_row(&self, at: usize) -> Option<&Record> {
        if self.key.is_empty() || self.before.first() != self.after.first() {
            return None;
        }
        let key = |record: &Record| -> Vec<Field> {
            self.key
                .iter()
                .map(|at| record.get(*at).cloned().flatten())
                .collect()
        };
        let wanted = key(&self.after[at]);
        self.before
            .iter()
            .skip(1)
            .find(|record| key(record) == wanted)
    }

    fn values(&self, at: usize, found: &mut Vec<Mutant>) {
        for column in some(&self.free) {
            let Some(Some(value)) = self.after[at].get(column) else {
                continue;
            };
            let name = self.after[0][column].clone().unwrap_or_default();
            if let Some(other) = off_by_one(value) {
                let what = format!("changes {name} of row {at} from {value} to {other}");
                self.edit(found, MutationKind::Value, what, |rows| {
                    rows[at][column] = Some(other)
                });
            }
            if self.required.contains(&name) {
                continue;
            }
            let what = format!("sets {name} of row {at} to NULL");
            self.edit(found, MutationKind::NullValue, what, |rows| {
                rows[at][column] = None
            });
        }
    }

    /// Swaps values of two changed rows that differ in them.
    fn swap(&self, found: &mut Vec<Mutant>) {
        for column in some(&self.free) {
            let pair = self
                .changed
                .windows(2)
                .find(|pair| self.after[pair[0]].get(column) != self.after[pair[1]].get(column));
            let Some(&[first, second]) = pair else {
                continue;
            };
            let name = self.after[0][column].clone().unwrap_or_default();
            let what = format!("swaps {name} of rows {first} and {second}");
            self.edit(found, MutationKind::SwappedValues, what, |rows| {
                let value = rows[first][column].clone();
                rows[first][column] = rows[second][column].clone();
                rows[second][column] = value;
            });
        }
    }

    fn edit(
        &self,
        found: &mut Vec<Mutant>,
        kind: MutationKind,
        what: String,
        change: impl FnOnce(&mut Vec<Record>),
    ) {
        let mut rows = self.after.clone();
        change(&mut rows);
        found.push(self.file.mutant(kind, what, text(&rows)));
    }
}

/// Changes the last digit of a number or of a text that ends with one, and adds a full stop to other texts.
fn off_by_one(value: &str) -> Option<String> {
    match value {
        "t" => return Some("f".to_owned()),
        "f" => return Some("t".to_owned()),
        _ => {}
    }
    let last = value.chars().next_back()?;
    let rest = &value[..value.len() - last.len_utf8()];
    match last.to_digit(10) {
        // The last digit of a date is not raised, because some months have no more days.
        Some(0) => Some(format!("{rest}1")),
        Some(digit) => Some(format!("{rest}{}", digit - 1)),
        None if value.starts_with(['{', '[', '(', '\\', '<']) => None,
        None => Some(format!("{value}.")),
    }
}

fn sequences(file: &Changed<'_>, before: &[Record], after: Vec<Record>, found: &mut Vec<Mutant>) {
    let known: BTreeMap<&Field, &Record> = before
        .iter()
        .filter_map(|it| Some((it.first()?, it)))
        .collect();
    for at in 1..after.len() {
        let [name, Some(value), _] = after[at].as_slice() else {
            continue;
        };
        if known.get(name) == Some(&&after[at]) {
            continue;
        }
        let Some(other) = value
            .parse::<i64>()
            .ok()
            .and_then(|value| value.checked_add(1))
        else {
            continue;
        };
        let name = name.clone().unwrap_or_default();
        let mut changed = after.clone();
        changed[at][1] = Some(other.to_string());
        let what = format!("moves the sequence {name} from {value} to {other}");
        found.push(file.mutant(MutationKind::Sequence, what, text(&changed)));
    }
}

/// Returns a few of many positions, evenly distributed.
fn some(all: &[usize]) -> impl Iterator<Item = usize> {
    let count = all.len().min(PER_FILE);
    (0..count).map(move |at| all[at * all.len() / count])
}
