//! Mutants of a solved state: copies with one small mistake each, for the certification of verifiers.
//!
//! A mutant is made from the files of the starting and the final state, without a server, in the places that the
//! solution changed. Mutants can be restored: a key that another table references is not changed, and rows are not
//! duplicated where a key forbids it. A check constraint may still forbid a changed value, so whoever restores mutants
//! must leave out those that the server rejects.

mod definitions;
mod rows;

use std::collections::BTreeMap;
use std::io::{self, Read};

use mcpmark_snapshot::TreePath;

use super::files::Source;
use super::overview::{Overview, OverviewError};

/// Maximum number of mutants of one kind in one file.
const PER_FILE: usize = 3;

/// Kind of a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationKind {
    /// A row has values of the starting state, or the rows of a table are those of the starting state.
    StaleRow,
    /// A row is missing.
    LostRow,
    /// A row is duplicated.
    DoubledRow,
    /// Two rows have each other's value in one column.
    SwappedValues,
    /// A value differs by one, or in its text.
    Value,
    /// A value is `NULL`.
    NullValue,
    /// A column has another type.
    ColumnType,
    /// A column has no default.
    Default,
    /// A column is not `NOT NULL`.
    NotNull,
    /// A primary key, a unique, check or exclusion constraint is missing.
    Constraint,
    /// A foreign key is missing, or has another action.
    ForeignKey,
    /// An index is missing, or not unique.
    Index,
    /// A trigger is missing or disabled.
    Trigger,
    /// A number or an operator in the body of a function or in the query of a view is another one.
    Body,
    /// A policy is missing or admits all rows, or row security is disabled.
    Policy,
    /// A privilege is missing, or everybody has it.
    Grant,
    /// An object belongs to another role.
    Owner,
    /// A sequence has another value.
    Sequence,
    /// An unwanted table exists.
    StrayTable,
}

/// Solved state with one mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// Kind of the mutation.
    pub kind: MutationKind,
    /// Mutated file.
    pub place: String,
    /// Description of the change.
    pub what: String,
    /// Files that differ from the solved state. `None` means that the file is removed.
    pub files: BTreeMap<TreePath, Option<Vec<u8>>>,
}

/// Returns mutants of the state `end`, which a solution made from `start`. Equal states result in equal mutants.
///
/// # Errors
///
/// Returns an error if a file of one of the states cannot be read.
pub fn mutants(start: &dyn Source, end: &dyn Source) -> Result<Vec<Mutant>, OverviewError> {
    let overview = Overview::read(end)?;
    let mut found = Vec::new();
    for path in end.paths() {
        let failed = |source| OverviewError {
            path: path.clone(),
            source,
        };
        let after = read(end, &path).map_err(failed)?.unwrap_or_default();
        let before = read(start, &path).map_err(failed)?;
        if before.as_ref() == Some(&after) {
            continue;
        }
        let before = before.unwrap_or_default();
        let file = Changed {
            path: &path,
            before: &before,
            after: &after,
        };
        rows::mutate(&file, &overview, &mut found).map_err(failed)?;
        definitions::mutate(&file, &overview, &mut found);
    }
    found.extend(stray_table(&overview));
    Ok(found)
}

/// File that the solution added or changed.
struct Changed<'a> {
    path: &'a TreePath,
    before: &'a str,
    after: &'a str,
}

impl Changed<'_> {
    /// Creates a mutant that has another text in this file. An empty text removes the file.
    fn mutant(&self, kind: MutationKind, what: impl Into<String>, text: String) -> Mutant {
        let content = (!text.is_empty()).then(|| text.into_bytes());
        Mutant {
            kind,
            place: self.path.to_string(),
            what: what.into(),
            files: BTreeMap::from([(self.path.clone(), content)]),
        }
    }
}

/// Returns the text of a file, or `None` if it does not exist. Bytes that are not text have no mutants.
fn read(source: &dyn Source, path: &TreePath) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    match source.open(path) {
        Ok(mut file) => file.read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(String::from_utf8(bytes).unwrap_or_default()))
}

/// Returns the solved state with an additional empty table in its first schema.
fn stray_table(overview: &Overview) -> Option<Mutant> {
    let schema = overview.schemas.iter().find(|schema| *schema == "public");
    let schema = schema.or_else(|| overview.schemas.first())?;
    let name = (0..).map(|number| format!("tmp_{number}")).find(|name| {
        let key = (schema.clone(), name.clone());
        !overview.relations.contains_key(&key)
    })?;
    let table = super::paths::path(&["schemas", schema, "tables", &name], "sql").ok()?;
    let rows = super::paths::path(&["data", schema, &name], "csv").ok()?;
    let definition = format!(
        "CREATE TABLE {}.{name} (\n    id integer\n);\n",
        super::sql::identifier(schema)
    );
    Some(Mutant {
        kind: MutationKind::StrayTable,
        place: table.to_string(),
        what: format!("adds the table {schema}.{name}"),
        files: BTreeMap::from([
            (table, Some(definition.into_bytes())),
            (rows, Some(b"id\n".to_vec())),
        ]),
    })
}

#[cfg(test)]
mod tests;
