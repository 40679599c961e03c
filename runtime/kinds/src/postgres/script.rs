//! The service `sql` for scripts that import `psycopg2`.
//!
//! All connections of a script reach one private cluster with the content of the final state. A script may change it;
//! the cluster is discarded when the script ends. `guest-sdk/python/shims/psycopg2` documents the requests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpmark_postgres::inspection::{
    Answer, Cause, FormatError, Inspection, InspectionError, InspectionRequest, Inspector, Item,
    Literal, Parameters, Refusal, Session, StatementError, array, interpolate, user_of,
};
use mcpmark_sandbox::{FaultKind, InterfaceVersions, ScriptServices, ScriptSession, ServiceAnswer};
use mcpmark_service::error_chain;
use mcpmark_snapshot::{Snapshot, scratch_parent};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::sql;

/// Maximum size of the rows of one statement, in bytes.
const MAX_ROWS_BYTES: u64 = 64 << 20;
/// Maximum number of connections that are open at once.
const MAX_CONNECTIONS: usize = 16;
/// Time of all statements of a script together. It is less than the default time of a script, so that an agent cannot
/// void its grade with a function that never ends.
const TIME: Duration = Duration::from_secs(120);
/// Role of the published harness, which is a superuser.
const HARNESS: &str = "postgres";

/// Types of arrays that psycopg2 converts to lists. Others are texts.
const LISTS: &[&str] = &[
    "_bool",
    "_bpchar",
    "_bytea",
    "_char",
    "_date",
    "_float4",
    "_float8",
    "_int2",
    "_int4",
    "_int8",
    "_interval",
    "_json",
    "_jsonb",
    "_name",
    "_numeric",
    "_oid",
    "_text",
    "_time",
    "_timestamp",
    "_timestamptz",
    "_timetz",
    "_varchar",
];

/// Database of a final state that scripts can query.
#[derive(Debug, Clone)]
pub(super) struct DatabaseServices {
    inspector: Arc<Inspector>,
    state: Snapshot,
    clock: i64,
}

impl DatabaseServices {
    /// Creates the services of a final state.
    pub(super) fn new(inspector: Arc<Inspector>, state: &Snapshot, clock: i64) -> Self {
        Self {
            inspector,
            state: state.clone(),
            clock,
        }
    }
}

impl ScriptServices for DatabaseServices {
    fn open(&self) -> Box<dyn ScriptSession> {
        Box::new(Connections {
            services: self.clone(),
            scratch: scratch_parent(None),
            sessions: BTreeMap::new(),
            database: None,
            server: None,
            last: 0,
            spent: Duration::ZERO,
        })
    }
}

/// Connections of one run of a script. The sessions are dropped before the database.
struct Connections {
    services: DatabaseServices,
    scratch: PathBuf,
    sessions: BTreeMap<u64, Session>,
    /// Database, which is built for the first connection.
    database: Option<Inspection>,
    /// Server of the database, once a connection was requested.
    server: Option<String>,
    /// Number of the last connection.
    last: u64,
    /// Time that statements have taken.
    spent: Duration,
}

/// Request of the shim of `psycopg2`: one of the parts.
#[derive(Deserialize)]
struct Request {
    connect: Option<Map<String, Value>>,
    execute: Option<Execute>,
    close: Option<Close>,
}

#[derive(Deserialize)]
struct Execute {
    connection: u64,
    sql: String,
    #[serde(default)]
    parameters: Value,
}

#[derive(Deserialize)]
struct Close {
    connection: u64,
}

impl ScriptSession for Connections {
    fn call(&mut self, service: &str, request: &str, _now: i64) -> ServiceAnswer {
        if service != "sql" {
            return ServiceAnswer::Absent;
        }
        let request = match serde_json::from_str::<Request>(request) {
            Ok(request) => request,
            Err(error) => return invalid(&format!("expected an SQL request in JSON: {error}")),
        };
        match request {
            Request {
                connect: Some(keywords),
                ..
            } => self.connect(&keywords),
            Request {
                execute: Some(execute),
                ..
            } => self.execute(&execute),
            Request {
                close: Some(close), ..
            } => {
                self.sessions.remove(&close.connection);
                answer(&json!({}))
            }
            _ => invalid("expected connect, execute or close"),
        }
    }

    fn interfaces(&self) -> InterfaceVersions {
        let server = self.server.as_deref();
        server.map(|server| ("sql", server)).into_iter().collect()
    }
}

impl Connections {
    fn connect(&mut self, keywords: &Map<String, Value>) -> ServiceAnswer {
        let text = |key| keywords.get(key).and_then(Value::as_str);
        let of_dsn = text("dsn").and_then(user_of);
        let user = text("user").map(str::to_owned).or(of_dsn);
        let role = user.filter(|user| user != HARNESS);
        if self.sessions.len() >= MAX_CONNECTIONS {
            let message = "FATAL:  sorry, too many clients already\n";
            return refused("53300", message, None);
        }
        let database = match self.database() {
            Ok(database) => database,
            Err(error) => return not_opened(&error),
        };
        match database.log_in(role.as_deref()) {
            Ok(session) => {
                self.last += 1;
                self.sessions.insert(self.last, session);
                answer(&json!({"connection": self.last}))
            }
            // The driver knows no SQLSTATE of a connection that failed.
            Err(refusal) => {
                let message = format!("connection to server failed: FATAL:  {}\n", refusal.message);
                answer_error(&json!({"code": "", "message": message, "kind": "OperationalError"}))
            }
        }
    }

    fn database(&mut self) -> Result<&Inspection, InspectionError> {
        let services = &self.services;
        let database = match self.database.take() {
            Some(database) => database,
            None => {
                self.server = Some(sql::server(&services.inspector)?);
                services.inspector.open(InspectionRequest {
                    start: None,
                    state: &services.state,
                    clock: services.clock,
                    scratch: &self.scratch,
                })?
            }
        };
        Ok(self.database.insert(database))
    }

    fn execute(&mut self, execute: &Execute) -> ServiceAnswer {
        let Some(session) = self.sessions.get_mut(&execute.connection) else {
            return refused("08003", "connection already closed", None);
        };
        let Some(parameters) = parameters(&execute.parameters) else {
            return invalid(
                "expected a list or an object of SQL literals as parameters, found another value",
            );
        };
        let sql = match interpolate(&execute.sql, &parameters) {
            Ok(sql) => sql,
            Err(error) => return of_python(&error),
        };
        if sql.contains('\0') {
            let message = "A string literal cannot contain NUL (0x00) characters.";
            return answer_error(&json!({"code": "", "message": message, "kind": "ValueError"}));
        }
        let began = Instant::now();
        let left = TIME.saturating_sub(self.spent);
        let done = session.execute_all(&sql, left, MAX_ROWS_BYTES);
        self.spent += began.elapsed();
        match done {
            Ok(done) => answer(&told(done)),
            Err(StatementError::Refused(refusal)) => server(&sql, &refusal),
            Err(StatementError::Ended(refusal)) => {
                self.sessions.remove(&execute.connection);
                server(&sql, &refusal)
            }
            Err(StatementError::TimedOut) => ServiceAnswer::Exhausted {
                kind: FaultKind::Statement,
                message: format!(
                    "the statements of the script did not end within {} seconds",
                    TIME.as_secs()
                ),
            },
        }
    }
}

fn answer(value: &Value) -> ServiceAnswer {
    ServiceAnswer::Answer(value.to_string())
}

fn answer_error(value: &Value) -> ServiceAnswer {
    ServiceAnswer::Error(value.to_string())
}

fn invalid(message: &str) -> ServiceAnswer {
    answer_error(&json!({"code": "08P01", "message": message}))
}

fn refused(code: &str, message: &str, diagnostics: Option<Value>) -> ServiceAnswer {
    answer_error(&json!({"code": code, "message": message, "diag": diagnostics}))
}

/// Converts an error of building the database into the effect on the script.
fn not_opened(error: &InspectionError) -> ServiceAnswer {
    let (kind, message) = match error.cause() {
        Cause::Host => return ServiceAnswer::Broken(error_chain(error)),
        Cause::State => (FaultKind::Unreadable, error_chain(error)),
        Cause::Time => (FaultKind::Statement, error_chain(error)),
    };
    ServiceAnswer::Exhausted { kind, message }
}

/// Returns an exception of Python itself.
fn of_python(error: &FormatError) -> ServiceAnswer {
    let kind = match error {
        FormatError::TooFew => "IndexError",
        FormatError::TooMany | FormatError::Mapping => "TypeError",
        FormatError::Unknown(_) => "KeyError",
        FormatError::Placeholder(_) | FormatError::Incomplete => "ValueError",
    };
    answer_error(&json!({"code": "", "message": error.to_string(), "kind": kind}))
}

/// Returns an error of the server with the message of libpq: the line of the statement to which it points, and details.
fn server(sql: &str, refusal: &Refusal) -> ServiceAnswer {
    let mut message = format!("{}\n", refusal.message);
    if let Some(position) = refusal.parts.position {
        message.push_str(&pointer(sql, position as usize));
    }
    let parts = [
        ("DETAIL", &refusal.parts.detail),
        ("HINT", &refusal.parts.hint),
        ("CONTEXT", &refusal.parts.context),
    ];
    for (label, part) in parts {
        if let Some(part) = part {
            message.push_str(&format!("{label}:  {part}\n"));
        }
    }
    let diagnostics = json!({
        "sqlstate": refusal.code,
        "message_primary": refusal.message,
        "message_detail": refusal.parts.detail,
        "message_hint": refusal.parts.hint,
        "context": refusal.parts.context,
        "schema_name": refusal.parts.schema,
        "table_name": refusal.parts.table,
        "column_name": refusal.parts.column,
        "constraint_name": refusal.parts.constraint,
    });
    refused(&refusal.code, &message, Some(diagnostics))
}

/// Returns the line of a statement at a position in characters from 1, with a mark below it.
fn pointer(sql: &str, position: usize) -> String {
    let before: String = sql.chars().take(position.saturating_sub(1)).collect();
    let number = before.matches('\n').count() + 1;
    let line = sql.split('\n').nth(number - 1).unwrap_or_default();
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count();
    let label = format!("LINE {number}: ");
    format!("{label}{line}\n{}^\n", " ".repeat(label.len() + column))
}

/// Returns the parameters in the form that the shim sends.
fn parameters(value: &Value) -> Option<Parameters> {
    match value {
        Value::Null => Some(Parameters::Positional(Vec::new())),
        Value::Array(values) => {
            let values: Option<_> = values.iter().map(literal).collect();
            values.map(Parameters::Positional)
        }
        Value::Object(values) => {
            let values = values.iter();
            let values: Option<_> = values
                .map(|(name, value)| Some((name.clone(), literal(value)?)))
                .collect();
            values.map(Parameters::Named)
        }
        _ => None,
    }
}

fn literal(value: &Value) -> Option<Literal> {
    if value.is_null() {
        return Some(Literal::Null);
    }
    let [kind, content] = value.as_array()?.as_slice() else {
        return None;
    };
    let kind = kind.as_str()?;
    if let Some(items) = content.as_array() {
        let items: Option<Vec<_>> = items.iter().map(literal).collect();
        return match kind {
            "array" => items.map(Literal::Array),
            "row" => items.map(Literal::Row),
            _ => None,
        };
    }
    let text = content.as_str()?.to_owned();
    Some(match kind {
        "bool" | "numeric" if is_plain(&text) => Literal::Plain(text),
        "float8" if is_plain(&text) => Literal::Plain(text),
        "numeric" => Literal::Quoted(text, Some("numeric")),
        "float8" => Literal::Quoted(text, Some("float")),
        "bytea" => Literal::Quoted(text, Some("bytea")),
        "date" => Literal::Quoted(text, Some("date")),
        "time" => Literal::Quoted(text, Some("time")),
        "timestamp" => Literal::Quoted(text, Some("timestamp")),
        "timestamptz" => Literal::Quoted(text, Some("timestamptz")),
        "interval" => Literal::Quoted(text, Some("interval")),
        _ => Literal::Quoted(text, None),
    })
}

/// Reports whether a text is a number or a truth value, which needs no quotes.
fn is_plain(text: &str) -> bool {
    text == "true" || text == "false" || text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn told(done: Answer) -> Value {
    let count = done.affected.map_or(-1, u64::cast_signed);
    let Some(columns) = done.columns else {
        return json!({"columns": null, "rows": null, "count": count});
    };
    let rows: Vec<Value> = done
        .rows
        .into_iter()
        .map(|row| {
            let cells = row.into_iter().zip(&columns);
            cells
                .map(|(value, column)| cell(&column.type_name, value))
                .collect()
        })
        .collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let types: Vec<u32> = columns.iter().map(|column| column.oid).collect();
    json!({"columns": names, "types": types, "rows": rows, "count": count})
}

fn cell(type_name: &str, value: Option<String>) -> Value {
    let Some(text) = value else {
        return Value::Null;
    };
    if LISTS.contains(&type_name) {
        return match array(&text) {
            Some(items) => json!([type_name, items_as_json(&items).to_string()]),
            None => json!(["text", text]),
        };
    }
    let is_array = type_name.starts_with('_');
    json!([if is_array { "text" } else { type_name }, text])
}

fn items_as_json(items: &[Item]) -> Value {
    let items = items.iter().map(|item| match item {
        Item::Value(value) => json!(value),
        Item::Array(items) => items_as_json(items),
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_into_the_statement() {
        assert_eq!(
            pointer("SELECT a\nFROM nowhere", 15),
            "LINE 2: FROM nowhere\n             ^\n"
        );
        assert_eq!(pointer("é x", 3), "LINE 1: é x\n          ^\n");
        assert_eq!(pointer("", 9), "LINE 1: \n        ^\n");
    }

    #[test]
    fn parameters_of_the_shim_become_literals() {
        let value = json!([
            ["numeric", "7"],
            ["float8", "nan"],
            null,
            ["array", [["text", "a"]]],
            ["date", "2026-01-02"]
        ]);
        let Some(Parameters::Positional(values)) = parameters(&value) else {
            panic!("{value}");
        };
        assert_eq!(
            values,
            [
                Literal::Plain("7".to_owned()),
                Literal::Quoted("nan".to_owned(), Some("float")),
                Literal::Null,
                Literal::Array(vec![Literal::Quoted("a".to_owned(), None)]),
                Literal::Quoted("2026-01-02".to_owned(), Some("date")),
            ]
        );
        // A text that is no number is never written without quotes.
        let injected = json!([["numeric", "1; DROP TABLE items"]]);
        let quoted = Literal::Quoted("1; DROP TABLE items".to_owned(), Some("numeric"));
        assert_eq!(
            parameters(&injected),
            Some(Parameters::Positional(vec![quoted]))
        );
        for wrong in [
            json!(7),
            json!([7]),
            json!([["text", 7]]),
            json!([["text", []]]),
        ] {
            assert_eq!(parameters(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn arrays_are_lists_of_texts() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            cell("_int4", text("{1,NULL}")),
            json!(["_int4", r#"["1",null]"#])
        );
        assert_eq!(cell("_mood", text("{a,b}")), json!(["text", "{a,b}"]));
        assert_eq!(cell("int4", text("1")), json!(["int4", "1"]));
        assert_eq!(cell("int4", None), json!(null));
    }
}
