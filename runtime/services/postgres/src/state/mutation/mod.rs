//! Mutants of a solved state: copies with one small mistake each, for the certification of verifiers.
//!
//! A mutant is made from the files of the starting and the final state, without a server, in the places that the
//! solution changed. Mutants can be restored: a key that another table references is not changed, and rows are not
//! duplicated where a key forbids it. A check constraint may still forbid a changed value, so whoever restores mutants
//! must leave out those that the server rejects.

mod definitions;
mod roles;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use mcpmark_snapshot::{BuildError, File, Store, StoreError, Tree, TreeBuilder, TreePath};

use super::files::Source;
use super::overview::{Overview, OverviewError};
use super::paths::Place;

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
    /// A privilege or a membership is missing or still exists, or everybody has a privilege.
    Grant,
    /// An object belongs to another role.
    Owner,
    /// A role has another attribute.
    Role,
    /// A setting of a role or of the database is missing.
    Setting,
    /// A sequence has another value.
    Sequence,
    /// An unwanted table exists.
    StrayTable,
    /// Definitions are those of the starting state, or removed ones still exist.
    Stale,
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

impl Mutant {
    /// Returns the tree of the mutant, and stores the bytes in which it differs from the solved state.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes cannot be stored.
    pub fn tree(&self, solved: &Tree, store: &Store) -> Result<Tree, MutantError> {
        let mut builder = TreeBuilder::from(solved.clone());
        for (path, content) in &self.files {
            let old = builder.remove(path);
            match content {
                Some(bytes) => {
                    let file = File {
                        size: bytes.len() as u64,
                        executable: false,
                        modified: None,
                        content: store.put(bytes)?,
                    };
                    builder.insert_file(path, file)?;
                }
                None if old.is_some() => remove_empty_parents(&mut builder, path),
                None => {}
            }
        }
        let tree = builder.finish();
        store.put_tree(&tree)?;
        Ok(tree)
    }
}

/// Removes the directories above a removed file that have become empty, because a dump has none.
fn remove_empty_parents(builder: &mut TreeBuilder, path: &TreePath) {
    let mut parent = path.parent();
    while let Some(directory) = parent.filter(|directory| !directory.is_root()) {
        let node = builder.get(&directory).and_then(|node| node.as_directory());
        if node.is_none_or(|entries| !entries.is_empty()) {
            return;
        }
        builder.remove(&directory);
        parent = directory.parent();
    }
}

/// Error of writing a mutant.
#[derive(Debug, thiserror::Error)]
pub enum MutantError {
    /// Bytes that cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Path that another entry of the solved state occupies.
    #[error(transparent)]
    Build(#[from] BuildError),
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
        found.extend(stale(&file));
    }
    found.extend(remains(start, end, &overview)?);
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

/// Returns the solved state with the definitions of the starting state in one file. Those of a table would not fit to its
/// rows.
fn stale(file: &Changed<'_>) -> Option<Mutant> {
    let place = Place::parse(file.path, "sql")?;
    let is_table = matches!(place.in_schema(), Some((_, "tables", _)));
    if file.before.is_empty() || is_table {
        return None;
    }
    let what = "has the definitions of the starting state";
    Some(file.mutant(MutationKind::Stale, what, file.before.to_owned()))
}

/// Returns mutants in which something still exists that the solution removed: a table with everything that belongs to it,
/// or one file of another object.
fn remains(
    start: &dyn Source,
    end: &dyn Source,
    overview: &Overview,
) -> Result<Vec<Mutant>, OverviewError> {
    let kept: BTreeSet<TreePath> = end.paths().into_iter().collect();
    let mut removed: BTreeMap<Option<(String, String)>, Vec<TreePath>> = BTreeMap::new();
    for path in start.paths() {
        if kept.contains(&path) {
            continue;
        }
        let definition = Place::parse(&path, "sql");
        let rows = Place::parse(&path, "csv");
        let of_table = match (&definition, &rows) {
            (Some(place), _) => place
                .in_schema()
                .filter(|(_, kind, _)| !STANDALONE.contains(kind))
                .map(|(schema, _, name)| (schema.to_owned(), name.to_owned())),
            (None, Some(place)) => match place.rows() {
                Some((schema, name)) => Some((schema.to_owned(), name.to_owned())),
                None => continue,
            },
            (None, None) => continue,
        };
        removed.entry(of_table).or_default().push(path);
    }
    let mut found = Vec::new();
    for (table, paths) in removed {
        let groups: Vec<Vec<TreePath>> = match table {
            // The table is gone as a whole.
            Some(table) if !overview.relations.contains_key(&table) => vec![paths],
            _ => paths.into_iter().map(|path| vec![path]).collect(),
        };
        for paths in groups {
            let mut files = BTreeMap::new();
            for path in &paths {
                let text = read(start, path).map_err(|source| OverviewError {
                    path: path.clone(),
                    source,
                })?;
                files.insert(path.clone(), Some(text.unwrap_or_default().into_bytes()));
            }
            let place = paths.iter().find(|path| path.as_str().contains("/tables/"));
            let Some(place) = place.or(paths.first()).map(TreePath::to_string) else {
                continue;
            };
            found.push(Mutant {
                kind: MutationKind::Stale,
                what: format!("{place} of the starting state still exists"),
                place,
                files,
            });
        }
    }
    Ok(found)
}

/// Kinds of objects that belong to no table.
const STANDALONE: [&str; 6] = [
    "aggregates",
    "collations",
    "functions",
    "sequences",
    "statistics",
    "types",
];

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
