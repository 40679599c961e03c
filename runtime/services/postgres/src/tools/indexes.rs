//! Advice on indexes.

use super::arguments::Arguments;
use super::database::Database;
use super::failure::Failure;

pub(super) async fn analyze_workload(
    database: &mut Database,
    _arguments: &Arguments,
) -> Result<String, Failure> {
    let _ = database;
    Ok(String::new())
}

pub(super) async fn analyze_queries(
    database: &mut Database,
    _arguments: &Arguments,
) -> Result<String, Failure> {
    let _ = database;
    Ok(String::new())
}
