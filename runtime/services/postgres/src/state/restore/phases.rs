//! Order of the files of a state.

use std::collections::HashSet;

use mcpmark_snapshot::TreePath;

use crate::state::error::RestoreError;
use crate::state::files::Source;
use crate::state::paths::Place;

/// Number of phases.
const PHASES: usize = 13;

/// File of a state, with its meaning.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Path of the file.
    pub(super) path: TreePath,
    /// Meaning of the file.
    pub(super) content: Content,
}

/// Meaning of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// SQL.
    Statements,
    /// Rows of a relation.
    Rows {
        /// Schema of the relation.
        schema: String,
        /// Name of the relation.
        name: String,
        /// Whether the relation is a materialised view.
        materialised: bool,
    },
    /// Values of the sequences of a schema.
    Sequences {
        /// Schema of the sequences.
        schema: String,
    },
    /// Large object.
    LargeObject {
        /// Identifier of the object.
        oid: u32,
    },
}

/// Returns the files of a state by phase.
pub(super) fn parts(source: &dyn Source) -> Result<Vec<Vec<Part>>, RestoreError> {
    let paths = source.paths();
    let materialised: HashSet<(String, String)> = paths
        .iter()
        .filter_map(|path| match Place::parse(path, "sql")?.in_schema()? {
            (schema, "materialized-views", name) => Some((schema.to_owned(), name.to_owned())),
            _ => None,
        })
        .collect();
    let mut phases = vec![Vec::new(); PHASES];
    // Objects of a kind before those that usually need them, which saves repetitions.
    let mut ranked: Vec<(usize, usize, Part)> = Vec::new();
    for path in paths {
        if path.as_str() == "format" {
            continue;
        }
        let (phase, rank, content) = classify(&path, &materialised)?;
        ranked.push((phase, rank, Part { path, content }));
    }
    ranked.sort_by_key(|(phase, rank, _)| (*phase, *rank));
    for (phase, _, part) in ranked {
        phases[phase].push(part);
    }
    Ok(phases)
}

fn classify(
    path: &TreePath,
    materialised: &HashSet<(String, String)>,
) -> Result<(usize, usize, Content), RestoreError> {
    let unknown = |reason| RestoreError::UnknownFile {
        path: path.clone(),
        reason,
    };
    if let Some(oid) = path.as_str().strip_prefix("large-objects/") {
        let oid = oid
            .parse()
            .map_err(|_| unknown("a large object is named by its OID"))?;
        return Ok((7, 0, Content::LargeObject { oid }));
    }
    if let Some(place) = Place::parse(path, "csv") {
        return match place.parts.as_slice() {
            [root, schema, values] if root == "schemas" && values == "sequence-values" => {
                let schema = schema.clone();
                Ok((8, 0, Content::Sequences { schema }))
            }
            _ => match place.rows() {
                Some((schema, name)) => {
                    let (schema, name) = (schema.to_owned(), name.to_owned());
                    let materialised = materialised.contains(&(schema.clone(), name.clone()));
                    let phase = if materialised { 7 } else { 5 };
                    let content = Content::Rows {
                        schema,
                        name,
                        materialised,
                    };
                    Ok((phase, 1, content))
                }
                None => Err(unknown("rows are in data/<schema>/<table>.csv")),
            },
        };
    }
    let place = Place::parse(path, "sql").ok_or_else(|| unknown("expected a file .sql or .csv"))?;
    let (phase, rank) = match place.in_schema() {
        Some((_, kind, _)) => of_kind(kind).ok_or_else(|| unknown("unknown kind of object"))?,
        None => of_file(&place).ok_or_else(|| unknown("unknown file"))?,
    };
    Ok((phase, rank, Content::Statements))
}

fn of_file(place: &Place) -> Option<(usize, usize)> {
    let phase = match place.parts.as_slice() {
        [name] => match name.as_str() {
            "roles" => (0, 0),
            "schemas" => (1, 0),
            "extensions" => (2, 0),
            "casts" => (3, 5),
            "large-objects" => (10, 0),
            "default-privileges" => (10, 2),
            "publications" => (10, 3),
            "database" => (11, 0),
            "event-triggers" => (12, 0),
            _ => return None,
        },
        [root, _, file] if root == "schemas" => match file.as_str() {
            "operators" => (3, 5),
            "text-search" => (3, 6),
            "grants" => (10, 1),
            _ => return None,
        },
        _ => return None,
    };
    Some(phase)
}

fn of_kind(kind: &str) -> Option<(usize, usize)> {
    Some(match kind {
        "collations" => (3, 0),
        "types" => (3, 1),
        "sequences" => (3, 2),
        "tables" => (3, 3),
        "functions" => (3, 4),
        "aggregates" => (3, 5),
        "views" => (3, 7),
        "materialized-views" => (3, 8),
        "invalid-indexes" => (4, 0),
        "constraints" => (6, 0),
        "indexes" => (6, 1),
        "foreign-keys" => (6, 2),
        "statistics" => (6, 3),
        "rules" => (9, 0),
        "triggers" => (9, 1),
        "policies" => (9, 2),
        _ => return None,
    })
}
