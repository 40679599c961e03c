//! Tools of the published server `postgres-mcp`, on a connection to any PostgreSQL server.
//!
//! A tool returns one text: a Python literal, because the published server prints its values with `str`, or sentences.
//! Errors of queries are texts as well, and not marked as errors, as in the published server.

mod arguments;
mod database;
mod error_text;
mod explain;
mod extensions;
mod failure;
mod health;
mod indexes;
mod parameters;
mod plan;
mod profile;
mod python;
mod restricted;
mod rows;
mod schema;
mod top_queries;
pub(crate) mod wire;

use mcpmark_service::{Interrupted, SessionLimits, ToolHandler, ToolSurface, cancelled};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::Config;

use self::arguments::Arguments;
use self::database::Database;
use self::failure::Failure;
use self::rows::Printed;

pub use profile::PROFILES;

/// Rights of the model, which are a part of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccessMode {
    /// Any statement that the role may run.
    #[default]
    Unrestricted,
    /// Statements that only read, in read-only transactions of at most 30 seconds. They may call only functions of a
    /// list.
    Restricted,
}

impl AccessMode {
    /// Returns the access mode of one of the [`PROFILES`], or of the default one.
    pub fn of_profile(profile: Option<&str>) -> Self {
        if profile == Some(profile::RESTRICTED) {
            Self::Restricted
        } else {
            Self::Unrestricted
        }
    }
}

/// Limits of the tools of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLimits {
    /// Maximum size of the text of a result, in bytes. A query with a larger result is cancelled and rolled back.
    pub max_result_bytes: u64,
}

impl From<&SessionLimits> for ToolLimits {
    fn from(limits: &SessionLimits) -> Self {
        Self {
            max_result_bytes: limits.max_result_bytes,
        }
    }
}

/// Returns the identity and the tools of the published server in an access mode.
///
/// # Errors
///
/// Returns an error if the surface in this crate is malformed.
pub fn surface(access: AccessMode) -> Result<ToolSurface, serde_json::Error> {
    profile::surface(access)
}

/// Handler of the tools of one session.
pub struct Tools {
    database: Database,
    /// Runtime of the connection. `None` only while the handler is dropped.
    runtime: Option<Runtime>,
}

impl Tools {
    /// Creates the tools of a session. The connection is opened by the first call that needs it.
    ///
    /// # Errors
    ///
    /// Returns an error if the host has no resources for an event loop.
    pub fn new(config: Config, access: AccessMode, limits: ToolLimits) -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self {
            database: Database::new(config, access, limits),
            runtime: Some(runtime),
        })
    }

    /// Closes the connection to the server. The next call opens a new one.
    pub fn disconnect(&mut self) {
        self.database.disconnect();
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        // A runtime that is dropped otherwise blocks, which is not allowed on threads of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl ToolHandler for Tools {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let Some(spec) = arguments::spec(tool) else {
            return Ok(refusal(format!("Unknown tool: {tool}")));
        };
        let arguments = match Arguments::parse(tool, spec, arguments) {
            Ok(arguments) => arguments,
            Err(problems) => {
                return Ok(refusal(format!("Error executing tool {tool}: {problems}")));
            }
        };
        let Some(runtime) = &self.runtime else {
            return Err(ErrorData::internal_error("the session is closed", None));
        };
        let limit = self.database.limits().max_result_bytes;
        let database = &mut self.database;
        let cancelled = cancelled();
        let answer = runtime.block_on(async {
            tokio::select! {
                biased;
                () = cancelled => None,
                answer = answer(database, tool, &arguments) => Some(answer),
            }
        });
        let answer = answer.unwrap_or_else(|| {
            runtime.block_on(database.interrupt());
            Err(Failure::Interrupted(Interrupted::Cancelled))
        });
        // Errors contain texts of the statement or of the agent's functions.
        let answer = match answer {
            Err(Failure::Error(message)) if message.len() as u64 > limit => {
                Err(Failure::TooLarge(limit))
            }
            answer => answer,
        };
        match answer {
            Ok(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)])),
            Err(Failure::Error(message)) => {
                let text = format!("Error: {message}");
                Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
            }
            Err(Failure::TooLarge(limit)) => Ok(refusal(format!(
                "result of more than {limit} bytes exceeds the limit of {limit} bytes for one tool result; the statement was cancelled and rolled back: select fewer rows or columns"
            ))),
            Err(Failure::Interrupted(interrupted @ Interrupted::Memory { .. })) => {
                Ok(refusal(interrupted.to_string()))
            }
            Err(Failure::Interrupted(interrupted)) => {
                Err(ErrorData::internal_error(interrupted.to_string(), None))
            }
        }
    }
}

fn refusal(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Returns the text of a tool whose arguments are valid.
async fn answer(
    database: &mut Database,
    tool: &str,
    arguments: &Arguments,
) -> Result<String, Failure> {
    match tool {
        "list_schemas" => schema::list_schemas(database).await,
        "list_objects" => schema::list_objects(database, arguments).await,
        "get_object_details" => schema::object_details(database, arguments).await,
        "explain_query" => explain::explain_query(database, arguments).await,
        "analyze_workload_indexes" => indexes::analyze_workload(database, arguments).await,
        "analyze_query_indexes" => indexes::analyze_queries(database, arguments).await,
        "analyze_db_health" => health::analyze(database, arguments).await,
        "get_top_queries" => top_queries::report(database, arguments).await,
        // The remaining name that has a specification.
        _ => execute_sql(database, arguments).await,
    }
}

async fn execute_sql(database: &mut Database, arguments: &Arguments) -> Result<String, Failure> {
    let mut printed = Printed::new(database.limits().max_result_bytes);
    database.run(arguments.text("sql"), &mut printed).await?;
    Ok(printed
        .finish()
        .map_or_else(|| "No results".to_owned(), |(text, _)| text))
}
