//! Interface between a site and the host that serves it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use super::sql::{SharedDatabase, SqlError, SqlResult, SqlValue};

/// Implementation of a site. One call answers one request, and calls for one world run one at a time.
///
/// An answer may depend on the request and on the [`SiteContext`] only. Whatever a site remembers between requests is in
/// its database.
pub trait Site: Send + Sync {
    /// Answers a request.
    ///
    /// # Errors
    ///
    /// Returns a fault if the site is broken. The browser gets status 500, and the changes of the request are undone.
    fn answer(&self, request: SiteRequest, context: SiteContext)
    -> Result<SiteResponse, SiteFault>;
}

/// Complete request of a browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteRequest {
    /// Method in upper case, such as `POST`.
    pub method: String,
    /// Host name of the site.
    pub host: String,
    /// Path and query as received.
    pub target: String,
    /// Decoded path, which begins with a slash.
    pub path: String,
    /// Decoded pairs of the query, in order.
    pub query: Vec<(String, String)>,
    /// Headers with names in lower case, in the order of arrival and without cookies. Values that are not text are
    /// absent.
    pub headers: Vec<(String, String)>,
    /// Cookies, in order.
    pub cookies: Vec<(String, String)>,
    /// Decoded pairs of a form, if the body is one.
    pub form: Vec<(String, String)>,
    /// Body as received.
    pub body: Vec<u8>,
}

impl SiteRequest {
    /// Returns the first value of the query with a name.
    pub fn query(&self, name: &str) -> Option<&str> {
        first(&self.query, name)
    }

    /// Returns the first value of the form with a name.
    pub fn field(&self, name: &str) -> Option<&str> {
        first(&self.form, name)
    }

    /// Returns the value of the first cookie with a name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        first(&self.cookies, name)
    }
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = pairs.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

/// Response of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteResponse {
    /// Status code, such as 200.
    pub status: u16,
    /// Headers, without `content-length`. A name may occur more than once.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Account or session to which the site attributes the request, for the log of requests.
    pub session: Option<String>,
}

/// Everything that a site can use to answer one request.
#[derive(Debug)]
pub struct SiteContext {
    database: SharedDatabase,
    now: i64,
    random: ChaCha8Rng,
}

impl SiteContext {
    /// Creates the context of the request with a number.
    pub(super) fn new(
        database: SharedDatabase,
        now: i64,
        seed: u64,
        host: &str,
        number: u64,
    ) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        hash.update(number.to_le_bytes());
        hash.update(host.as_bytes());
        let random = ChaCha8Rng::from_seed(hash.finalize().into());
        Self {
            database,
            now,
            random,
        }
    }

    /// Runs one SQL statement on the database of the site. All statements of a request are one transaction.
    ///
    /// # Errors
    ///
    /// Returns an error if the statement is invalid, not allowed, or exceeds a limit.
    pub fn sql(&mut self, statement: &str, parameters: &[SqlValue]) -> Result<SqlResult, SqlError> {
        self.database.run(statement, parameters)
    }

    /// Returns the virtual time of the request, in seconds since 1970-01-01 UTC.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Returns a random number. The numbers of a request depend on the seed of the world, the host and the number of the
    /// request.
    pub fn random(&mut self) -> u64 {
        self.random.next_u64()
    }
}

/// Failure of a site to answer a request. It is never a fault of the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SiteFault {
    /// The site is broken, which is a fault of the world.
    #[error("{0}")]
    World(String),
    /// The host failed.
    #[error("{0}")]
    Host(String),
}

impl From<SqlError> for SiteFault {
    fn from(error: SqlError) -> Self {
        Self::World(error.to_string())
    }
}
