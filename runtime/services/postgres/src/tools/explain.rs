//! Plans of queries, also with hypothetical indexes.

use serde_json::Value;

use super::arguments::{Arguments, repr};
use super::database::{Database, literal};
use super::extensions;
use super::failure::Failure;
use super::parameters;
use super::plan;
use super::rows::Table;

/// Column of the result of `EXPLAIN`.
const PLAN_COLUMN: &[u8] = b"QUERY PLAN";

/// Explains a query.
pub(super) async fn explain_query(
    database: &mut Database,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let sql = arguments.text("sql");
    let is_analyzed = arguments.boolean("analyze");
    let indexes = arguments.list("hypothetical_indexes");
    if indexes.is_empty() {
        let (sql, is_generic) = parameters::replaced(database, sql).await?;
        let mut options = vec!["FORMAT JSON"];
        if is_analyzed {
            options.push("ANALYZE");
        }
        if is_generic {
            options.push("GENERIC_PLAN");
        }
        return explain(database, &format!("EXPLAIN ({}) {sql}", options.join(", "))).await;
    }
    if is_analyzed {
        return Err(Failure::Error(
            "Cannot use analyze and hypothetical indexes together".to_owned(),
        ));
    }
    if let Some(text) = extensions::missing_hypopg(database).await? {
        return Ok(text);
    }
    let indexes: Vec<IndexDefinition> = indexes
        .iter()
        .map(IndexDefinition::parse)
        .collect::<Result<_, _>>()?;
    with_indexes(database, sql, &indexes)
        .await
        .map_err(|failure| {
            failure.within("Error generating explain plan with hypothetical indexes: ")
        })
}

async fn explain(database: &mut Database, sql: &str) -> Result<String, Failure> {
    let error = |text: &str| Failure::Error(text.to_owned());
    let mut table = Table::first_row(database.limits().max_result_bytes);
    let ran = database.run(sql, &mut table).await;
    ran.map_err(|failure| failure.within("Error executing explain plan: "))?;
    if table.columns().is_none() {
        return Err(error("No results returned from EXPLAIN"));
    }
    if table.rows().is_empty() {
        return Err(error(
            "Error executing explain plan: list index out of range",
        ));
    }
    let Some(data) = plan_data(&table) else {
        return Err(error("Error executing explain plan: 'QUERY PLAN'"));
    };
    let plan: Value = serde_json::from_str(data).unwrap_or_default();
    let Some(plan) = plan.as_array() else {
        return Err(error("Expected list from EXPLAIN, got <class 'str'>"));
    };
    let Some(plan) = plan.first() else {
        return Err(error("No results returned from EXPLAIN"));
    };
    plan::format(plan).map_err(|problem| {
        Failure::Error(format!(
            "Internal error converting explain plan - do not retry: {problem}"
        ))
    })
}

/// Returns the plan in the first row of a result.
fn plan_data(table: &Table) -> Option<&str> {
    let columns = table.columns()?;
    let place = columns
        .iter()
        .rposition(|column| column.name == PLAN_COLUMN)?;
    table.rows().first()?.get(place)?.as_deref()
}

/// Index that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IndexDefinition {
    table: String,
    columns: Vec<String>,
    method: String,
}

impl IndexDefinition {
    /// Reads an index from the arguments of a call.
    fn parse(index: &Value) -> Result<Self, Failure> {
        let missing = |key: &str| Failure::Error(format!("Missing '{key}' in index definition"));
        let table = index.get("table").ok_or_else(|| missing("table"))?;
        let columns = match index.get("columns").ok_or_else(|| missing("columns"))? {
            Value::Array(columns) => columns.clone(),
            // Python makes a list of the characters of a string, and of the keys of a dictionary.
            Value::String(text) => text.chars().map(|it| Value::from(it.to_string())).collect(),
            Value::Object(object) => object.keys().map(|key| Value::from(key.as_str())).collect(),
            scalar => vec![scalar.clone()],
        };
        let columns = columns.iter().map(|column| match column.as_str() {
            Some(column) => Ok(column.to_owned()),
            None => Err(not_text(column)),
        });
        Ok(Self {
            table: shown(table),
            columns: columns.collect::<Result<_, _>>()?,
            method: index.get("using").map_or_else(|| "btree".to_owned(), shown),
        })
    }

    /// Returns the statement that would create the index.
    fn statement(&self) -> String {
        let mut names = Vec::new();
        for column in &self.columns {
            let mut name = String::new();
            for character in column.chars() {
                let character = match character {
                    '(' | ')' | ' ' | ',' => '_',
                    other => other,
                };
                if character != '_' || !name.ends_with('_') {
                    name.push(character);
                }
            }
            names.push(name.trim_end_matches('_').to_owned());
        }
        let Self {
            table,
            columns,
            method,
        } = self;
        let suffix = if method == "btree" {
            String::new()
        } else {
            format!("_{method}")
        };
        let names = names.join("_");
        let count = columns.len();
        let columns = columns.join(", ");
        format!(
            "CREATE INDEX crystaldba_idx_{table}_{names}_{count}{suffix} ON {table} USING {method} ({columns})"
        )
    }
}

/// Returns a value as `str` prints it.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| repr(value), str::to_owned)
}

fn not_text(column: &Value) -> Failure {
    let type_name = match column {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::Array(_) => "list",
        _ => "dict",
    };
    let problem = match column {
        Value::Array(_) | Value::Object(_) => format!("unhashable type: '{type_name}'"),
        _ => format!("'{type_name}' object has no attribute 'replace'"),
    };
    Failure::Error(format!(
        "Error generating explain plan with hypothetical indexes: {problem}"
    ))
}

async fn with_indexes(
    database: &mut Database,
    sql: &str,
    indexes: &[IndexDefinition],
) -> Result<String, Failure> {
    let (sql, is_generic) = parameters::replaced(database, sql).await?;
    let mut statements = "SELECT hypopg_reset();".to_owned();
    // Equal indexes count once.
    let mut seen: Vec<&IndexDefinition> = Vec::new();
    for index in indexes {
        if seen.contains(&index) {
            continue;
        }
        seen.push(index);
        let definition = literal(&index.statement())?;
        statements.push_str(&format!("SELECT hypopg_create_index({definition});"));
    }
    let mut options = vec!["FORMAT JSON"];
    if is_generic {
        options.push("GENERIC_PLAN");
    }
    options.push("COSTS TRUE");
    statements.push_str(&format!("EXPLAIN ({}) {sql}", options.join(", ")));
    let mut table = Table::first_row(database.limits().max_result_bytes);
    database.run(&statements, &mut table).await?;
    let no_trace = || Failure::Error("'NoneType' object has no attribute 'dta_trace'".to_owned());
    let data = plan_data(&table).ok_or_else(no_trace)?;
    let plan: Value = serde_json::from_str(data).unwrap_or_default();
    let plan = plan.get(0).ok_or_else(no_trace)?;
    plan::format(plan)
        .map_err(|problem| Failure::Error(format!("Error converting explain plan: {problem}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn statements_name_the_columns() {
        let index = json!({"table": "users", "columns": ["lower(name)", "b"], "using": "hash"});
        assert_eq!(
            IndexDefinition::parse(&index).unwrap().statement(),
            "CREATE INDEX crystaldba_idx_users_lower_name_b_2_hash ON users USING hash (lower(name), b)"
        );
        let index = json!({"table": "t", "columns": "ab"});
        assert_eq!(
            IndexDefinition::parse(&index).unwrap().statement(),
            "CREATE INDEX crystaldba_idx_t_a_b_2 ON t USING btree (a, b)"
        );
    }

    #[test]
    fn definitions_need_table_and_columns() {
        let problem = |index: Value| match IndexDefinition::parse(&index) {
            Err(Failure::Error(text)) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(problem(json!({})), "Missing 'table' in index definition");
        assert_eq!(
            problem(json!({"table": "t"})),
            "Missing 'columns' in index definition"
        );
        assert!(
            problem(json!({"table": "t", "columns": [1]}))
                .ends_with("'int' object has no attribute 'replace'")
        );
    }
}
