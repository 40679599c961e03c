//! Checks of the health of a database.

mod indexes;
mod sequences;
mod server;

use super::arguments::Arguments;
use super::database::Database;
use super::failure::Failure;

/// Checks in the order of their reports.
const CHECKS: [&str; 7] = [
    "index",
    "connection",
    "vacuum",
    "sequence",
    "replication",
    "buffer",
    "constraint",
];

/// Row of a query in text format.
type Row = Vec<Option<String>>;

/// Runs the checks that a comma-separated list names.
pub(super) async fn analyze(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let wanted = arguments.text("health_type");
    let names: Vec<&str> = wanted.split(',').map(str::trim).collect();
    if names
        .iter()
        .any(|name| *name != "all" && !CHECKS.contains(name))
    {
        return Ok(format!(
            "Invalid health types provided: '{wanted}'. Valid values are: all, buffer, connection, constraint, index, replication, sequence, vacuum. Please try again with a comma-separated list of valid health types."
        ));
    }
    let mut report = String::new();
    for check in CHECKS {
        if !names.contains(&"all") && !names.contains(&check) {
            continue;
        }
        match run(database, check).await {
            Ok(lines) => {
                for (label, text) in lines {
                    report.push_str(label);
                    report.push_str(": ");
                    report.push_str(&text);
                    report.push('\n');
                }
            }
            Err(Failure::Error(message)) => {
                return Ok(format!("Error calculating database health: {message}"));
            }
            Err(other) => return Err(other),
        }
    }
    Ok(report)
}

/// Runs one check. Returns its labelled findings.
async fn run(database: &mut Database, check: &str) -> Result<Vec<(&'static str, String)>, Failure> {
    Ok(match check {
        "index" => indexes::check(database).await?,
        "connection" => vec![("Connection health", server::connections(database).await?)],
        "vacuum" => vec![("Vacuum health", server::transaction_ids(database).await?)],
        "sequence" => vec![("Sequence health", sequences::check(database).await?)],
        "replication" => vec![("Replication health", server::replication(database).await?)],
        "buffer" => vec![
            (
                "Buffer health for indexes",
                server::hit_rate(database, "index").await?,
            ),
            (
                "Buffer health for tables",
                server::hit_rate(database, "table").await?,
            ),
        ],
        _ => vec![("Constraint health", server::constraints(database).await?)],
    })
}

/// Returns a cell of a row. Null is empty.
fn cell(row: &Row, index: usize) -> &str {
    row.get(index)
        .and_then(Option::as_deref)
        .unwrap_or_default()
}

fn integer(row: &Row, index: usize) -> i64 {
    cell(row, index).parse().unwrap_or_default()
}

/// Returns an integer with commas between groups of three digits.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 {
        "-".to_owned()
    } else {
        String::new()
    };
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
    }
}
