//! Entity-relationship diagram of a state, in the syntax of Mermaid.

use std::fmt::Write;

use super::{ForeignKey, Overview, Relation, RelationKind};

impl Overview {
    /// Returns the diagram of the tables and their foreign keys. Partitions are a part of their table.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let mut diagram = "erDiagram\n".to_owned();
        let tables = self.relations.iter().filter(|(_, relation)| {
            matches!(
                relation.kind,
                RelationKind::Table | RelationKind::Partitioned
            ) && relation.partition_of.is_none()
        });
        for ((schema, name), relation) in tables.clone() {
            let _ = writeln!(diagram, "    {} {{", entity(schema, name));
            for column in &relation.columns {
                let mut line =
                    format!("        {} {}", word(&column.data_type), word(&column.name));
                let keys = keys(relation, &column.name);
                if !keys.is_empty() {
                    let _ = write!(line, " {}", keys.join(", "));
                }
                if word(&column.name) != column.name {
                    let _ = write!(line, " \"{}\"", text(&column.name));
                }
                let _ = writeln!(diagram, "{line}");
            }
            diagram.push_str("    }\n");
        }
        for ((schema, name), relation) in tables {
            for key in &relation.foreign_keys {
                let (other_schema, other) = &key.references;
                let _ = writeln!(
                    diagram,
                    "    {} {} {} : \"{}\"",
                    entity(schema, name),
                    cardinality(relation, key),
                    entity(other_schema, other),
                    text(&key.columns.join(", ")),
                );
            }
        }
        diagram
    }
}

fn keys(relation: &Relation, column: &str) -> Vec<&'static str> {
    let mut keys = Vec::new();
    if relation.primary_key.iter().any(|name| name == column) {
        keys.push("PK");
    }
    let mut columns = relation.foreign_keys.iter().flat_map(|key| &key.columns);
    if columns.any(|name| name == column) {
        keys.push("FK");
    }
    keys
}

/// Returns the line between a table and the table that it references: many or one to exactly one or at most one.
fn cardinality(relation: &Relation, key: &ForeignKey) -> &'static str {
    let required = key.columns.iter().all(|name| {
        let mut columns = relation.columns.iter();
        columns.any(|column| column.name == *name && column.not_null)
    });
    let unique = !relation.primary_key.is_empty()
        && relation
            .primary_key
            .iter()
            .all(|name| key.columns.contains(name));
    match (unique, required) {
        (true, true) => "|o--||",
        (true, false) => "|o--o|",
        (false, true) => "}o--||",
        (false, false) => "}o--o|",
    }
}

fn entity(schema: &str, name: &str) -> String {
    if schema == "public" {
        format!("\"{}\"", text(name))
    } else {
        format!("\"{}.{}\"", text(schema), text(name))
    }
}

/// Replaces what a name in quotes cannot contain.
fn text(name: &str) -> String {
    let replaced = name.chars().map(|character| match character {
        '"' => '\'',
        '%' | '\\' => '_',
        _ if character.is_control() => ' ',
        _ => character,
    });
    replaced.collect()
}

/// Replaces what a name without quotes cannot contain.
fn word(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect();
    if word.starts_with(|first: char| first.is_ascii_alphabetic()) {
        word
    } else {
        format!("c_{word}")
    }
}
