//! Slow queries, from the statistics of the extension `pg_stat_statements`.

use super::arguments::Arguments;
use super::database::Database;
use super::extensions;
use super::failure::Failure;
use super::rows::Printed;

/// Extension with the statistics.
const EXTENSION: &str = "pg_stat_statements";

/// First version of PostgreSQL whose statistics distinguish planning and execution.
const EXECUTION_TIMES: u32 = 13;

/// Share of a resource from which a query is reported.
const SHARE: &str = "0.05";

/// Reports the queries that are slowest, or use the most resources.
pub(super) async fn report(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let (criterion, prefix) = match arguments.text("sort_by") {
        "resources" => (None, "Error resource-intensive queries: "),
        "mean_time" => (
            Some(("mean", "mean execution time per call")),
            "Error getting slow queries: ",
        ),
        "total_time" => (
            Some(("total", "total execution time")),
            "Error getting slow queries: ",
        ),
        _ => {
            return Err(Failure::Error(
                "Invalid sort criteria. Please use 'resources' or 'mean_time' or 'total_time'."
                    .to_owned(),
            ));
        }
    };
    let report = async {
        if !extensions::is_installed(database, EXTENSION).await? {
            return Ok(include_str!("texts/pg_stat_statements-missing.md").to_owned());
        }
        let infix = if database.version().await? >= EXECUTION_TIMES {
            "exec_"
        } else {
            ""
        };
        match criterion {
            Some(criterion) => {
                by_time(database, criterion, infix, &arguments.integer("limit")).await
            }
            None => by_resources(database, infix).await,
        }
    };
    // The tool reports these errors as results.
    match report.await {
        Err(Failure::Error(message)) => Ok(format!("{prefix}{message}")),
        other => other,
    }
}

async fn by_time(
    database: &mut Database,
    (column, description): (&str, &str),
    infix: &str,
    limit: &str,
) -> Result<String, Failure> {
    let sql = format!(
        "select query, calls, total_{infix}time, mean_{infix}time, rows from pg_stat_statements
         order by {column}_{infix}time desc limit {limit}"
    );
    let mut printed = Printed::new(database.limits().max_result_bytes);
    database.execute(&sql, &mut printed).await?;
    let (rows, count) = printed.finish().unwrap_or_default();
    Ok(format!(
        "Top {count} slowest queries by {description}:\n{rows}"
    ))
}

async fn by_resources(database: &mut Database, infix: &str) -> Result<String, Failure> {
    let shares = [
        ("total_exec_time", "total_exec_time_frac"),
        (
            "shared_blks_hit + shared_blks_read",
            "shared_blks_accessed_frac",
        ),
        ("shared_blks_read", "shared_blks_read_frac"),
        ("shared_blks_dirtied", "shared_blks_dirtied_frac"),
        ("wal_bytes", "total_wal_bytes_frac"),
    ];
    let fractions = shares.map(|(amount, name)| {
        // The server sums up the renamed column, and divides as the type of the amount does.
        let amount = amount.replace("total_exec_time", &format!("total_{infix}time"));
        format!("({amount}) / sum({amount}) over () as {name}")
    });
    let conditions = shares.map(|(_, name)| format!("{name} > {SHARE}"));
    let names = shares.map(|(_, name)| name).join(", ");
    let sql = format!(
        "with shares as (
             select query, calls, rows, total_{infix}time as total_exec_time,
                 mean_{infix}time as mean_exec_time, stddev_exec_time, shared_blks_hit,
                 shared_blks_read, shared_blks_dirtied, wal_bytes, {}
             from pg_stat_statements)
         select query, calls, rows, total_exec_time, mean_exec_time, stddev_exec_time, {names},
             shared_blks_hit, shared_blks_read, shared_blks_dirtied, wal_bytes
         from shares where {} order by total_exec_time desc",
        fractions.join(", "),
        conditions.join(" or ")
    );
    let mut printed = Printed::new(database.limits().max_result_bytes);
    database.execute(&sql, &mut printed).await?;
    Ok(printed.finish().unwrap_or_default().0)
}
