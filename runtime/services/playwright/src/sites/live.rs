//! Sites of a session, which answer requests one at a time.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcpmark_snapshot::{File, Store};

use super::log::Logged;
use super::message;
use super::rows::{DatabaseState, StateError};
use super::site::{Site, SiteContext, SiteFault, SiteRequest, SiteResponse};
use super::sql::{Access, SharedDatabase, SqlError};

/// Virtual time that a request takes, in seconds.
const REQUEST_SECONDS: i64 = 1;
/// Maximum size of the log of a session, in bytes. Further requests are refused.
const MAX_LOG_BYTES: u64 = 64 << 20;
/// Maximum size of the body of a response, in bytes.
pub(super) const MAX_RESPONSE_BYTES: usize = 16 << 20;

/// Sites of a session. Clones share them.
#[derive(Clone)]
pub(crate) struct Sites(Arc<Mutex<Live>>);

/// State of the sites.
pub(crate) struct Live {
    hosts: BTreeMap<String, LiveSite>,
    log: Vec<Logged>,
    log_bytes: u64,
    /// First failure of a site.
    failure: Option<SiteFailure>,
    seed: u64,
    clock: i64,
}

/// Request that a site failed to answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the site {host} failed to answer {method} {path}, request {number} of the session: {fault}"
)]
pub(crate) struct SiteFailure {
    host: String,
    method: String,
    path: String,
    number: u64,
    /// Cause.
    pub(crate) fault: SiteFault,
}

/// One site with its content.
pub(super) struct LiveSite {
    /// Implementation. A site without one consists of static files.
    pub(super) site: Option<Arc<dyn Site>>,
    pub(super) database: SharedDatabase,
    pub(super) files: StaticFiles,
}

/// Static files of a site, by decoded path.
pub(super) struct StaticFiles {
    pub(super) files: BTreeMap<String, File>,
    pub(super) store: Arc<Store>,
}

impl fmt::Debug for Sites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sites").finish_non_exhaustive()
    }
}

impl StaticFiles {
    /// Returns the content of the file at a path, or of `index.html` in the directory, with the path of the file.
    fn find(&self, path: &str) -> Option<(String, Vec<u8>)> {
        let key = if path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
        let file = self.files.get(key.strip_prefix('/')?)?;
        if file.size > MAX_RESPONSE_BYTES as u64 {
            return None;
        }
        let bytes = mcpmark_snapshot::Blobs::read(&*self.store, &file.content).ok()?;
        Some((key, bytes))
    }
}

impl Sites {
    pub(super) fn new(hosts: BTreeMap<String, LiveSite>, seed: u64, clock: i64) -> Self {
        Self(Arc::new(Mutex::new(Live {
            hosts,
            log: Vec::new(),
            log_bytes: 0,
            failure: None,
            seed,
            clock,
        })))
    }

    /// Returns the host names, sorted.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.lock().hosts.keys().cloned().collect()
    }

    /// Answers a request. Blocks while another request is answered.
    pub(super) fn answer(&self, request: SiteRequest, query: &str) -> SiteResponse {
        self.lock().answer(request, query)
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the first failure of a site.
    pub(crate) fn failure(&self) -> Option<SiteFailure> {
        self.lock().failure.clone()
    }

    /// Returns the lines of the log.
    pub(super) fn log(&self) -> String {
        let live = self.lock();
        let lines = live.log.iter().map(|logged| logged.line() + "\n");
        lines.collect()
    }

    /// Reads the databases of all sites.
    pub(super) fn databases(&self) -> Result<BTreeMap<String, DatabaseState>, StateError> {
        let live = self.lock();
        let states = live.hosts.iter().map(|(host, site)| {
            let state = DatabaseState::dump(&site.database.lock())?;
            Ok((host.clone(), state))
        });
        states.collect()
    }
}

impl Live {
    fn answer(&mut self, request: SiteRequest, query: &str) -> SiteResponse {
        let Some(live) = self.hosts.get(&request.host) else {
            return message::error(421, "No site of this world has this name.");
        };
        let reads = matches!(request.method.as_str(), "GET" | "HEAD");
        if let Some((path, body)) = live.files.find(&request.path).filter(|_| reads) {
            return message::file(&path, body);
        }
        let Some(site) = live.site.clone() else {
            return message::error(404, "There is no such page.");
        };
        if request.path == "/favicon.ico" {
            // Browsers ask for it on their own, and not always, so it is not part of the log.
            return message::error(404, "There is no icon.");
        }
        if self.log_bytes > MAX_LOG_BYTES {
            return message::error(429, "This world has had too many requests.");
        }
        let number = self.log.len() as u64 + 1;
        let elapsed = i64::try_from(number).unwrap_or(i64::MAX);
        let now = self
            .clock
            .saturating_add(elapsed.saturating_mul(REQUEST_SECONDS));
        let context =
            SiteContext::new(live.database.clone(), now, self.seed, &request.host, number);
        let mut logged = Logged {
            number,
            method: request.method.clone(),
            host: request.host.clone(),
            path: request.path.clone(),
            query: query.to_owned(),
            form: request.form.clone(),
            status: 0,
            session: None,
            fault: None,
        };
        let response = transact(&live.database, || site.answer(request, context));
        let response = response.unwrap_or_else(|fault| {
            logged.fault = Some(fault.to_string());
            self.failure.get_or_insert_with(|| SiteFailure {
                host: logged.host.clone(),
                method: logged.method.clone(),
                path: logged.path.clone(),
                number,
                fault,
            });
            message::error(500, "The site has failed.")
        });
        logged.status = response.status;
        logged.session.clone_from(&response.session);
        self.log_bytes += logged.size();
        self.log.push(logged);
        response
    }
}

/// Answers a request within a transaction, which is undone if the site fails.
fn transact(
    database: &SharedDatabase,
    answer: impl FnOnce() -> Result<SiteResponse, SiteFault>,
) -> Result<SiteResponse, SiteFault> {
    let begin = || -> Result<(), SqlError> {
        let mut database = database.lock();
        database.connection().execute_batch("BEGIN")?;
        database.restrict(Access::Rows)
    };
    begin()?;
    let response = answer().and_then(checked);
    let end = if response
        .as_ref()
        .is_ok_and(|response| response.status < 500)
    {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    let finish = || -> Result<(), SqlError> {
        let mut database = database.lock();
        database.release()?;
        // SQLite has rolled back already after some errors, such as a full database.
        if !database.connection().is_autocommit() {
            let ended = database.connection().execute_batch(end);
            if let Err(error) = ended {
                // Such as a deferred foreign key.
                database.connection().execute_batch("ROLLBACK")?;
                return Err(error.into());
            }
        }
        Ok(())
    };
    finish()?;
    response
}

/// Checks that a response can be sent.
fn checked(response: SiteResponse) -> Result<SiteResponse, SiteFault> {
    if !(200..=599).contains(&response.status) {
        let status = response.status;
        return Err(SiteFault::World(format!(
            "status {status}: expected a number from 200 to 599"
        )));
    }
    if response.body.len() > MAX_RESPONSE_BYTES {
        let bytes = response.body.len();
        return Err(SiteFault::World(format!(
            "a body of {bytes} bytes exceeds the limit of {MAX_RESPONSE_BYTES} bytes"
        )));
    }
    if let Some(problem) = message::header_problem(&response.headers) {
        return Err(SiteFault::World(problem));
    }
    Ok(response)
}
