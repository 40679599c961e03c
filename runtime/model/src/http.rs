//! The HTTP client that models are asked through: ours, so that every exchange is seen whole.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use mcpmark_http::Secrets;
use rig_core::http_client::{
    Error, HttpClientExt, LazyBody, MultipartForm, Request, Response, Result, StreamingResponse,
};
use sha2::{Digest as _, Sha256};

use crate::additions::Additions;
use crate::chat;

/// Bytes of a reply that are read; what is longer is an error.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
/// JSON values of a reply, those in the arguments of its calls included, which are JSON in a string. A parsed value
/// takes more than a hundred times the memory of its shortest text.
const MAX_REPLY_VALUES: usize = 250_000;

/// What went over the wire in one exchange.
#[derive(Debug, Default, Clone)]
pub(crate) struct Seen {
    /// The SHA-256 of the request's body, in hexadecimal.
    pub(crate) request_digest: Option<String>,
    /// The reply's body, whatever its status.
    pub(crate) body: Option<Bytes>,
    /// A field that was to be added and is in the request already, so that nothing was sent.
    pub(crate) field_in_use: Option<String>,
    /// What the transport ran into, before or instead of a whole reply.
    pub(crate) trouble: Option<Trouble>,
}

/// How the transport failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nobody answers there.
    Connect,
    /// No whole reply in time.
    Timeout,
    /// The reply broke off.
    Broken,
    /// The reply does not end.
    TooLong,
}

/// A client for one exchange.
#[derive(Clone)]
pub(crate) struct Wiretap {
    /// None where nothing is to be sent.
    client: Option<reqwest::Client>,
    timeout: Duration,
    secrets: Secrets,
    additions: Arc<Additions>,
    seen: Arc<Mutex<Seen>>,
}

/// The transport cannot be used this way.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unusable(&'static str);

impl Wiretap {
    pub(crate) fn new(
        client: reqwest::Client,
        timeout: Duration,
        secrets: Secrets,
        additions: Arc<Additions>,
    ) -> Self {
        Self {
            client: Some(client),
            timeout,
            secrets,
            additions,
            seen: Arc::default(),
        }
    }

    /// A client that sees a request and sends nothing.
    pub(crate) fn dry(additions: Arc<Additions>) -> Self {
        Self {
            client: None,
            timeout: Duration::ZERO,
            secrets: Secrets::default(),
            additions,
            seen: Arc::default(),
        }
    }

    /// What was seen so far.
    pub(crate) fn seen(&self) -> Seen {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: reqwest::Error) -> Error {
        let trouble = if error.is_connect() {
            Trouble::Connect
        } else if error.is_timeout() {
            Trouble::Timeout
        } else {
            Trouble::Broken
        };
        self.lock().trouble = Some(trouble);
        // A base URL may hold what is nobody's business.
        Error::instance(error.without_url())
    }

    async fn exchange(self, request: Request<Bytes>) -> Result<Response<Bytes>> {
        let (mut parts, body) = request.into_parts();
        let body = chat::with_plain_system(parts.uri.path(), body);
        let body = self.additions.extend(body).map_err(|field| {
            self.lock().field_in_use = Some(field);
            Error::instance(Unusable("an added field is there already"))
        })?;
        for (name, value) in &self.additions.headers {
            parts.headers.insert(name, value.clone());
        }
        self.lock().request_digest = Some(hex::encode(Sha256::digest(&body)));
        let Some(client) = &self.client else {
            return Err(Error::instance(Unusable("nothing is sent")));
        };
        let sent = client
            .request(parts.method, parts.uri.to_string())
            .headers(parts.headers)
            .timeout(self.timeout)
            .body(body)
            .send();
        let mut reply = sent.await.map_err(|error| self.failed(error))?;
        let mut response = Response::builder().status(reply.status());
        if let Some(headers) = response.headers_mut() {
            // What comes in goes into errors and the journal, so a key that is echoed ends here.
            let clean = reply.headers().iter();
            let clean = clean.filter(|(_, value)| !self.secrets.are_in(value.as_bytes()));
            *headers = clean
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        // Of an error the provider is the author, and of a reply the model.
        let too_long = if reply.status().is_success() {
            Trouble::TooLong
        } else {
            Trouble::Broken
        };
        let mut body = Vec::new();
        while let Some(chunk) = reply.chunk().await.map_err(|error| self.failed(error))? {
            if body.len() + chunk.len() > MAX_REPLY_BYTES {
                self.lock().trouble = Some(too_long);
                return Err(Error::instance(Unusable("the reply is longer than 16 MiB")));
            }
            body.extend_from_slice(&chunk);
        }
        if possible_values(&body) > MAX_REPLY_VALUES {
            self.lock().trouble = Some(too_long);
            return Err(Error::instance(Unusable(
                "the reply has more than 250,000 JSON values",
            )));
        }
        let body = Bytes::from(self.secrets.scrub_bytes(body));
        self.lock().body = Some(body.clone());
        let response = response.body(body)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let text = String::from_utf8_lossy(&body).into_owned();
        Err(Error::non_success_with_details(
            parts.status,
            parts.headers,
            text,
        ))
    }
}

/// The most JSON values that a body can have, those of JSON within its strings included.
fn possible_values(body: &[u8]) -> usize {
    let marks = body
        .iter()
        .filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':'))
        .count();
    // Each of these marks can also be written as an escape.
    let escapes = body.windows(4).filter(|four| four == b"\\u00").count();
    marks + escapes
}

impl HttpClientExt for Wiretap {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let (this, request) = (self.clone(), request.map(Into::into));
        async move {
            let response = this.exchange(request).await?;
            Ok(response.map(|body| -> LazyBody<U> { Box::pin(async move { Ok(U::from(body)) }) }))
        }
    }

    fn send_multipart<U>(
        &self,
        _: Request<MultipartForm>,
    ) -> impl Future<Output = Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        std::future::ready(Err(Error::instance(Unusable("no form is sent to models"))))
    }

    async fn send_streaming<T>(&self, _: Request<T>) -> Result<StreamingResponse>
    where
        T: Into<Bytes> + Send,
    {
        Err(Error::instance(Unusable("replies are read whole")))
    }
}
