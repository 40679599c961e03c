//! Checks of connections, transaction ids, replication, buffers and constraints.

use super::super::database::Database;
use super::super::failure::Failure;
use super::{cell, grouped, integer};

const MAX_CONNECTIONS: i64 = 500;
const MAX_IDLE_CONNECTIONS: i64 = 100;

/// Number of transactions before their ids wrap around, and the number below which a table is reported.
const TRANSACTION_IDS: i64 = 2_146_483_648;
const TRANSACTION_IDS_LEFT: i64 = 10_000_000;

/// Share of the buffer hits that is healthy, in percent.
const HIT_RATE: f64 = 95.0;

async fn count(database: &mut Database, condition: &str) -> Result<i64, Failure> {
    let sql = format!("select count(*) as count from pg_stat_activity {condition}");
    let table = database.query(&sql).await?;
    Ok(table.rows().first().map_or(0, |row| integer(row, 0)))
}

pub(super) async fn connections(database: &mut Database) -> Result<String, Failure> {
    let total = count(database, "").await?;
    let idle = count(database, "where state = 'idle in transaction'").await?;
    Ok(if total > MAX_CONNECTIONS {
        format!("High number of connections: {total}")
    } else if idle > MAX_IDLE_CONNECTIONS {
        format!("High number of connections idle in transaction: {idle}")
    } else {
        format!("Connections healthy: {total} total, {idle} idle")
    })
}

pub(super) async fn transaction_ids(database: &mut Database) -> Result<String, Failure> {
    let table = database
        .query(&format!(
            "select * from (
                 select nspname, relation.relname,
                     {TRANSACTION_IDS} - greatest(age(relation.relfrozenxid), age(toast.relfrozenxid))
                         as transactions_left
                 from pg_class relation
                 join pg_namespace on pg_namespace.oid = relation.relnamespace
                 left join pg_class toast on toast.oid = relation.reltoastrelid
                 where relation.relkind = 'r') tables
             where transactions_left < {TRANSACTION_IDS_LEFT}
             order by 3, 1, 2"
        ))
        .await?;
    if table.rows().is_empty() {
        return Ok("No tables found with transaction ID wraparound danger.".to_owned());
    }
    let mut lines = vec!["Tables approaching transaction ID wraparound:".to_owned()];
    lines.extend(table.rows().iter().map(|row| {
        format!(
            "Table '{}.{}' has {} transactions remaining before wraparound (threshold: {})",
            cell(row, 0),
            cell(row, 1),
            grouped(integer(row, 2)),
            grouped(TRANSACTION_IDS_LEFT)
        )
    }));
    Ok(lines.join("\n"))
}

pub(super) async fn replication(database: &mut Database) -> Result<String, Failure> {
    let table = database.query("select pg_is_in_recovery()").await?;
    let is_replica = table.value() == Some("t");
    let lag = lag(database).await?;
    let replicas = database
        .query("select state from pg_stat_replication")
        .await;
    let is_replicating = !unless_refused(replicas)?.is_empty();
    let slots = database
        .query("select slot_name, database, active from pg_replication_slots")
        .await;
    let slots = unless_refused(slots)?;
    let mut lines: Vec<String> = Vec::new();
    let mut say = |line: &str| lines.push(line.to_owned());
    if is_replica {
        say("This is a replica database.");
        say(if is_replicating {
            "Replica is actively replicating from primary."
        } else {
            "WARNING: Replica is not actively replicating from primary!"
        });
        match lag {
            Some(0.0) => say("No replication lag detected."),
            Some(seconds) => say(&format!("Replication lag: {seconds:.1} seconds")),
            None => {}
        }
    } else {
        say("This is a primary database.");
        say(if is_replicating {
            "Has active replicas connected."
        } else {
            "No active replicas connected."
        });
    }
    if slots.is_empty() {
        say("\nNo replication slots found.");
    }
    for (label, active) in [("Active", "t"), ("Inactive", "f")] {
        let of_this_state: Vec<_> = slots
            .iter()
            .filter(|slot| cell(slot, 2) == active)
            .collect();
        if !of_this_state.is_empty() {
            say(&format!("\n{label} replication slots:"));
        }
        for slot in of_this_state {
            let database = slot.get(1).and_then(Option::as_deref).unwrap_or("None");
            say(&format!("- {} (database: {database})", cell(slot, 0)));
        }
    }
    Ok(lines.join("\n"))
}

/// Returns the lag of a replica in seconds, 0 for a primary, or `None` if the server does not tell it.
async fn lag(database: &mut Database) -> Result<Option<f64>, Failure> {
    let table = database
        .query(
            "select case
                 when not pg_is_in_recovery()
                     or pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
                 else extract(epoch from now() - pg_last_xact_replay_timestamp()) end",
        )
        .await;
    let rows = unless_refused(table)?;
    Ok(rows.first().and_then(|row| cell(row, 0).parse().ok()))
}

/// Returns the rows of a query, or none if the server refused it.
fn unless_refused(
    table: Result<super::super::rows::Table, Failure>,
) -> Result<Vec<super::Row>, Failure> {
    match table {
        Ok(table) => Ok(table.rows().to_vec()),
        Err(Failure::Error(_)) => Ok(Vec::new()),
        Err(other) => Err(other),
    }
}

/// Reports how many reads of indexes or tables found their block in the buffers.
pub(super) async fn hit_rate(database: &mut Database, kind: &str) -> Result<String, Failure> {
    let (prefix, view) = if kind == "index" {
        ("idx", "pg_statio_user_indexes")
    } else {
        ("heap", "pg_statio_user_tables")
    };
    let table = database
        .query(&format!(
            "select sum({prefix}_blks_hit) / nullif(sum({prefix}_blks_hit + {prefix}_blks_read), 0)
             from {view}"
        ))
        .await?;
    let Some(rate) = table.value().and_then(|rate| rate.parse::<f64>().ok()) else {
        return Ok(format!("No {kind} cache statistics available."));
    };
    let rate = rate * 100.0;
    let place = if rate >= HIT_RATE { "above" } else { "below" };
    let capitalised = if kind == "index" { "Index" } else { "Table" };
    Ok(format!(
        "{capitalised} cache hit rate: {rate:.1}% ({place} {HIT_RATE:.1}% threshold)"
    ))
}

pub(super) async fn constraints(database: &mut Database) -> Result<String, Failure> {
    let table = database
        .query(
            "SELECT nsp.nspname, rel.relname, con.conname, fnsp.nspname, frel.relname
             FROM pg_catalog.pg_constraint con
             INNER JOIN pg_catalog.pg_class rel ON rel.oid = con.conrelid
             LEFT JOIN pg_catalog.pg_class frel ON frel.oid = con.confrelid
             LEFT JOIN pg_catalog.pg_namespace nsp ON nsp.oid = con.connamespace
             LEFT JOIN pg_catalog.pg_namespace fnsp ON fnsp.oid = frel.relnamespace
             WHERE con.convalidated = 'f'",
        )
        .await?;
    if table.rows().is_empty() {
        return Ok("No invalid constraints found.".to_owned());
    }
    let mut lines = vec!["Invalid constraints found:".to_owned()];
    lines.extend(table.rows().iter().map(|row| {
        let constraint = format!(
            "Constraint '{}' on table '{}.{}'",
            cell(row, 2),
            cell(row, 0),
            cell(row, 1)
        );
        if cell(row, 4).is_empty() {
            format!("{constraint} is invalid")
        } else {
            format!(
                "{constraint} referencing '{}.{}' is invalid",
                cell(row, 3),
                cell(row, 4)
            )
        }
    }));
    Ok(lines.join("\n"))
}
