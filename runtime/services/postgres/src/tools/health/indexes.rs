//! Checks of indexes: invalid, duplicate, bloated and unused ones.

use std::collections::HashMap;

use super::super::database::Database;
use super::super::failure::Failure;
use super::{Row, cell, integer};

/// Bytes of waste from which an index counts as bloated.
const MIN_BLOAT: i64 = 100 * 1024 * 1024;

/// Number of scans up to which an index counts as unused.
const MAX_SCANS: i64 = 50;

const MEGABYTE: f64 = 1024.0 * 1024.0;

/// Index of a table of a user.
struct Index {
    schema: String,
    table: String,
    name: String,
    columns: Vec<String>,
    method: String,
    is_unique: bool,
    is_primary: bool,
    is_valid: bool,
    expressions: Option<String>,
    predicate: Option<String>,
}

impl Index {
    fn read(row: &Row) -> Self {
        let text = |index| cell(row, index).to_owned();
        let flag = |index| cell(row, index) == "t";
        let columns = cell(row, 3).replace(") WHERE (", " WHERE ");
        Self {
            schema: text(0),
            table: text(1),
            name: text(2),
            columns: columns
                .split(", ")
                .map(|column| column.trim_matches('"').to_owned())
                .collect(),
            method: text(4),
            is_unique: flag(5),
            is_primary: flag(6),
            is_valid: flag(7),
            expressions: row.get(8).cloned().flatten(),
            predicate: row.get(9).cloned().flatten(),
        }
    }

    /// Reports whether queries can use this index instead of another one.
    fn covers(&self, other: &Self) -> bool {
        self.is_valid
            && self.name != other.name
            && self.columns.starts_with(&other.columns)
            && self.method == other.method
            && self.expressions == other.expressions
            && self.predicate == other.predicate
            && (self.columns != other.columns
                || other.name > self.name
                || self.is_primary
                || self.is_unique)
    }
}

pub(super) async fn check(database: &mut Database) -> Result<Vec<(&'static str, String)>, Failure> {
    let table = database
        .query(
            r"SELECT schemaname AS schema, t.relname AS table, ix.relname AS name,
                 regexp_replace(pg_get_indexdef(i.indexrelid), '^[^\(]*\((.*)\)$', '\1') AS columns,
                 regexp_replace(pg_get_indexdef(i.indexrelid), '.* USING ([^ ]*) \(.*', '\1') AS using,
                 indisunique, indisprimary, indisvalid, indexprs::text, indpred::text,
                 pg_get_indexdef(i.indexrelid)
             FROM pg_index i
             INNER JOIN pg_class t ON t.oid = i.indrelid
             INNER JOIN pg_class ix ON ix.oid = i.indexrelid
             LEFT JOIN pg_stat_user_indexes ui ON ui.indexrelid = i.indexrelid
             WHERE schemaname IS NOT NULL
             ORDER BY 1, 2",
        )
        .await?;
    let indexes: Vec<Index> = table.rows().iter().map(Index::read).collect();
    Ok(vec![
        ("Invalid index check", invalid(&indexes)),
        ("Duplicate index check", duplicates(&indexes)),
        ("Index bloat", bloat(database).await?),
        ("Unused index check", unused(database).await?),
    ])
}

fn invalid(indexes: &[Index]) -> String {
    let lines: Vec<String> = indexes
        .iter()
        .filter(|index| !index.is_valid)
        .map(|index| format!("{} on {} is invalid.", index.name, index.table))
        .collect();
    if lines.is_empty() {
        return "No invalid indexes found.".to_owned();
    }
    format!("Invalid indexes found: {}", lines.join("\n"))
}

fn duplicates(indexes: &[Index]) -> String {
    let mut by_table: HashMap<(&str, &str), Vec<&Index>> = HashMap::new();
    for index in indexes {
        by_table
            .entry((&index.schema, &index.table))
            .or_default()
            .push(index);
    }
    let mut found: Vec<(&Index, &Index)> = indexes
        .iter()
        .filter(|index| index.is_valid && !index.is_primary && !index.is_unique)
        .filter_map(|index| {
            let of_table = by_table.get(&(index.schema.as_str(), index.table.as_str()))?;
            let covering = of_table.iter().find(|other| other.covers(index))?;
            Some((index, *covering))
        })
        .collect();
    if found.is_empty() {
        return "No duplicate indexes found.".to_owned();
    }
    found.sort_by(|(a, _), (b, _)| (&a.table, &a.columns).cmp(&(&b.table, &b.columns)));
    let lines: Vec<String> = found
        .iter()
        .map(|(index, covering)| {
            format!(
                "Index '{}' on table '{}' is covered by index '{}'",
                index.name, index.table, covering.name
            )
        })
        .collect();
    format!("Duplicate indexes found:\n{}", lines.join("\n"))
}

/// Reports indexes with many more pages than their rows need, by the widths in the statistics.
async fn bloat(database: &mut Database) -> Result<String, Failure> {
    let table = database
        .query(&format!(
            "with settings as (
                 select current_setting('block_size')::numeric as block,
                     case when version() ~ 'mingw32' or version() ~ '64-bit' then 8 else 4 end as align),
             indexes as (
                 select relation.oid, relation.relname, relation.reltuples, relation.relpages,
                     index.indrelid, key.attnum
                 from pg_index index
                 join pg_class relation on relation.oid = index.indexrelid
                 join pg_am on pg_am.oid = relation.relam and pg_am.amname = 'btree'
                 cross join lateral unnest(index.indkey::smallint[]) as key(attnum)),
             widths as (
                 select indexes.oid, indexes.relname, indexes.reltuples, indexes.relpages, indrelid,
                     case when max(coalesce(stats.null_frac, 0)) = 0 then 2 else 6 end as header,
                     sum((1 - coalesce(stats.null_frac, 0)) * coalesce(stats.avg_width, 2048)) as data
                 from indexes
                 join pg_class relation on relation.oid = indexes.indrelid
                 join pg_namespace schema on schema.oid = relation.relnamespace
                 join pg_attribute attribute on attribute.attrelid = indexes.indrelid
                     and attribute.attnum = indexes.attnum and attribute.attnum > 0
                 join pg_stats stats on stats.schemaname = schema.nspname
                     and stats.tablename = relation.relname and stats.attname = attribute.attname
                 group by 1, 2, 3, 4, 5),
             needed as (
                 select widths.*, block,
                     coalesce(ceil((reltuples * (4 + (
                         2 + align - case when header % align = 0 then align else header % align end
                         + data + align
                         - case when data::integer % align = 0 then align else data::integer % align end
                         )::numeric)) / (block - 24::float)) + 1, 0) as pages
                 from widths, settings),
             bloat as (
                 select oid, relname, indrelid, block * relpages::bigint as total,
                     case when relpages <= pages then 0 else block * (relpages - pages)::bigint end as waste
                 from needed)
             select tables.relname, bloat.relname, waste, total
             from bloat
             join pg_class tables on tables.oid = bloat.indrelid
             join pg_stat_user_indexes statistics on statistics.indexrelid = bloat.oid
             where waste >= {MIN_BLOAT}
             order by waste desc, bloat.relname"
        ))
        .await?;
    if table.rows().is_empty() {
        return Ok("No bloated indexes found.".to_owned());
    }
    let megabytes =
        |row: &Row, index| cell(row, index).parse::<f64>().unwrap_or_default() / MEGABYTE;
    let mut lines = vec!["Bloated indexes found:".to_owned()];
    lines.extend(table.rows().iter().map(|row| {
        format!(
            "Index '{}' on table '{}' has {:.1}MB bloat out of {:.1}MB total size",
            cell(row, 1),
            cell(row, 0),
            megabytes(row, 2),
            megabytes(row, 3)
        )
    }));
    Ok(lines.join("\n"))
}

async fn unused(database: &mut Database) -> Result<String, Failure> {
    let table = database
        .query(&format!(
            "SELECT schemaname AS schema, relname AS table, indexrelname AS index,
                 pg_relation_size(i.indexrelid) AS size_bytes, idx_scan AS index_scans,
                 pg_get_indexdef(i.indexrelid) AS definition, indisprimary AS primary
             FROM pg_stat_user_indexes ui
             INNER JOIN pg_index i ON ui.indexrelid = i.indexrelid
             WHERE NOT indisunique AND idx_scan <= {MAX_SCANS}
             ORDER BY pg_relation_size(i.indexrelid) DESC, relname ASC"
        ))
        .await?;
    if table.rows().is_empty() {
        return Ok("No unused indexes found.".to_owned());
    }
    let mut lines = vec!["Rarely used indexes found:".to_owned()];
    for row in table.rows() {
        #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
        let size = integer(row, 3) as f64 / MEGABYTE;
        lines.push(format!(
            "Index '{}' on table '{}' has only been scanned {} times and uses {size:.1}MB of space",
            cell(row, 2),
            cell(row, 1),
            integer(row, 4)
        ));
    }
    Ok(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(name: &str, columns: &str, is_unique: bool) -> Index {
        let flag = |flag| Some(if flag { "t" } else { "f" }.to_owned());
        let text = |text: &str| Some(text.to_owned());
        Index::read(&vec![
            text("public"),
            text("t"),
            text(name),
            text(columns),
            text("btree"),
            flag(is_unique),
            flag(false),
            flag(true),
            None,
            None,
        ])
    }

    #[test]
    fn prefixes_and_copies_are_duplicates() {
        let indexes = [
            index("t_a", "a", false),
            index("t_a_b", "a, \"b\"", false),
            index("t_a_copy", "a", false),
            index("t_c_key", "c", true),
        ];
        assert_eq!(
            duplicates(&indexes),
            "Duplicate indexes found:\nIndex 't_a' on table 't' is covered by index 't_a_b'\nIndex 't_a_copy' on table 't' is covered by index 't_a'"
        );
        assert_eq!(duplicates(&indexes[3..]), "No duplicate indexes found.");
    }
}
