//! Tables of an overview, for people, and its JSON form.

use serde_json::{Value, json};

use super::{Overview, Relation};

/// Table of an overview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Heading of the table.
    pub title: String,
    /// Names of the columns. Numbers have the prefix `>`, which aligns them to the right.
    pub columns: &'static [&'static str],
    /// Rows, each with as many cells as `columns`.
    pub rows: Vec<Vec<String>>,
}

impl Overview {
    /// Returns the tables of the overview: relations of each schema, policies and roles. Empty tables are left out.
    #[must_use]
    pub fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = self.schemas.iter().map(|it| self.schema(it)).collect();
        sections.push(self.policies());
        sections.push(self.role_section());
        sections.retain(|section| !section.rows.is_empty());
        sections
    }

    fn schema(&self, schema: &str) -> Section {
        let relations = self.relations.iter().filter(|((it, _), _)| it == schema);
        let rows = relations.map(|((_, name), relation)| {
            vec![
                name.clone(),
                kind(relation),
                relation
                    .rows
                    .map_or_else(String::new, |rows| rows.to_string()),
                relation.primary_key.join(", "),
                references(relation, schema),
                relation.indexes.len().to_string(),
            ]
        });
        let routines = self.routines.iter().filter(|((it, _), _)| it == schema);
        let routines: usize = routines.map(|(_, overloads)| overloads).sum();
        let mut title = format!("schema {schema}");
        if routines > 0 {
            title.push_str(&format!(
                ", {routines} function{}",
                if routines == 1 { "" } else { "s" }
            ));
        }
        Section {
            title,
            columns: &[
                "relation",
                "kind",
                ">rows",
                "primary key",
                "references",
                ">indexes",
            ],
            rows: rows.collect(),
        }
    }

    fn policies(&self) -> Section {
        let secured = self
            .relations
            .iter()
            .filter(|(_, it)| it.row_security || !it.policies.is_empty());
        let rows = secured.map(|((schema, name), relation)| {
            vec![
                format!("{schema}.{name}"),
                if relation.row_security {
                    "enabled"
                } else {
                    "disabled"
                }
                .to_owned(),
                relation.policies.join(", "),
            ]
        });
        Section {
            title: "row security".to_owned(),
            columns: &["table", "state", "policies"],
            rows: rows.collect(),
        }
    }

    fn role_section(&self) -> Section {
        let rows = self.roles.iter().map(|role| {
            vec![
                role.name.clone(),
                role.attributes.join(", ").to_lowercase(),
                role.member_of.join(", "),
            ]
        });
        Section {
            title: "roles".to_owned(),
            columns: &["role", "attributes", "member of"],
            rows: rows.collect(),
        }
    }

    /// Returns the overview as JSON, with the diagram of [`mermaid`](Self::mermaid).
    #[must_use]
    pub fn to_json(&self) -> Value {
        let relations = self.relations.iter().map(|((schema, name), it)| {
            let columns = it.columns.iter().map(|column| {
                json!({"name": column.name, "type": column.data_type, "not_null": column.not_null})
            });
            let keys = it.foreign_keys.iter().map(|key| {
                let (schema, table) = &key.references;
                json!({
                    "name": key.name,
                    "columns": key.columns,
                    "references": {"schema": schema, "table": table},
                })
            });
            json!({
                "schema": schema,
                "name": name,
                "kind": it.kind.as_str(),
                "rows": it.rows,
                "columns": columns.collect::<Vec<Value>>(),
                "primary_key": it.primary_key,
                "foreign_keys": keys.collect::<Vec<Value>>(),
                "constraints": it.constraints,
                "indexes": it.indexes,
                "triggers": it.triggers,
                "row_security": it.row_security,
                "policies": it.policies,
                "partition_of": it.partition_of.as_ref().map(|(schema, table)| json!({"schema": schema, "table": table})),
            })
        });
        let roles = self.roles.iter().map(|role| {
            json!({"name": role.name, "attributes": role.attributes, "member_of": role.member_of})
        });
        json!({
            "schemas": self.schemas,
            "relations": relations.collect::<Vec<Value>>(),
            "roles": roles.collect::<Vec<Value>>(),
            "extensions": self.extensions,
            "mermaid": self.mermaid(),
        })
    }
}

fn kind(relation: &Relation) -> String {
    match &relation.partition_of {
        Some((_, parent)) => format!("partition of {parent}"),
        None => relation.kind.as_str().to_owned(),
    }
}

/// Lists the tables that a table references, with their schema if it is another one.
fn references(relation: &Relation, schema: &str) -> String {
    let mut names: Vec<String> = relation
        .foreign_keys
        .iter()
        .map(|key| match &key.references {
            (other, table) if other == schema => table.clone(),
            (other, table) => format!("{other}.{table}"),
        })
        .collect();
    names.dedup();
    names.join(", ")
}
