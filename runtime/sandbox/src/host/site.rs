//! Host functions of sites: the database, the clock and the random source of one request.

use super::{Common, HasCommon, Stop};
use crate::bindings::site as wit;
use crate::bindings::site::mcpmark::site::{clock, log, random, store};
use crate::limits::Allowed;
use crate::{Fault, FaultKind};

/// Bytes charged for a random number or for reading the clock.
const LIGHT_COST: u64 = 64;
/// Bytes that a value counts for, in addition to its text or bytes.
const VALUE_COST: u64 = 16;

/// Database, clock and random source of one request.
pub trait SiteHost: Send {
    /// Runs one SQL statement on the database of the site.
    ///
    /// # Errors
    ///
    /// Returns an error that is passed to the site, or one that ends the request.
    fn execute(&mut self, statement: &str, parameters: Vec<Value>) -> Result<Rows, StoreError>;

    /// Returns the time of the request, in seconds since 1970-01-01T00:00:00Z.
    fn now(&mut self) -> i64;

    /// Returns the next random number.
    fn random(&mut self) -> u64;
}

/// Value of a column or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `NULL`.
    Null,
    /// Integer.
    Integer(i64),
    /// Floating-point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// Result of a statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with one value for every column.
    pub rows: Vec<Vec<Value>>,
    /// Number of rows that the statement changed.
    pub changes: u64,
    /// Rowid of the row that was inserted last.
    pub last_insert_rowid: i64,
    /// Work of the statement in steps of the database, each of which is charged as one unit of fuel.
    pub steps: u64,
}

/// Errors of a statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Violated constraint. The site gets the error.
    #[error("{0}")]
    Constraint(String),
    /// Invalid or forbidden statement. The site gets the error.
    #[error("{0}")]
    Invalid(String),
    /// Database that has reached the size that its world allows. The site gets the error.
    #[error("{0}")]
    Full(String),
    /// Limit of the database for one request. It ends the request with a fault of the site.
    #[error("{0}")]
    Limit(String),
    /// Failure of the host. It ends the request.
    #[error("{0}")]
    Host(String),
}

/// Request of a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Method in upper case.
    pub method: String,
    /// Host name in lower case.
    pub host: String,
    /// Path and query as sent.
    pub target: String,
    /// Headers with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

/// Response of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Account to which the site attributes the request.
    pub account: Option<String>,
}

impl Request {
    /// Returns the bytes that pass to the site.
    pub(crate) fn size(&self) -> u64 {
        let texts = self.method.len() + self.host.len() + self.target.len() + self.body.len();
        texts as u64 + size(&self.headers)
    }
}

impl Response {
    /// Checks the size of the response.
    pub(crate) fn within(&self, allowed: &Allowed) -> Result<(), Fault> {
        let account = self.account.as_ref().map_or(0, String::len);
        let bytes = (self.body.len() + account) as u64 + size(&self.headers);
        let limit = allowed.limits.output_bytes;
        if bytes <= limit {
            return Ok(());
        }
        Err(Fault::new(
            FaultKind::Output,
            format!(
                "the response has {bytes} bytes, more than {limit} {}",
                allowed.limit_hint("output_bytes")
            ),
        ))
    }
}

fn size(headers: &[(String, String)]) -> u64 {
    let sizes = headers.iter().map(|(name, value)| name.len() + value.len());
    sizes.sum::<usize>() as u64
}

impl From<Request> for wit::Request {
    fn from(request: Request) -> Self {
        Self {
            method: request.method,
            host: request.host,
            target: request.target,
            headers: request.headers,
            body: request.body,
        }
    }
}

impl From<wit::Response> for Response {
    fn from(response: wit::Response) -> Self {
        Self {
            status: response.status,
            headers: response.headers,
            body: response.body,
            account: response.account,
        }
    }
}

impl From<store::Value> for Value {
    fn from(value: store::Value) -> Self {
        match value {
            store::Value::Null => Self::Null,
            store::Value::Integer(number) => Self::Integer(number),
            store::Value::Real(number) => Self::Real(number),
            store::Value::Text(text) => Self::Text(text),
            store::Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

impl From<Value> for store::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text),
            Value::Blob(bytes) => Self::Blob(bytes),
        }
    }
}

impl Value {
    fn size(&self) -> u64 {
        let content = match self {
            Self::Null | Self::Integer(_) | Self::Real(_) => 0,
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
        };
        content as u64 + VALUE_COST
    }
}

impl Rows {
    fn size(&self) -> u64 {
        let names: usize = self.columns.iter().map(String::len).sum();
        let values = self.rows.iter().flatten().map(Value::size);
        names as u64 + values.sum::<u64>()
    }
}

/// Store data of a site.
pub(crate) struct SiteGuestHost {
    pub(crate) common: Common,
    host: Box<dyn SiteHost>,
}

impl SiteGuestHost {
    pub(crate) fn new(common: Common, host: Box<dyn SiteHost>) -> Self {
        Self { common, host }
    }
}

impl HasCommon for SiteGuestHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl store::Host for SiteGuestHost {
    fn execute(
        &mut self,
        statement: String,
        parameters: Vec<store::Value>,
    ) -> wasmtime::Result<Result<store::Rows, store::Error>> {
        let parameters: Vec<Value> = parameters.into_iter().map(Value::from).collect();
        let sizes = parameters.iter().map(Value::size);
        self.common
            .charge(statement.len() as u64 + sizes.sum::<u64>())?;
        let error = match self.host.execute(&statement, parameters) {
            Ok(rows) => {
                self.common.charge_fuel(rows.steps)?;
                self.common.charge_bytes(rows.size())?;
                let values = |row: Vec<Value>| row.into_iter().map(store::Value::from).collect();
                return Ok(Ok(store::Rows {
                    columns: rows.columns,
                    rows: rows.rows.into_iter().map(values).collect(),
                    changes: rows.changes,
                    last_insert_rowid: rows.last_insert_rowid,
                }));
            }
            Err(StoreError::Constraint(message)) => store::Error::Constraint(message),
            Err(StoreError::Invalid(message)) => store::Error::Invalid(message),
            Err(StoreError::Full(message)) => store::Error::Full(message),
            Err(StoreError::Limit(message)) => return Err(Stop::fault(FaultKind::Fuel, message)),
            Err(StoreError::Host(message)) => return Err(Stop::host(message)),
        };
        Ok(Err(error))
    }
}

impl clock::Host for SiteGuestHost {
    fn now(&mut self) -> wasmtime::Result<i64> {
        self.common.charge_bytes(LIGHT_COST)?;
        Ok(self.host.now())
    }
}

impl random::Host for SiteGuestHost {
    fn next(&mut self) -> wasmtime::Result<u64> {
        self.common.charge_bytes(LIGHT_COST)?;
        Ok(self.host.random())
    }
}

impl log::Host for SiteGuestHost {
    fn write(&mut self, message: String) -> wasmtime::Result<()> {
        self.common.write_log(&message)
    }

    fn panic(&mut self, message: String) -> wasmtime::Result<()> {
        self.common.note_panic(message)
    }
}
