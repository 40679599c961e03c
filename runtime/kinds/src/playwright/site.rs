//! Sandboxed guest that answers the requests to the sites of a playwright world.

use mcpmark_playwright::Site;
use mcpmark_playwright::sites::{
    SiteContext, SiteFault, SiteRequest, SiteResponse, SqlError, SqlValue,
};
use mcpmark_sandbox::site::{Request, Response, Rows, SiteHost, StoreError, Value};
use mcpmark_sandbox::{Limits, LoadError, RunError, Sandbox, Site as Component};

/// Site that is a WebAssembly component. Each request runs in an instance of its own, with the limits of a site.
#[derive(Clone)]
pub(super) struct WasmSite {
    sandbox: Sandbox,
    component: Component,
}

impl WasmSite {
    /// Loads the guest of a world.
    ///
    /// # Errors
    ///
    /// Returns an error if the component is not a site.
    pub(super) fn load(sandbox: &Sandbox, component: &[u8]) -> Result<Self, LoadError> {
        Ok(Self {
            component: sandbox.site(component)?,
            sandbox: sandbox.clone(),
        })
    }
}

impl Site for WasmSite {
    fn answer(
        &self,
        request: SiteRequest,
        context: SiteContext,
    ) -> Result<SiteResponse, SiteFault> {
        let host = Box::new(Context(context));
        let request = given(request);
        let run = self
            .sandbox
            .answer(&self.component, request, host, &Limits::SITE);
        match run.result {
            Ok(response) => Ok(taken(response)),
            Err(RunError::Fault(fault)) => {
                Err(SiteFault::World(match run.log.lines().next_back() {
                    Some(line) => format!("{fault}; its last log line: {line}"),
                    None => fault.to_string(),
                }))
            }
            Err(RunError::World(message)) => Err(SiteFault::World(message)),
            Err(RunError::Host(message)) => Err(SiteFault::Host(message)),
        }
    }
}

/// Returns a request in the form of the contract. Cookies are a header again.
fn given(request: SiteRequest) -> Request {
    let mut headers = request.headers;
    if !request.cookies.is_empty() {
        let pairs = request.cookies.iter();
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        headers.push(("cookie".to_owned(), pairs.join("; ")));
    }
    Request {
        method: request.method,
        host: request.host,
        target: request.target,
        headers,
        body: request.body,
    }
}

fn taken(response: Response) -> SiteResponse {
    SiteResponse {
        status: response.status,
        headers: response.headers,
        body: response.body,
        session: response.account,
    }
}

/// Database, clock and random source of one request.
struct Context(SiteContext);

impl SiteHost for Context {
    fn execute(&mut self, statement: &str, parameters: Vec<Value>) -> Result<Rows, StoreError> {
        let parameters: Vec<SqlValue> = parameters.into_iter().map(parameter).collect();
        let result = self.0.sql(statement, &parameters).map_err(store_error)?;
        let rows = result.rows.into_iter();
        Ok(Rows {
            columns: result.columns,
            rows: rows
                .map(|row| row.into_iter().map(value).collect())
                .collect(),
            changes: result.changes,
            last_insert_rowid: result.last_insert_rowid,
            steps: result.steps,
        })
    }

    fn now(&mut self) -> i64 {
        self.0.now()
    }

    fn random(&mut self) -> u64 {
        self.0.random()
    }
}

fn parameter(value: Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Integer(number) => SqlValue::Integer(number),
        Value::Real(number) => SqlValue::Real(number),
        Value::Text(text) => SqlValue::Text(text),
        Value::Blob(bytes) => SqlValue::Blob(bytes),
    }
}

fn value(value: SqlValue) -> Value {
    match value {
        SqlValue::Null => Value::Null,
        SqlValue::Integer(number) => Value::Integer(number),
        SqlValue::Real(number) => Value::Real(number),
        SqlValue::Text(text) => Value::Text(text),
        SqlValue::Blob(bytes) => Value::Blob(bytes),
    }
}

fn store_error(error: SqlError) -> StoreError {
    let message = error.to_string();
    if error.is_infrastructure() {
        StoreError::Host(message)
    } else if error.is_limit() {
        StoreError::Limit(message)
    } else if error.is_full() {
        StoreError::Full(message)
    } else if error.is_constraint() {
        StoreError::Constraint(message)
    } else {
        StoreError::Invalid(message)
    }
}
