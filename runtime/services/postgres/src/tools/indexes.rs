//! Advice on indexes.
//!
//! As in the published server, candidates are combinations of columns from the conditions of the queries, and a greedy
//! search adds the one that lowers the estimated costs most, with hypothetical indexes of the extension `hypopg`. The
//! published server walks its candidates in the random order of its hash tables; here they have the order of the
//! queries, and the log of the search is empty.

mod candidates;
mod report;

use serde_json::Value;

use super::arguments::Arguments;
use super::database::{Database, literal};
use super::extensions;
use super::failure::Failure;
use super::parameters;
use super::python;
use candidates::Candidate;

/// Maximum number of queries of a call.
const MAX_QUERIES: usize = 10;

/// Relative improvement below which an index is not worth its space.
const MIN_IMPROVEMENT: f64 = 0.1;

/// Weight of space against time.
const SPACE_WEIGHT: f64 = 2.0;

/// Maximum number of indexes in one recommendation, which bounds the search.
const MAX_INDEXES: usize = 8;

/// Calls and mean time in milliseconds from which a query of the statistics is analyzed.
const MIN_CALLS: u32 = 50;
const MIN_MEAN_TIME: f64 = 5.0;

const STALE_STATISTICS: &str = "Statistics are not up-to-date. The database needs to be analyzed first. Please run 'ANALYZE;' on your database before using the tuning advisor. Without up-to-date statistics, the index recommendations may be inaccurate.";

/// Query with its weight in the costs of the workload.
struct Query {
    text: String,
    weight: f64,
}

/// Index that the search has added, with the costs around it.
struct Step {
    candidate: Candidate,
    before: f64,
    after: f64,
    /// Costs with this index alone.
    alone: f64,
}

/// Suggests indexes for the queries that run most, from the statistics of the server.
pub(super) async fn analyze_workload(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    advise(database, arguments, None).await
}

/// Suggests indexes for given queries.
pub(super) async fn analyze_queries(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let queries = arguments.list("queries");
    if queries.is_empty() {
        return Err(Failure::Error(
            "Please provide a non-empty list of queries to analyze.".to_owned(),
        ));
    }
    if queries.len() > MAX_QUERIES {
        return Err(Failure::Error(format!(
            "Please provide a list of up to {MAX_QUERIES} queries to analyze."
        )));
    }
    advise(database, arguments, Some(queries)).await
}

async fn advise(
    database: &mut Database,
    arguments: &Arguments,
    queries: Option<&[Value]>,
) -> Result<String, Failure> {
    if let Some(text) = extensions::missing_hypopg(database).await? {
        return Ok(report::error(&text));
    }
    let analyzed = database
        .query("select 1 from pg_stat_user_tables where last_analyze is not null limit 1")
        .await?;
    if analyzed.rows().is_empty() {
        return Ok(report::error(STALE_STATISTICS));
    }
    if arguments.text("method") == "llm" {
        return Ok(report::error(
            "Error in workload analysis: the method 'llm' needs a language model, which worlds do not have; use 'dta'",
        ));
    }
    match search(database, arguments, queries).await {
        Err(Failure::Error(message)) => Ok(report::error(&format!(
            "Error in workload analysis: {message}"
        ))),
        other => other,
    }
}

async fn search(
    database: &mut Database,
    arguments: &Arguments,
    queries: Option<&[Value]>,
) -> Result<String, Failure> {
    let queries = match queries {
        Some(queries) => given(database, queries).await?,
        None => from_statistics(database).await?,
    };
    let mut candidates = candidates::of(database, &queries).await?;
    let space = candidates::table_bytes(database, &candidates).await?;
    let budget = arguments
        .integer("max_index_size_mb")
        .parse::<f64>()
        .unwrap_or(-1.0);
    let base = costs(database, &queries, &[]).await?;
    let mut steps: Vec<Step> = Vec::new();
    let (mut cost, mut used) = (base, space);
    let objective = |cost: f64, space: f64| cost.ln() + SPACE_WEIGHT * space.ln();
    while steps.len() < MAX_INDEXES {
        let mut best: Option<(usize, f64)> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            let total = used + candidate.bytes;
            if budget > 0.0 && total - space > budget * 1024.0 * 1024.0 {
                continue;
            }
            let mut chosen: Vec<&Candidate> = steps.iter().map(|step| &step.candidate).collect();
            chosen.push(candidate);
            let after = costs(database, &queries, &chosen).await?;
            let is_worth = (cost - after) / cost >= MIN_IMPROVEMENT
                && objective(after, total) < objective(cost, used);
            if is_worth && best.is_none_or(|(_, least)| after < least) {
                best = Some((place, after));
            }
        }
        let Some((place, after)) = best else {
            break;
        };
        let candidate = candidates.remove(place);
        let alone = costs(database, &queries, &[&candidate]).await?;
        used += candidate.bytes;
        steps.push(Step {
            candidate,
            before: cost,
            after,
            alone,
        });
        cost = after;
    }
    let text = report::recommendations(database, &queries, base, &steps).await;
    database.query("SELECT hypopg_reset()").await?;
    text
}

/// Returns the given queries, in lower case and without parameters. Statements that are no `SELECT` are left out.
async fn given(database: &mut Database, queries: &[Value]) -> Result<Vec<Query>, Failure> {
    let mut prepared = Vec::new();
    for query in queries {
        let text = query.as_str().unwrap_or_default().trim().to_lowercase();
        if text.starts_with("select") || text.starts_with("with") {
            let (text, _) = parameters::replaced(database, &text).await?;
            prepared.push(Query { text, weight: 1.0 });
        }
    }
    Ok(prepared)
}

async fn from_statistics(database: &mut Database) -> Result<Vec<Query>, Failure> {
    let table = database
        .query(&format!(
            "select query, calls * mean_exec_time from pg_stat_statements
             where calls >= {MIN_CALLS} and mean_exec_time >= {MIN_MEAN_TIME}
             order by total_exec_time desc limit {MAX_QUERIES}"
        ))
        .await?;
    let mut queries = Vec::new();
    for row in table.rows() {
        let cell = |index: usize| {
            row.get(index)
                .and_then(Option::as_deref)
                .unwrap_or_default()
        };
        let text = cell(0).trim().to_lowercase();
        if text.starts_with("select") || text.starts_with("with") {
            let (text, _) = parameters::replaced(database, &text).await?;
            let weight = cell(1).parse().unwrap_or(1.0);
            queries.push(Query { text, weight });
        }
    }
    Ok(queries)
}

/// Returns the plan of a query with hypothetical indexes.
async fn plan(
    database: &mut Database,
    query: &str,
    indexes: &[&Candidate],
) -> Result<Value, Failure> {
    let mut statements = "SELECT hypopg_reset();".to_owned();
    for index in indexes {
        let definition = literal(&index.definition())?;
        statements.push_str(&format!("SELECT hypopg_create_index({definition});"));
    }
    statements.push_str(&format!("EXPLAIN (FORMAT JSON) {query}"));
    let table = database.checked_query(&statements, query).await?;
    let plans: Value = serde_json::from_str(table.value().unwrap_or_default()).unwrap_or_default();
    Ok(plans.get(0).cloned().unwrap_or_default())
}

fn total_cost(plan: &Value) -> f64 {
    plan["Plan"]["Total Cost"].as_f64().unwrap_or(f64::INFINITY)
}

/// Returns the estimated costs of all queries with hypothetical indexes.
async fn costs(
    database: &mut Database,
    queries: &[Query],
    indexes: &[&Candidate],
) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for query in queries {
        sum += query.weight * total_cost(&plan(database, &query.text, indexes).await?);
    }
    Ok(sum)
}

/// Returns the `repr` of a string.
fn quoted(text: &str) -> String {
    let mut shown = String::new();
    python::string(text, &mut shown);
    shown
}
