//! Check of sequences that come near their maximum.

use super::super::database::Database;
use super::super::failure::Failure;
use super::{cell, grouped, integer};

/// Share of the values from which a sequence is reported.
const THRESHOLD: f64 = 0.9;

/// Sequence that gives a column its default.
struct Usage {
    schema: String,
    sequence: String,
    table: String,
    column: String,
    last_value: i64,
    max_value: i64,
}

impl Usage {
    fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
        let share = self.last_value as f64 / self.max_value as f64;
        share
    }
}

pub(super) async fn check(database: &mut Database) -> Result<String, Failure> {
    let mut usages = usages(database).await?;
    if usages.is_empty() {
        return Ok("No sequences found in the database.".to_owned());
    }
    usages.sort_by_key(|usage| usage.max_value.saturating_sub(usage.last_value));
    let unhealthy: Vec<String> = usages
        .iter()
        .filter(|usage| usage.share() > THRESHOLD)
        .map(|usage| {
            format!(
                "Sequence '{}.{}' used for {}.{} has used {:.1}% of available values ({} of {}, {} remaining)",
                usage.schema,
                usage.sequence,
                usage.table,
                usage.column,
                usage.share() * 100.0,
                grouped(usage.last_value),
                grouped(usage.max_value),
                grouped(usage.max_value.saturating_sub(usage.last_value))
            )
        })
        .collect();
    if unhealthy.is_empty() {
        return Ok("All sequences have healthy usage levels.".to_owned());
    }
    Ok(format!(
        "Sequences approaching maximum value:\n{}",
        unhealthy.join("\n")
    ))
}

async fn usages(database: &mut Database) -> Result<Vec<Usage>, Failure> {
    let defaults = database
        .query(
            "SELECT n.nspname AS table_schema, c.relname AS table, attname AS column,
                 format_type(a.atttypid, a.atttypmod) AS column_type,
                 pg_get_expr(d.adbin, d.adrelid) AS default_value
             FROM pg_catalog.pg_attribute a
             INNER JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
             INNER JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             INNER JOIN pg_catalog.pg_attrdef d ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
             WHERE NOT a.attisdropped AND a.attnum > 0
                 AND pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%'
                 AND n.nspname NOT LIKE 'pg\\_temp\\_%'",
        )
        .await?;
    let mut usages = Vec::new();
    for row in defaults.rows() {
        let (schema, sequence) = sequence_of(cell(row, 4));
        if sequence.is_empty() {
            continue;
        }
        let name = format!("{}.{}", identifier(&schema), identifier(&sequence));
        let sql = format!(
            "SELECT has_sequence_privilege('{name}', 'SELECT') AS readable, last_value FROM {name}"
        );
        let state = database.query(&sql).await?;
        let Some(state) = state.rows().first() else {
            continue;
        };
        usages.push(Usage {
            schema,
            sequence,
            table: cell(row, 1).to_owned(),
            column: cell(row, 2).to_owned(),
            last_value: integer(state, 1),
            max_value: if cell(row, 3) == "integer" {
                i32::MAX.into()
            } else {
                i64::MAX
            },
        });
    }
    Ok(usages)
}

/// Returns schema and name of the sequence in a default such as `nextval('s.t_id_seq'::regclass)`. Quotes are taken as
/// part of the names, as in the published server.
fn sequence_of(default: &str) -> (String, String) {
    let name = default
        .replace("nextval('", "")
        .replace("'::regclass)", "")
        .replace("('", "")
        .replace("'::text)", "");
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        [name] => ("public".to_owned(), (*name).to_owned()),
        [schema, name, ..] => ((*schema).to_owned(), (*name).to_owned()),
        [] => (String::new(), String::new()),
    }
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_found_in_defaults() {
        let of = |default| {
            let (schema, sequence) = sequence_of(default);
            format!("{schema}.{sequence}")
        };
        assert_eq!(of("nextval('t_id_seq'::regclass)"), "public.t_id_seq");
        assert_eq!(of("nextval('s.t_id_seq'::regclass)"), "s.t_id_seq");
        assert_eq!(
            of("nextval(('t_id_seq'::text)::regclass)"),
            "public.nextval(t_id_seq::regclass)"
        );
    }
}
