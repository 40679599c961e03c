//! Client for OCI registries: the parts of the distribution specification that push and pull need.
//!
//! The client is our own although the crate `oci-client` has these parts, because a registry is not trusted:
//!
//! - Credentials are sent only to the registry and to a token server that is reached over HTTPS, and targets of
//!   redirects get none. `oci-client` sends them to any realm that a challenge names, also over HTTP.
//! - The size of everything that is read is limited. `oci-client` reads manifests, tokens and error messages of any
//!   size, and compares the digest of a blob only after it has written all that the registry sent.
//! - Interrupted downloads are resumed, requests are repeated as `Retry-After` asks, and each piece of a body has a
//!   timeout.
//! - Lists of signatures have several pages, and registries without the referrers API list them under a tag.
//!   `oci-client` reads one page of the API.

mod challenge;
mod login;
mod pull;
mod push;
mod reference;
mod retry;
mod signatures;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcpmark_http::{Address, Secret, Secrets};
use reqwest::header::{AUTHORIZATION, HeaderMap, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use url::Url;

pub use self::challenge::Challenge;
pub use self::login::{BadLogin, GivenLogin, Login, LoginError};
pub use self::pull::Transferred;
pub use self::reference::{BadReference, Reference, plain_host};
use self::retry::send_with_retry;
use crate::BundleError;

/// Timeout for a response, and for each piece of its body.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum size of an error message from a registry, in bytes.
const MAX_MESSAGE: usize = 4096;

/// Maximum number of requests for one operation: the first one, redirects, and one repetition with authentication.
const MAX_REQUESTS: usize = 5;

/// Client for one repository of a registry.
#[derive(Clone)]
pub struct Registry {
    client: reqwest::Client,
    /// URL of the repository, with a trailing slash.
    base: Url,
    login: Option<Login>,
    authorization: Arc<Mutex<Option<Secret>>>,
}

/// Errors of requests to a registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The address is invalid.
    #[error("invalid registry address {0:?}")]
    Address(String),
    /// The HTTP client cannot be created, or the registry cannot be reached.
    #[error("{what}: cannot reach the registry")]
    Http {
        /// Description of the operation.
        what: String,
        /// Error of the HTTP client.
        source: reqwest::Error,
    },
    /// The registry did not answer within the timeout.
    #[error("{what}: no response from the registry for {} s", TIMEOUT.as_secs())]
    Silent {
        /// Description of the operation.
        what: String,
    },
    /// The registry does not have the manifest or blob.
    #[error("{what}: not found in the registry")]
    Missing {
        /// Description of the operation.
        what: String,
    },
    /// The registry requires authentication or denies access.
    #[error("{what}: the registry refused access ({status})")]
    Refused {
        /// Description of the operation.
        what: String,
        /// HTTP status: 401 or 403.
        status: u16,
    },
    /// The target of a redirect requires authentication. Credentials are sent only to the registry.
    #[error(
        "{what}: the registry redirects to {host}, which requires authentication, but credentials are sent only to the registry"
    )]
    Asked {
        /// Description of the operation.
        what: String,
        /// Host of the target.
        host: String,
    },
    /// The registry answered with an error status.
    #[error("{what}: the registry returned {status}: {message}")]
    Status {
        /// Description of the operation.
        what: String,
        /// HTTP status.
        status: u16,
        /// Message of the registry.
        message: String,
    },
    /// A response violates the specification.
    #[error("{what}: invalid response from the registry: {problem}")]
    Answer {
        /// Description of the operation.
        what: String,
        /// The violation.
        problem: String,
    },
    /// Each attempt of a transfer was interrupted.
    #[error("{what}: the registry stopped after {found}{} bytes", of(*.wanted))]
    Stopped {
        /// Description of the operation.
        what: String,
        /// Number of bytes received.
        found: u64,
        /// Expected number of bytes, if known.
        wanted: Option<u64>,
    },
    /// The received content is invalid, or a file cannot be read or written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl RegistryError {
    /// Returns true if the registry is temporarily unavailable, so that the content may be obtained elsewhere by its
    /// digest.
    pub fn is_away(&self) -> bool {
        match self {
            Self::Http { .. } | Self::Silent { .. } | Self::Stopped { .. } => true,
            Self::Status { status, .. } => (502..=504).contains(status),
            _ => false,
        }
    }

    /// Returns true if the error concerns an artifact of another kind or a missing one, so that it can be skipped in a
    /// list.
    fn is_foreign(&self) -> bool {
        match self {
            Self::Bundle(error) => error.is_foreign(),
            Self::Missing { .. } => true,
            _ => false,
        }
    }

    /// Returns true if the host, the network or the registry caused the error. Invalid addresses, responses that
    /// violate the specification, and invalid content are not infrastructure errors.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Bundle(error) => error.is_infrastructure(),
            Self::Address(_) | Self::Answer { .. } => false,
            _ => true,
        }
    }
}

impl Registry {
    /// Creates a client for the repository of a reference. It uses HTTP for this machine, or for any host if `plain` is
    /// set, and otherwise HTTPS. `login` is sent to the registry and to the token server that the registry names.
    ///
    /// # Errors
    ///
    /// Returns an error if the address is invalid or the HTTP client cannot be created.
    pub fn new(
        reference: &Reference,
        plain: bool,
        login: Option<Login>,
    ) -> Result<Self, RegistryError> {
        let Reference {
            host, repository, ..
        } = reference;
        let wrong = || RegistryError::Address(host.clone());
        let unencrypted = format!("http://{host}/");
        let local = Address::parse(&unencrypted)
            .map_err(|_| wrong())?
            .is_local();
        let scheme = if local || plain { "http" } else { "https" };
        let base = Url::parse(&format!("{scheme}://{host}/v2/{repository}/"));
        let client = mcpmark_http::client(!local).map_err(|source| RegistryError::Http {
            what: host.clone(),
            source,
        })?;
        Ok(Self {
            client,
            base: base.map_err(|_| wrong())?,
            login,
            authorization: Arc::default(),
        })
    }

    /// Sends a request, authenticates if the registry requires it, and follows redirects of GET requests.
    async fn send(
        &self,
        what: &str,
        method: Method,
        url: Url,
        prepare: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, RegistryError> {
        let mut url = url;
        let mut asked = false;
        for _ in 0..MAX_REQUESTS {
            let mut request = prepare(self.client.request(method.clone(), url.clone()));
            let known = self.authorization.lock();
            let known = known.unwrap_or_else(PoisonError::into_inner).clone();
            // Credentials are sent only to the registry's own origin, not to redirect targets.
            if let Some(value) = known.filter(|_| url.origin() == self.base.origin()) {
                request = request.header(AUTHORIZATION, value.expose());
            }
            let response = send_with_retry(what, request).await?;
            let status = response.status();
            if status.is_redirection() && method == Method::GET {
                url = self.elsewhere(what, &url, response.headers())?;
                continue;
            }
            // Only challenges of the registry itself are answered, because a redirect target must not obtain its
            // tokens.
            if status == StatusCode::UNAUTHORIZED && url.origin() != self.base.origin() {
                return Err(RegistryError::Asked {
                    what: what.to_owned(),
                    host: host_of(&url).to_owned(),
                });
            }
            if status == StatusCode::UNAUTHORIZED && !asked {
                asked = true;
                self.authenticate(what, response.headers()).await?;
                continue;
            }
            return Ok(response);
        }
        let problem = format!("too many redirects: no result after {MAX_REQUESTS} requests");
        Err(answer(what, &problem))
    }

    fn elsewhere(&self, what: &str, from: &Url, headers: &HeaderMap) -> Result<Url, RegistryError> {
        let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
        let url = location
            .and_then(|location| from.join(location).ok())
            .ok_or_else(|| answer(what, "the redirect has no valid location"))?;
        if self.may_go(&url) {
            Ok(url)
        } else {
            Err(sends_to_readable(what, &url))
        }
    }

    /// Reports whether a redirect, upload or token URL may be used: the registry's own origin, this machine, or HTTPS.
    fn may_go(&self, url: &Url) -> bool {
        let address = Address::parse(&url.origin().ascii_serialization());
        url.origin() == self.base.origin() || address.is_ok_and(|it| !it.is_unencrypted())
    }

    /// Obtains the value of the `Authorization` header that the registry's challenge requires.
    async fn authenticate(&self, what: &str, headers: &HeaderMap) -> Result<(), RegistryError> {
        let refused = || RegistryError::Refused {
            what: what.to_owned(),
            status: 401,
        };
        let challenges: Vec<Challenge> = headers
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(Challenge::parse)
            .collect();
        let of_scheme = |scheme| challenges.iter().find(|it| it.scheme == scheme);
        let value = match (of_scheme("bearer"), of_scheme("basic"), &self.login) {
            (Some(challenge), _, _) => {
                let token = self.token(what, challenge).await?;
                format!("Bearer {token}")
            }
            (None, Some(_), Some(login)) => basic(login),
            _ => return Err(refused()),
        };
        let mut known = self
            .authorization
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *known = Some(Secret::new(value));
        Ok(())
    }

    /// Requests a token from the token server that the challenge names.
    async fn token(&self, what: &str, challenge: &Challenge) -> Result<String, RegistryError> {
        let realm = challenge.parameter("realm");
        let realm = realm.and_then(|realm| self.base.join(realm).ok());
        let mut url = realm.ok_or_else(|| answer(what, "the challenge has no valid realm"))?;
        if !self.may_go(&url) {
            return Err(sends_to_readable(what, &url));
        }
        for name in ["service", "scope"] {
            if let Some(value) = challenge.parameter(name) {
                url.query_pairs_mut().append_pair(name, value);
            }
        }
        let mut request = self.client.get(url);
        if let Some(login) = &self.login {
            request = request.header(AUTHORIZATION, basic(login));
        }
        let response = send_with_retry(what, request).await?;
        let response = self.checked(what, response).await?;
        let bytes = body(what, response, 1 << 20).await?;
        let document: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            answer(
                what,
                &format!("its token is not valid JSON (line {line}, column {column})"),
            )
        })?;
        let token = ["token", "access_token"]
            .into_iter()
            .find_map(|key| document[key].as_str());
        let plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
        let token = token.filter(plain);
        Ok(token
            .ok_or_else(|| answer(what, "it contains no valid token"))?
            .to_owned())
    }

    /// Returns the response if its status is a success. Credentials are removed from the message of an error.
    async fn checked(&self, what: &str, response: Response) -> Result<Response, RegistryError> {
        let error = match checked(what, response).await {
            Err(RegistryError::Status {
                what,
                status,
                message,
            }) => {
                let known = self.authorization.lock();
                let known = known.unwrap_or_else(PoisonError::into_inner).clone();
                let mut secrets: Vec<Secret> = known
                    .iter()
                    .flat_map(|value| value.expose().split(' '))
                    .map(Secret::new)
                    .collect();
                if let Some(login) = &self.login {
                    secrets.push(login.password.clone());
                    secrets.push(Secret::new(encoded(login)));
                }
                RegistryError::Status {
                    what,
                    status,
                    message: Secrets::new(&secrets).scrub(&message),
                }
            }
            other => return other,
        };
        Err(error)
    }

    fn url(&self, what: &str, path: &str) -> Result<Url, RegistryError> {
        let url = self.base.join(path);
        url.map_err(|error| answer(what, &error.to_string()))
    }
}

fn of(wanted: Option<u64>) -> String {
    wanted.map_or_else(String::new, |wanted| format!(" of {wanted}"))
}

fn basic(login: &Login) -> String {
    format!("Basic {}", encoded(login))
}

fn encoded(login: &Login) -> String {
    use base64::Engine as _;
    let pair = format!("{}:{}", login.user, login.password.expose());
    base64::engine::general_purpose::STANDARD.encode(pair)
}

fn answer(what: &str, problem: &str) -> RegistryError {
    RegistryError::Answer {
        what: what.to_owned(),
        problem: problem.to_owned(),
    }
}

fn sends_to_readable(what: &str, url: &Url) -> RegistryError {
    let host = host_of(url);
    let problem = format!("it refers to {host}, but the connection would not be encrypted");
    answer(what, &problem)
}

fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or("a host without a name")
}

/// Waits for a result with the timeout [`TIMEOUT`].
async fn within<T>(
    what: &str,
    wait: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, RegistryError> {
    let what = what.to_owned();
    match tokio::time::timeout(TIMEOUT, wait).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(source)) => Err(RegistryError::Http {
            what,
            source: source.without_url(),
        }),
        Err(_) => Err(RegistryError::Silent { what }),
    }
}

/// Returns the response if its status is a success.
async fn checked(what: &str, response: Response) -> Result<Response, RegistryError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let what = what.to_owned();
    Err(match status {
        StatusCode::NOT_FOUND => RegistryError::Missing { what },
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => RegistryError::Refused {
            what,
            status: status.as_u16(),
        },
        status => {
            let mut message = Vec::new();
            let mut response = response;
            while message.len() < MAX_MESSAGE
                && let Ok(Some(piece)) = within(&what, response.chunk()).await
            {
                message.extend_from_slice(&piece);
            }
            message.truncate(MAX_MESSAGE);
            let message = String::from_utf8_lossy(&message);
            let message = match message.trim() {
                "" => "no message",
                message => message,
            };
            RegistryError::Status {
                what,
                status: status.as_u16(),
                message: message.to_owned(),
            }
        }
    })
}

/// Reads the next piece of a body, of which `found` bytes were received. Because the registry was reached before, a
/// lost connection is reported as an interrupted transfer.
async fn piece(
    what: &str,
    response: &mut Response,
    found: u64,
    wanted: Option<u64>,
) -> Result<Option<impl AsRef<[u8]> + use<>>, RegistryError> {
    let piece = within(what, response.chunk()).await;
    piece.map_err(|error| match error {
        RegistryError::Http { what, .. } => RegistryError::Stopped {
            what,
            found,
            wanted,
        },
        error => error,
    })
}

/// Reads a whole body of at most `limit` bytes.
async fn body(what: &str, mut response: Response, limit: u64) -> Result<Vec<u8>, RegistryError> {
    let wanted = response.content_length();
    let mut bytes = Vec::new();
    while let Some(piece) = piece(what, &mut response, bytes.len() as u64, wanted).await? {
        bytes.extend_from_slice(piece.as_ref());
        if bytes.len() as u64 > limit {
            let problem = format!("it exceeds the limit of {limit} bytes");
            return Err(answer(what, &problem));
        }
    }
    Ok(bytes)
}
