//! Restoration of a state in a database that has another state, if the two differ in rows alone.
//!
//! The physical order of rows is that of a restoration from nothing: tables with other rows are emptied, loaded in the
//! order of the state, and their indexes are built again.

use mcpmark_snapshot::{Tree, TreePath, diff};
use tokio_postgres::Client;

use super::phases::{self, Content, Part};
use super::rows::{self, Failure};
use super::{RestoreError, Source};
use crate::state::PINNED;
use crate::state::paths;
use crate::state::sql::identifier;

/// Tables in which rows were loaded, and everything that references them.
const REACHED: &str = "
WITH RECURSIVE reached AS (
    SELECT pg_catalog.to_regclass(name)::pg_catalog.oid AS oid FROM pg_catalog.unnest($1::pg_catalog.text[]) AS name
    UNION
    SELECT conrelid FROM pg_catalog.pg_constraint JOIN reached ON confrelid = reached.oid WHERE contype = 'f'
)
SELECT nspname::pg_catalog.text, relname::pg_catalog.text, relkind = 'r' AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = class.oid AND tgenabled IN ('A', 'R')
)
FROM reached
LEFT JOIN pg_catalog.pg_class AS class ON class.oid = reached.oid
LEFT JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = relnamespace
ORDER BY nspname, relname";

/// Returns the files that differ between two states if they are rows of tables and values of sequences only.
pub(crate) fn rows_only(before: &Tree, after: &Tree) -> Option<Vec<TreePath>> {
    let changes = diff(before, after);
    // Directories are listed if they appear or vanish with their files.
    let files = changes.into_iter().filter(|change| {
        let nodes = [&change.before, &change.after];
        nodes
            .into_iter()
            .flatten()
            .any(|node| node.as_directory().is_none())
    });
    files
        .map(|change| {
            let path = change.path;
            let place = paths::Place::parse(&path, "csv")?;
            let is_rows = place.rows().is_some_and(|(schema, name)| {
                let view = paths::path(&["schemas", schema, "materialized-views", name], "sql");
                view.is_ok_and(|view| after.get(&view).is_none())
            });
            let is_sequences = matches!(place.parts.as_slice(), [root, _, values]
                if root == "schemas" && values == "sequence-values");
            let is_kept = is_rows || is_sequences && change.after.is_some();
            is_kept.then_some(path)
        })
        .collect()
}

/// Loads the rows of a state into a database with the same definitions, in whose state these files differ. Returns the
/// tables that were loaded, as identifiers, or `None` if the state must be restored from nothing; then nothing has
/// changed.
///
/// # Errors
///
/// Returns the error of the server. Then nothing has changed.
pub(crate) async fn replace_rows(
    client: &Client,
    source: &dyn Source,
    changed: &[TreePath],
) -> Result<Option<Vec<String>>, RestoreError> {
    let begun = client
        .batch_execute(&format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {PINNED} SET LOCAL session_replication_role = 'replica';"
        ))
        .await;
    begun.map_err(RestoreError::server("begin a transaction"))?;
    let replaced = replace(client, source, changed).await;
    let end = match replaced {
        Ok(Some(_)) => "COMMIT",
        Ok(None) | Err(_) => "ROLLBACK",
    };
    let ended = client.batch_execute(end).await;
    let replaced = replaced?;
    ended.map_err(RestoreError::server("end the transaction"))?;
    Ok(replaced)
}

async fn replace(
    client: &Client,
    source: &dyn Source,
    changed: &[TreePath],
) -> Result<Option<Vec<String>>, RestoreError> {
    let table = |schema: &str, name: &str| format!("{}.{}", identifier(schema), identifier(name));
    let places = changed
        .iter()
        .filter_map(|path| paths::Place::parse(path, "csv"));
    let tables: Vec<String> = places
        .filter_map(|place| place.rows().map(|(schema, name)| table(schema, name)))
        .collect();
    let reached = client.query(REACHED, &[&tables]).await;
    let reached = reached.map_err(RestoreError::server(
        "look up the tables that reference others",
    ))?;
    let mut loaded = Vec::new();
    let mut relations = Vec::new();
    for row in &reached {
        let (Some(schema), Some(name), Some(true)) = (
            row.get::<_, Option<String>>(0),
            row.get::<_, Option<String>>(1),
            row.get::<_, Option<bool>>(2),
        ) else {
            return Ok(None);
        };
        loaded.push(table(&schema, &name));
        relations.push((schema, name));
    }
    if !loaded.is_empty() {
        let only: Vec<String> = loaded.iter().map(|table| format!("ONLY {table}")).collect();
        let truncate = format!("TRUNCATE {}", only.join(", "));
        let truncated = client.batch_execute(&truncate).await;
        truncated.map_err(RestoreError::server("empty tables"))?;
    }
    let is_loaded = |part: &Part| match &part.content {
        Content::Rows { schema, name, .. } => relations
            .iter()
            .any(|(of, relation)| of == schema && relation == name),
        Content::Sequences { .. } => changed.contains(&part.path),
        Content::Statements | Content::LargeObject { .. } => false,
    };
    let parts = phases::parts(source)?.into_iter().flatten();
    for part in parts.filter(is_loaded) {
        match rows::load(client, source, &part).await {
            Ok(()) => {}
            Err(Failure::MissingRelation(error) | Failure::Final(error)) => return Err(error),
        }
    }
    for table in &loaded {
        let rebuilt = client
            .batch_execute(&format!("REINDEX TABLE {table}"))
            .await;
        rebuilt.map_err(RestoreError::server("build indexes"))?;
    }
    Ok(Some(loaded))
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::{File, MemoryBlobs, TreeBuilder};

    use super::*;

    fn tree(entries: &[(&str, &str)]) -> Tree {
        let (blobs, mut tree) = (MemoryBlobs::new(), TreeBuilder::new());
        for (path, text) in entries {
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(text.as_bytes()),
            };
            tree.insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        }
        tree.finish()
    }

    #[test]
    fn only_rows_and_values_of_sequences_can_be_replaced() {
        let before = [
            ("format", "1"),
            ("data/public/items.csv", "id\n1\n"),
            ("schemas/public/sequence-values.csv", "a\n"),
            ("schemas/public/materialized-views/totals.sql", "view"),
            ("data/public/totals.csv", "n\n1\n"),
        ];
        let files = |path: &str, text: &str| {
            let mut after: Vec<_> = before
                .iter()
                .copied()
                .filter(|(it, _)| *it != path)
                .collect();
            if !text.is_empty() {
                after.push((path, text));
            }
            let paths = rows_only(&tree(&before), &tree(&after))?;
            Some(
                paths
                    .iter()
                    .map(|path| path.as_str().to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        let one = |path: &str| Some(vec![path.to_owned()]);
        assert_eq!(files("format", "1"), Some(Vec::new()));
        for path in [
            "data/public/items.csv",
            "schemas/public/sequence-values.csv",
            "data/app/new.csv",
        ] {
            assert_eq!(files(path, "other"), one(path), "{path}");
        }
        assert_eq!(
            files("data/public/items.csv", ""),
            one("data/public/items.csv")
        );
        for (path, text) in [
            ("format", "2"),
            ("data/public/totals.csv", "n\n2\n"),
            ("schemas/public/sequence-values.csv", ""),
            ("schemas/public/tables/items.sql", "table"),
            ("roles.sql", "roles"),
            ("capture-error.txt", "too large"),
        ] {
            assert_eq!(files(path, text), None, "{path}");
        }
    }
}
