//! Candidates for indexes, from the columns that queries name.

use std::collections::HashSet;

use super::Query;
use crate::tools::database::{Database, literal};
use crate::tools::failure::Failure;

/// Maximum number of columns of an index.
const MAX_WIDTH: usize = 3;

/// Maximum number of columns of one table that are combined, which bounds the candidates.
const MAX_COLUMNS: usize = 6;

/// Hypothetical index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub(super) table: String,
    pub(super) columns: Vec<String>,
    /// Estimated size.
    pub(super) bytes: f64,
}

impl Candidate {
    /// Returns the statement that creates the index.
    pub(super) fn definition(&self) -> String {
        let Self { table, columns, .. } = self;
        let count = columns.len();
        format!(
            "CREATE INDEX crystaldba_idx_{table}_{}_{count} ON {table} USING btree ({})",
            columns.join("_"),
            columns.join(", ")
        )
    }
}

/// Returns the words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// Returns the candidates of queries: combinations of columns from their conditions, without indexes that exist.
pub(super) async fn of(
    database: &mut Database,
    queries: &[Query],
) -> Result<Vec<Candidate>, Failure> {
    let mut seen = HashSet::new();
    let mut named: Vec<&str> = Vec::new();
    for query in queries {
        // What precedes the first condition selects columns, which gain nothing from an index.
        let conditions = [
            " where ",
            " on ",
            " having ",
            " order by ",
            "\nwhere ",
            "\non ",
            "\norder by ",
        ];
        let start = conditions.iter().filter_map(|it| query.text.find(it)).min();
        named.extend(words(&query.text[start.unwrap_or(query.text.len())..]));
    }
    let names: Vec<&str> = queries
        .iter()
        .flat_map(|query| words(&query.text))
        .collect();
    let names = list(names.into_iter().filter(|name| seen.insert(*name)))?;
    let columns = list(named.iter().copied())?;
    if names.is_empty() || columns.is_empty() {
        return Ok(Vec::new());
    }
    // Long texts make large indexes.
    let found = database
        .query(&format!(
            "select c.oid::regclass::text, a.attname, c.oid from pg_class c
             join pg_attribute a on a.attrelid = c.oid
             left join pg_stats s on s.schemaname = c.relnamespace::regnamespace::text
                 and s.tablename = c.relname and s.attname = a.attname
             where c.relkind in ('r', 'p', 'm') and c.relname in ({names}) and a.attname in ({columns})
                 and a.attnum > 0 and not a.attisdropped and coalesce(s.avg_width, 0) < 256
                 and c.relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')
             order by c.relname, a.attnum"
        ))
        .await?;
    let existing = database
        .query(
            "select i.indrelid::regclass::text, array_to_string(array(
                 select attname from unnest(i.indkey::int2[]) with ordinality k(attnum, place)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                 order by place), ',')
             from pg_index i where i.indpred is null",
        )
        .await?;
    let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
    let existing: HashSet<(String, String)> = existing
        .rows()
        .iter()
        .map(|row| (text(&row[0]), text(&row[1])))
        .collect();
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for row in found.rows() {
        let (table, column) = (text(&row[0]), text(&row[1]));
        match tables.last_mut() {
            Some((last, columns)) if *last == table => columns.push(column),
            _ => tables.push((table, vec![column])),
        }
    }
    let mut candidates = Vec::new();
    for (table, mut columns) in tables {
        columns.sort_by_key(|column| named.iter().position(|name| name == column));
        columns.truncate(MAX_COLUMNS);
        for columns in combinations(&columns) {
            if !existing.contains(&(table.clone(), columns.join(","))) {
                candidates.push(Candidate {
                    table: table.clone(),
                    columns,
                    bytes: 0.0,
                });
            }
        }
    }
    for candidate in &mut candidates {
        let definition = literal(&candidate.definition())?;
        let size = database
            .query(&format!(
                "SELECT hypopg_reset(); SELECT hypopg_relation_size(indexrelid) FROM hypopg_create_index({definition})"
            ))
            .await?;
        candidate.bytes = size
            .value()
            .and_then(|size| size.parse().ok())
            .unwrap_or_default();
    }
    Ok(candidates)
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> Result<String, Failure> {
    let literals: Result<Vec<String>, Failure> = names.map(literal).collect();
    Ok(literals?.join(", "))
}

/// Returns the combinations of up to [`MAX_WIDTH`] columns, in their order, the short ones first.
fn combinations(columns: &[String]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<usize>> = (0..columns.len()).map(|place| vec![place]).collect();
    let mut start = 0;
    for _ in 1..MAX_WIDTH {
        let end = all.len();
        for index in start..end {
            let last = all[index].last().copied().unwrap_or_default();
            for next in last + 1..columns.len() {
                let mut longer = all[index].clone();
                longer.push(next);
                all.push(longer);
            }
        }
        start = end;
    }
    let named = |places: Vec<usize>| places.into_iter().map(|place| columns[place].clone());
    all.into_iter()
        .map(|places| named(places).collect())
        .collect()
}

/// Returns the size of the tables of candidates, in bytes.
pub(super) async fn table_bytes(
    database: &mut Database,
    candidates: &[Candidate],
) -> Result<f64, Failure> {
    let mut tables: Vec<&str> = candidates.iter().map(|it| it.table.as_str()).collect();
    tables.dedup();
    let mut sum = 1.0;
    for table in tables {
        let name = literal(table)?;
        let size = database
            .query(&format!("select pg_table_size({name}::regclass)"))
            .await?;
        sum += size
            .value()
            .and_then(|size| size.parse().ok())
            .unwrap_or(0.0);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_combined_in_order() {
        let columns = ["a", "b", "c", "d"].map(str::to_owned);
        let all: Vec<String> = combinations(&columns)
            .iter()
            .map(|it| it.concat())
            .collect();
        assert_eq!(
            all,
            [
                "a", "b", "c", "d", "ab", "ac", "ad", "bc", "bd", "cd", "abc", "abd", "acd", "bcd"
            ]
        );
        assert!(combinations(&[]).is_empty());
    }
}
