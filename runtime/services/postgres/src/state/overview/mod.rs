//! Overview of a state, read from its files without a server.

mod mermaid;
mod parse;
mod sections;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};

use mcpmark_snapshot::TreePath;

pub use self::sections::Section;
use super::files::Source;
use super::paths::Place;
use super::sql::{self, Statement};

/// Content of a state: schemas, relations with their keys, roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    /// Names of the schemas, sorted.
    pub schemas: Vec<String>,
    /// Tables, views and materialised views, by schema and name.
    pub relations: BTreeMap<(String, String), Relation>,
    /// Functions, procedures and aggregates, by schema, with the number of their overloads.
    pub routines: BTreeMap<(String, String), usize>,
    /// Roles.
    pub roles: Vec<Role>,
    /// Names of the extensions.
    pub extensions: Vec<String>,
}

/// Table, view or materialised view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relation {
    /// Kind of the relation.
    pub kind: RelationKind,
    /// Number of rows, or `None` if the state has no rows of the relation.
    pub rows: Option<u64>,
    /// Columns in their order. Empty for views, whose columns only a server knows.
    pub columns: Vec<Column>,
    /// Columns of the primary key.
    pub primary_key: Vec<String>,
    /// Foreign keys.
    pub foreign_keys: Vec<ForeignKey>,
    /// Names of unique, check and exclusion constraints.
    pub constraints: Vec<String>,
    /// Names of indexes that do not belong to a constraint.
    pub indexes: Vec<String>,
    /// Names of triggers.
    pub triggers: Vec<String>,
    /// Whether row security is enabled.
    pub row_security: bool,
    /// Names of the policies of row security.
    pub policies: Vec<String>,
    /// Schema and name of the table whose partition this is.
    pub partition_of: Option<(String, String)>,
}

/// Kind of a relation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RelationKind {
    /// Table.
    #[default]
    Table,
    /// Table whose rows are in its partitions.
    Partitioned,
    /// View.
    View,
    /// Materialised view.
    MaterialisedView,
}

impl RelationKind {
    /// Returns the name of the kind, for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Partitioned => "partitioned table",
            Self::View => "view",
            Self::MaterialisedView => "materialized view",
        }
    }
}

/// Column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Type, as in SQL.
    pub data_type: String,
    /// Whether the column is `NOT NULL`.
    pub not_null: bool,
}

/// Foreign key of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignKey {
    /// Name of the constraint.
    pub name: String,
    /// Referencing columns.
    pub columns: Vec<String>,
    /// Schema and name of the referenced table.
    pub references: (String, String),
}

/// Role of the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Role {
    /// Name.
    pub name: String,
    /// Attributes that differ from those of a new role, such as `LOGIN`.
    pub attributes: Vec<String>,
    /// Roles of which this one is a member.
    pub member_of: Vec<String>,
}

/// Error of reading an overview.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path} of the state of a database")]
pub struct OverviewError {
    /// File of the state.
    pub path: TreePath,
    /// Cause.
    #[source]
    pub source: io::Error,
}

impl Overview {
    /// Reads the overview of a state.
    ///
    /// Definitions that the state spells in another way than a dump are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if a file of the state cannot be read, or is not text where text is expected.
    pub fn read(source: &dyn Source) -> Result<Self, OverviewError> {
        let mut overview = Self::default();
        for path in source.paths() {
            overview
                .add_file(source, &path)
                .map_err(|source| OverviewError {
                    path: path.clone(),
                    source,
                })?;
        }
        overview.roles.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(overview)
    }

    fn add_file(&mut self, source: &dyn Source, path: &TreePath) -> io::Result<()> {
        if let Some(place) = Place::parse(path, "csv") {
            if let Some((schema, name)) = place.rows() {
                let rows = count_records(source.open(path)?)?.saturating_sub(1);
                self.relation(schema, name).rows = Some(rows);
            }
            return Ok(());
        }
        let Some(place) = Place::parse(path, "sql") else {
            return Ok(());
        };
        let known = match place.parts.as_slice() {
            [name] => matches!(name.as_str(), "schemas" | "extensions" | "roles"),
            _ => place.in_schema().is_some(),
        };
        if !known {
            return Ok(());
        }
        let mut text = String::new();
        source.open(path)?.read_to_string(&mut text)?;
        let statements = sql::statements(&text);
        match place.in_schema() {
            Some((schema, kind, name)) => self.add_object(schema, kind, name, &statements),
            None => self.add_global(&place.parts[0], &statements),
        }
        Ok(())
    }

    fn relation(&mut self, schema: &str, name: &str) -> &mut Relation {
        let key = (schema.to_owned(), name.to_owned());
        self.relations.entry(key).or_default()
    }

    fn add_global(&mut self, file: &str, statements: &[Statement]) {
        for statement in statements {
            match file {
                "schemas" => self
                    .schemas
                    .extend(parse::created(&statement.text, "SCHEMA")),
                "extensions" => self
                    .extensions
                    .extend(parse::created(&statement.text, "EXTENSION")),
                _ => parse::role(&statement.text, &mut self.roles),
            }
        }
    }

    fn add_object(&mut self, schema: &str, kind: &str, name: &str, statements: &[Statement]) {
        let texts = || statements.iter().map(|statement| statement.text.as_str());
        match kind {
            "functions" | "aggregates" => {
                let count = texts().filter(|text| text.starts_with("CREATE")).count();
                *self
                    .routines
                    .entry((schema.to_owned(), name.to_owned()))
                    .or_default() += count;
            }
            "views" => self.relation(schema, name).kind = RelationKind::View,
            "materialized-views" => {
                self.relation(schema, name).kind = RelationKind::MaterialisedView;
            }
            "tables" | "constraints" | "foreign-keys" | "indexes" | "invalid-indexes"
            | "triggers" | "policies" => {
                // A constraint of a domain is in a file that is named after the domain.
                if kind == "constraints" && texts().all(|text| text.starts_with("ALTER DOMAIN")) {
                    return;
                }
                let relation = self.relation(schema, name);
                texts().for_each(|text| parse::part(relation, kind, text));
            }
            _ => {}
        }
    }
}

/// Counts the records of a CSV file.
fn count_records(file: impl Read) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let (mut records, mut quoted, mut open) = (0, false, false);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(records + u64::from(open));
        }
        for byte in chunk {
            match byte {
                b'"' => {
                    quoted = !quoted;
                    open = true;
                }
                b'\n' if !quoted => {
                    records += 1;
                    open = false;
                }
                _ => open = true,
            }
        }
        let length = chunk.len();
        reader.consume(length);
    }
}

#[cfg(test)]
mod tests;
