//! Mutants of databases, made from the files of their states: one statement, row or value differs.

use mcpmark_postgres::state::TreeFiles;
use mcpmark_postgres::state::mutation::{self, MutationKind};

use crate::{MutateError, Mutation, Solved, StateMutant, StateMutator};

/// A row, or the rows of a table, are those of the starting state.
const STALE_ROW: Mutation = Mutation::new("stale-row");
/// A row is missing.
const LOST_ROW: Mutation = Mutation::new("lost-row");
/// A row is duplicated.
const DOUBLED_ROW: Mutation = Mutation::new("doubled-row");
/// Two rows have each other's value in one column.
const SWAPPED_VALUES: Mutation = Mutation::new("swapped-values");
/// A value differs by one, or in its text.
const VALUE: Mutation = Mutation::new("value");
/// A value is `NULL`.
const NULL_VALUE: Mutation = Mutation::new("null-value");
/// A column has another type.
const COLUMN_TYPE: Mutation = Mutation::new("column-type");
/// A column has no default.
const DEFAULT: Mutation = Mutation::new("default");
/// A column is not `NOT NULL`.
const NOT_NULL: Mutation = Mutation::new("not-null");
/// A primary key, a unique, check or exclusion constraint is missing or another one.
const CONSTRAINT: Mutation = Mutation::new("constraint");
/// A foreign key is missing, or has another action.
const FOREIGN_KEY: Mutation = Mutation::new("foreign-key");
/// An index is missing, or not unique.
const INDEX: Mutation = Mutation::new("index");
/// A trigger is missing or disabled.
const TRIGGER: Mutation = Mutation::new("trigger");
/// A number or a comparison in a function or a view is another one.
const BODY: Mutation = Mutation::new("body");
/// A policy is missing or admits all rows, or row security is disabled.
const POLICY: Mutation = Mutation::new("policy");
/// A privilege or a membership is missing or still exists, or everybody has a privilege.
const GRANT: Mutation = Mutation::new("grant");
/// An object belongs to another role.
const OWNER: Mutation = Mutation::new("owner");
/// A role has another attribute.
const ROLE: Mutation = Mutation::new("role");
/// A setting of a role or of the database is missing.
const SETTING: Mutation = Mutation::new("setting");
/// A sequence has another value.
const SEQUENCE: Mutation = Mutation::new("sequence");
/// An unwanted table exists.
const STRAY_TABLE: Mutation = Mutation::new("stray-table");

/// All mutations that are specific to databases.
pub(super) const MUTATIONS: &[Mutation] = &[
    STALE_ROW,
    LOST_ROW,
    DOUBLED_ROW,
    SWAPPED_VALUES,
    VALUE,
    NULL_VALUE,
    COLUMN_TYPE,
    DEFAULT,
    NOT_NULL,
    CONSTRAINT,
    FOREIGN_KEY,
    INDEX,
    TRIGGER,
    BODY,
    POLICY,
    GRANT,
    OWNER,
    ROLE,
    SETTING,
    SEQUENCE,
    STRAY_TABLE,
];

/// Mutator of the definitions and rows of a database.
pub(super) struct DatabaseMutator<'a> {
    solved: Solved<'a>,
}

impl<'a> DatabaseMutator<'a> {
    pub(super) fn new(solved: Solved<'a>) -> Self {
        Self { solved }
    }
}

impl StateMutator for DatabaseMutator<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let Solved {
            start,
            end,
            blobs,
            store,
            ..
        } = self.solved;
        let files = |tree| TreeFiles::new(tree, blobs);
        let mutants = mutation::mutants(&files(start), &files(end)).map_err(MutateError::new)?;
        let states = mutants.into_iter().map(|mutant| {
            Ok(StateMutant {
                mutation: mutation(mutant.kind),
                tree: mutant.tree(end, store).map_err(MutateError::new)?,
                place: mutant.place,
                what: mutant.what,
            })
        });
        states.collect()
    }
}

fn mutation(kind: MutationKind) -> Mutation {
    match kind {
        MutationKind::StaleRow => STALE_ROW,
        MutationKind::LostRow => LOST_ROW,
        MutationKind::DoubledRow => DOUBLED_ROW,
        MutationKind::SwappedValues => SWAPPED_VALUES,
        MutationKind::Value => VALUE,
        MutationKind::NullValue => NULL_VALUE,
        MutationKind::ColumnType => COLUMN_TYPE,
        MutationKind::Default => DEFAULT,
        MutationKind::NotNull => NOT_NULL,
        MutationKind::Constraint => CONSTRAINT,
        MutationKind::ForeignKey => FOREIGN_KEY,
        MutationKind::Index => INDEX,
        MutationKind::Trigger => TRIGGER,
        MutationKind::Body => BODY,
        MutationKind::Policy => POLICY,
        MutationKind::Grant => GRANT,
        MutationKind::Owner => OWNER,
        MutationKind::Role => ROLE,
        MutationKind::Setting => SETTING,
        MutationKind::Sequence => SEQUENCE,
        MutationKind::StrayTable => STRAY_TABLE,
        MutationKind::Stale => Mutation::STALE,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use mcpmark_snapshot::{File, Store, TreeBuilder, TreePath};

    use super::*;

    #[test]
    fn names_are_distinct_and_of_no_general_mutation() {
        let all = MUTATIONS.iter().chain(Mutation::GENERAL);
        let names: BTreeSet<&str> = all.map(|it| it.as_str()).collect();
        assert_eq!(names.len(), MUTATIONS.len() + Mutation::GENERAL.len());
    }

    #[test]
    fn mutants_of_a_changed_table_are_stored() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path()).unwrap();
        let state = |rows: &str| {
            let mut builder = TreeBuilder::new();
            for (path, text) in [
                ("schemas.sql", "CREATE SCHEMA public;\n"),
                (
                    "schemas/public/tables/items.sql",
                    "CREATE TABLE public.items (\n    id integer\n);\n",
                ),
                ("data/public/items.csv", rows),
            ] {
                let file = File {
                    size: text.len() as u64,
                    executable: false,
                    modified: None,
                    content: store.put(text.as_bytes()).unwrap(),
                };
                let path = TreePath::parse(path).unwrap();
                builder.insert_file(&path, file).unwrap();
            }
            builder.finish()
        };
        let (start, end) = (state("id\n1\n"), state("id\n1\n2\n"));
        let mut mutator = DatabaseMutator::new(Solved {
            start: &start,
            end: &end,
            blobs: &store,
            store: &store,
            scratch: home.path(),
        });
        let mutants = mutator.mutants().unwrap();
        let made: BTreeSet<&str> = mutants.iter().map(|it| it.mutation.as_str()).collect();
        for expected in ["lost-row", "value", "stray-table"] {
            assert!(made.contains(expected), "{made:?}");
        }
        for mutant in &mutants {
            assert_ne!(mutant.tree, end);
            assert_eq!(store.load_tree(&mutant.tree.digest()).unwrap(), mutant.tree);
        }
        assert!(mutator.texts().unwrap().is_empty());
    }
}
