//! Lookups in the files of a state.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, Found, Tree};

use crate::sql::{self, tokens};
use crate::{Column, Constraint, Grant, Index, Membership, Rows};

/// Starting or final state of a database.
///
/// Relations are named without their schema if it is `public`, and otherwise as `schema.relation`.
#[derive(Clone, Copy, Debug)]
pub struct Database {
    tree: Tree,
}

impl Database {
    /// Returns the database of a tree.
    #[must_use]
    pub fn of(tree: Tree) -> Self {
        Self { tree }
    }

    /// Returns the path of the rows of a table or materialized view.
    #[must_use]
    pub fn rows_path(relation: &str) -> String {
        let (schema, name) = qualified(relation);
        format!("data/{schema}/{name}.csv")
    }

    /// Returns the path of the definitions of a kind, such as `indexes`.
    #[must_use]
    pub fn definition_path(kind: &str, name: &str) -> String {
        let (schema, name) = qualified(name);
        format!("schemas/{schema}/{kind}/{name}.sql")
    }

    /// Returns the rows of a table or materialized view.
    #[must_use]
    pub fn rows(&self, relation: &str) -> Found<Rows> {
        let file = self.tree.file(Self::rows_path(relation));
        file.text().try_map(|text| Rows::read(text.as_str()))
    }

    /// Returns the statements of a kind that belong to an object: `tables`, `constraints`, `foreign-keys`, `indexes`,
    /// `triggers`, `policies`, `rules`, `views`, `materialized-views`, `functions` and others. An object without such
    /// definitions has none.
    #[must_use]
    pub fn statements(&self, kind: &str, name: &str) -> Vec<String> {
        let path = Self::definition_path(kind, name);
        if !self.tree.exists(&path) {
            return Vec::new();
        }
        let text = self
            .tree
            .file(path)
            .text()
            .get()
            .cloned()
            .unwrap_or_default();
        sql::statements(&text)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// Returns the columns of a table, in their order.
    #[must_use]
    pub fn columns(&self, table: &str) -> Found<Vec<Column>> {
        let file = self.tree.file(Self::definition_path("tables", table));
        file.text().map(|text| {
            let statements = sql::statements(text);
            let lines = statements.first().into_iter().flat_map(|it| it.lines());
            lines
                .filter(|line| line.starts_with("    "))
                .filter_map(Column::parse)
                .collect()
        })
    }

    /// Returns a column of a table.
    #[must_use]
    pub fn column(&self, table: &str, name: &str) -> Found<Column> {
        let columns = self.columns(table);
        columns.try_map(|columns| {
            let column = columns.iter().find(|column| column.name == name);
            column
                .cloned()
                .ok_or_else(|| format!("there is no column {name}"))
        })
    }

    /// Returns all constraints of a table, with its foreign keys.
    #[must_use]
    pub fn constraints(&self, table: &str) -> Vec<Constraint> {
        let kinds = ["constraints", "foreign-keys"];
        let statements = kinds.iter().flat_map(|kind| self.statements(kind, table));
        statements
            .filter_map(|statement| Constraint::parse(&statement))
            .collect()
    }

    /// Returns the indexes of a table that do not belong to a constraint.
    #[must_use]
    pub fn indexes(&self, table: &str) -> Vec<Index> {
        let statements = self.statements("indexes", table);
        statements
            .iter()
            .filter_map(|statement| Index::parse(statement))
            .collect()
    }

    /// Returns the memberships of roles.
    #[must_use]
    pub fn memberships(&self) -> BTreeSet<Membership> {
        let statements = self.file_statements("roles.sql");
        statements
            .iter()
            .filter_map(|statement| Membership::parse(statement))
            .collect()
    }

    /// Returns the statements of `roles.sql` that are no memberships: roles, comments and settings.
    #[must_use]
    pub fn roles(&self) -> BTreeSet<String> {
        let statements = self.file_statements("roles.sql").into_iter();
        statements
            .filter(|statement| Membership::parse(statement).is_none())
            .collect()
    }

    /// Returns the privileges in a schema.
    #[must_use]
    pub fn grants(&self, schema: &str) -> BTreeSet<Grant> {
        let statements = self.file_statements(&format!("schemas/{schema}/grants.sql"));
        statements
            .iter()
            .flat_map(|statement| Grant::parse(statement))
            .collect()
    }

    /// Returns the statements of the privileges in a schema that are no `GRANT`, such as `REVOKE` and `SET ROLE`.
    #[must_use]
    pub fn other_grants(&self, schema: &str) -> BTreeSet<String> {
        let statements = self.file_statements(&format!("schemas/{schema}/grants.sql"));
        statements
            .into_iter()
            .filter(|statement| !statement.starts_with("GRANT "))
            .collect()
    }

    /// Returns the last value of each sequence of a schema.
    #[must_use]
    pub fn sequences(&self, schema: &str) -> BTreeMap<String, i64> {
        let file = self
            .tree
            .file(format!("schemas/{schema}/sequence-values.csv"));
        let rows = file.text().try_map(|text| Rows::read(text.as_str()));
        let Ok(rows) = rows.get() else {
            return BTreeMap::new();
        };
        let values = rows.select(["sequence", "last_value"]);
        values
            .filter_map(|[name, value]| Some((name?.to_owned(), value?.parse().ok()?)))
            .collect()
    }

    /// Checks that all statements about an object are those of another state, apart from some that are left out by their
    /// beginning, such as a new constraint.
    #[must_use]
    pub fn same_statements(
        &self,
        start: &Self,
        kind: &str,
        name: &str,
        without: &[&str],
    ) -> Condition {
        let all = |database: &Self| -> BTreeSet<String> {
            let statements = database.statements(kind, name).into_iter();
            statements
                .filter(|it| !without.iter().any(|start| it.starts_with(start)))
                .collect()
        };
        let (before, after) = (all(start), all(self));
        let place = Self::definition_path(kind, name);
        if let Some(missing) = before.difference(&after).next() {
            return Condition::fail(format!("{place}: expected {missing:?}"));
        }
        match after.difference(&before).next() {
            Some(new) => Condition::fail(format!("{place}: expected no {new:?}")),
            None => Condition::pass(format!("{place}: as expected")),
        }
    }

    fn file_statements(&self, path: &str) -> Vec<String> {
        if !self.tree.exists(path) {
            return Vec::new();
        }
        let text = self
            .tree
            .file(path)
            .text()
            .get()
            .cloned()
            .unwrap_or_default();
        sql::statements(&text)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }
}

/// Splits a name into its schema and itself.
fn qualified(name: &str) -> (String, String) {
    let parts: Vec<String> = tokens(name).iter().map(|token| token.name()).collect();
    match &parts[..] {
        [schema, dot, name] if dot == "." => (schema.clone(), name.clone()),
        _ => ("public".to_owned(), name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::testing::{self, MemoryTree};

    use super::*;
    use crate::ConstraintKind;

    #[test]
    fn definitions_are_found_by_table() {
        let tree = MemoryTree::from([
            ("roles.sql", "CREATE ROLE a WITH LOGIN;\nGRANT g TO a;\n"),
            (
                "schemas/public/tables/t.sql",
                "CREATE TABLE public.t (\n    id integer NOT NULL,\n    b text\n);\n\nALTER TABLE public.t OWNER TO a;\n",
            ),
            (
                "schemas/public/constraints/t.sql",
                "ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n",
            ),
            (
                "schemas/public/foreign-keys/t.sql",
                "ALTER TABLE ONLY public.t ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES public.u(c);\n",
            ),
            (
                "schemas/public/indexes/t.sql",
                "CREATE INDEX i ON public.t USING btree (b);\n",
            ),
            (
                "schemas/public/grants.sql",
                "GRANT SELECT ON TABLE public.t TO g;\nREVOKE ALL ON TABLE public.t FROM a;\n",
            ),
            (
                "schemas/public/sequence-values.csv",
                "sequence,last_value,is_called\nt_id_seq,7,true\n",
            ),
            ("data/office/t.csv", "id\n1\n"),
        ]);
        let verified = testing::verify(
            |task| {
                let database = Database::of(task.end());
                let names: Vec<String> = database
                    .columns("t")
                    .required()
                    .into_iter()
                    .map(|it| it.name)
                    .collect();
                assert_eq!(names, ["id", "b"]);
                assert!(database.column("t", "id").required().not_null);
                assert_eq!(
                    database.column("t", "c").exists().detail(),
                    "schemas/public/tables/t.sql: there is no column c"
                );
                let kinds: Vec<ConstraintKind> =
                    database.constraints("t").iter().map(|it| it.kind).collect();
                assert_eq!(
                    kinds,
                    [ConstraintKind::PrimaryKey, ConstraintKind::ForeignKey]
                );
                assert_eq!(database.indexes("t").len(), 1);
                assert_eq!(database.memberships().len(), 1);
                assert_eq!(database.roles().len(), 1);
                assert_eq!(database.grants("public").len(), 1);
                assert_eq!(database.other_grants("public").len(), 1);
                assert_eq!(database.sequences("public")["t_id_seq"], 7);
                assert_eq!(database.rows("office.t").required().len(), 1);
                assert!(!database.rows("t").exists().passed());
                assert!(
                    database
                        .same_statements(&database, "indexes", "t", &[])
                        .passed()
                );
                let nothing = Database::of(task.start());
                assert!(
                    !database
                        .same_statements(&nothing, "indexes", "t", &[])
                        .passed()
                );
                assert!(
                    database
                        .same_statements(&nothing, "indexes", "t", &["CREATE INDEX i"])
                        .passed()
                );
            },
            &MemoryTree::default(),
            &tree,
            None,
        );
        assert!(verified.is_empty());
    }
}
