//! HTTP client of model requests, which records each exchange completely.

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

/// Maximum size of a reply, in bytes. A longer reply is an error.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of JSON values of a reply, including those in the arguments of its calls, which are JSON in strings.
/// A parsed value takes more than a hundred times the memory of its shortest text.
const MAX_REPLY_VALUES: usize = 250_000;

/// Record of one HTTP exchange.
#[derive(Debug, Default, Clone)]
pub(crate) struct Exchange {
    /// SHA-256 of the request body, in hexadecimal.
    pub(crate) request_digest: Option<String>,
    /// Body of the reply, for any status.
    pub(crate) body: Option<Bytes>,
    /// Path of an additional field that the request already contains. Nothing is sent then.
    pub(crate) field_in_use: Option<String>,
    /// Transport error that prevented a complete reply.
    pub(crate) error: Option<TransportError>,
}

/// Kind of transport error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransportError {
    /// Failed connection.
    Connect,
    /// Timeout before the end of the reply.
    Timeout,
    /// Interrupted reply, or error reply that exceeds a size limit.
    Broken,
    /// Successful reply that exceeds a size limit.
    TooLong,
}

/// HTTP client for one exchange.
#[derive(Clone)]
pub(crate) struct RecordingClient {
    /// HTTP client of the library; `None` for a dry run.
    client: Option<reqwest::Client>,
    timeout: Duration,
    secrets: Secrets,
    additions: Arc<Additions>,
    exchange: Arc<Mutex<Exchange>>,
}

/// Error of an exchange that this client refuses.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unusable(&'static str);

impl RecordingClient {
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
            exchange: Arc::default(),
        }
    }

    /// Creates a client for a dry run: it records a request without sending it.
    pub(crate) fn dry(additions: Arc<Additions>) -> Self {
        Self {
            client: None,
            timeout: Duration::ZERO,
            secrets: Secrets::default(),
            additions,
            exchange: Arc::default(),
        }
    }

    /// Returns the record of the exchange so far.
    pub(crate) fn recorded(&self) -> Exchange {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: reqwest::Error) -> Error {
        let kind = if error.is_connect() {
            TransportError::Connect
        } else if error.is_timeout() {
            TransportError::Timeout
        } else {
            TransportError::Broken
        };
        self.lock().error = Some(kind);
        // The URL is removed from the message, because it may contain secrets.
        Error::instance(error.without_url())
    }

    async fn exchange(self, request: Request<Bytes>) -> Result<Response<Bytes>> {
        let (mut parts, body) = request.into_parts();
        let body = chat::with_plain_system(parts.uri.path(), body);
        let body = self.additions.extend(body).map_err(|field| {
            self.lock().field_in_use = Some(field);
            Error::instance(Unusable("the request already has an added field"))
        })?;
        for (name, value) in &self.additions.headers {
            parts.headers.insert(name, value.clone());
        }
        self.lock().request_digest = Some(hex::encode(Sha256::digest(&body)));
        let Some(client) = &self.client else {
            return Err(Error::instance(Unusable(
                "the request is not sent in a dry run",
            )));
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
            // Headers that echo a secret are dropped, because headers are passed on to errors.
            let clean = reply.headers().iter();
            let clean = clean.filter(|(_, value)| !self.secrets.contained_in(value.as_bytes()));
            *headers = clean
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        // The model is responsible for a successful reply, and the provider for an error.
        let too_long = if reply.status().is_success() {
            TransportError::TooLong
        } else {
            TransportError::Broken
        };
        let mut body = Vec::new();
        while let Some(chunk) = reply.chunk().await.map_err(|error| self.failed(error))? {
            if body.len() + chunk.len() > MAX_REPLY_BYTES {
                self.lock().error = Some(too_long);
                return Err(Error::instance(Unusable(
                    "the reply exceeds the limit of 16 MiB",
                )));
            }
            body.extend_from_slice(&chunk);
        }
        if possible_values(&body) > MAX_REPLY_VALUES {
            self.lock().error = Some(too_long);
            return Err(Error::instance(Unusable(
                "the reply exceeds the limit of 250,000 JSON values",
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

/// Returns an upper bound of the number of JSON values in a body, including JSON within its strings.
fn possible_values(body: &[u8]) -> usize {
    let marks = body
        .iter()
        .filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':'))
        .count();
    // Within strings, each of these characters can also be an escape.
    let escapes = body.windows(4).filter(|four| four == b"\\u00").count();
    marks + escapes
}

impl HttpClientExt for RecordingClient {
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
        std::future::ready(Err(Error::instance(Unusable(
            "multipart forms are not supported",
        ))))
    }

    async fn send_streaming<T>(&self, _: Request<T>) -> Result<StreamingResponse>
    where
        T: Into<Bytes> + Send,
    {
        Err(Error::instance(Unusable("streaming is not supported")))
    }
}
