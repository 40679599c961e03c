use std::time::Duration;

use rig_core::error::{ErrorKind as RigKind, ProviderError};

use crate::http::Trouble;
use crate::{Provider, Secret};

/// A model cannot be asked at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenError {
    /// The name has no slash.
    #[error("{0:?} is no model; write it as provider/name, as in openai/gpt-5")]
    Name(String),
    /// Nobody knows the provider.
    #[error("there is no provider named {name:?}; known are {}", known())]
    Provider {
        /// The name before the slash.
        name: String,
    },
    /// The environment has no key.
    #[error(
        "{model}: the environment variable {variable} is not set, and {provider} asks for a key"
    )]
    NoKey {
        /// `provider/name`.
        model: String,
        /// The variable.
        variable: &'static str,
        /// The provider.
        provider: &'static str,
    },
    /// A base URL is none.
    #[error("{url:?} is no base URL: {reason}")]
    BaseUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The provider has one interface alone.
    #[error("{provider} has no choice of interfaces; leave out --api")]
    Api {
        /// The provider.
        provider: &'static str,
    },
    /// A setting is outside what it may be.
    #[error("{name} is {value}; it may be {allowed}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// The model calls no tools.
    #[error(
        "{0} calls no tools, says the catalog of models; choose another model, or --agent react"
    )]
    NoTools(String),
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

fn known() -> String {
    let names: Vec<_> = Provider::all().iter().map(|p| p.name).collect();
    names.join(", ")
}

/// What kind of error a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AskErrorKind {
    /// Too many requests for now.
    RateLimit,
    /// The provider has too much to do.
    Overloaded,
    /// The provider's own error.
    Server,
    /// No reply in time.
    Timeout,
    /// Nobody answers, or the connection broke.
    Connection,
    /// The reply cannot be read.
    MalformedReply,
    /// The reply is longer than is read. It would be so again.
    ReplyTooLong,
    /// The key is not accepted.
    Auth,
    /// The account has nothing left.
    Quota,
    /// The conversation does not fit the model.
    ContextOverflow,
    /// The model takes no tools.
    NoTools,
    /// There is no such model or interface.
    NotFound,
    /// The provider does not take the request as it is.
    BadRequest,
    /// A setting cannot be sent to this model.
    Unsupported,
}

impl AskErrorKind {
    /// The name in the journal: `rate-limit`, `overloaded`, ….
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate-limit",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::MalformedReply => "malformed-reply",
            Self::ReplyTooLong => "reply-too-long",
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::ContextOverflow => "context-overflow",
            Self::NoTools => "no-tools",
            Self::NotFound => "not-found",
            Self::BadRequest => "bad-request",
            Self::Unsupported => "unsupported",
        }
    }

    /// Whether the same request may come to something else later.
    pub fn is_passing(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Overloaded
                | Self::Server
                | Self::Timeout
                | Self::Connection
                | Self::MalformedReply
        )
    }
}

/// A request that came to no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct AskError {
    /// What kind of error it is.
    pub kind: AskErrorKind,
    /// What happened, without the key.
    pub message: String,
    /// How long the provider wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// Characters of a provider's message that are kept.
const MAX_MESSAGE: usize = 2000;

impl AskError {
    pub(crate) fn new(kind: AskErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Says in our words what the transport or the provider said.
    pub(crate) fn read(
        error: &ProviderError,
        trouble: Option<Trouble>,
        key: Option<&Secret>,
    ) -> Self {
        let status = error
            .provider_response_status()
            .map(|status| status.as_u16());
        let body = error.provider_response_body().unwrap_or_default();
        let said = said(body);
        let (kind, message) = match trouble {
            Some(Trouble::Timeout) => (AskErrorKind::Timeout, "no reply in time".to_owned()),
            Some(Trouble::Connect) => (AskErrorKind::Connection, "nobody answers".to_owned()),
            Some(Trouble::Broken) => (AskErrorKind::Connection, "the reply broke off".to_owned()),
            Some(Trouble::TooLong) => (AskErrorKind::ReplyTooLong, error.to_string()),
            None if error_option(error) => (AskErrorKind::Unsupported, option_message(error)),
            None => match (status, error.kind()) {
                (Some(status), _) => {
                    let kind = by_status(status, body);
                    let what = match kind {
                        AskErrorKind::MalformedReply => "an unreadable reply",
                        _ => "an error",
                    };
                    (kind, format!("the provider sent {what} ({status}): {said}"))
                }
                (None, RigKind::Request | RigKind::Url) => {
                    (AskErrorKind::BadRequest, error.to_string())
                }
                (None, _) => (AskErrorKind::MalformedReply, error.to_string()),
            },
        };
        let message: String = message.chars().take(MAX_MESSAGE).collect();
        Self {
            kind,
            message: key.map_or(message.clone(), |key| key.scrub(&message)),
            retry_after: error.provider_response_headers().and_then(retry_after),
        }
    }
}

fn error_option(error: &ProviderError) -> bool {
    matches!(error, ProviderError::UnsupportedOption(_))
}

fn option_message(error: &ProviderError) -> String {
    match error {
        ProviderError::UnsupportedOption(option) => {
            format!(
                "{} cannot be set: {}",
                option.option.replace('_', "-"),
                option.reason
            )
        }
        other => other.to_string(),
    }
}

/// The message of a provider's error document, or the document.
fn said(body: &str) -> String {
    let document: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let message = document.as_ref().and_then(|document| {
        let places = [
            "/error/message",
            "/message",
            "/error",
            "/detail",
            "/0/error/message",
        ];
        places
            .iter()
            .find_map(|place| document.pointer(place)?.as_str())
    });
    message.unwrap_or(body).trim().to_owned()
}

/// What an error is, by its status and what providers write into its body.
fn by_status(status: u16, body: &str) -> AskErrorKind {
    let body = body.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    match status {
        400 | 404 | 413 | 422 | 500
            if says(&[
                "context_length_exceeded",
                "context length",
                "context window",
                "context size",
                "prompt is too long",
                "exceeds the maximum number of tokens",
                "input token count",
                "too many tokens in the prompt",
            ]) =>
        {
            AskErrorKind::ContextOverflow
        }
        400 | 404 | 422 | 500 | 501
            if body.contains("tool")
                && says(&[
                    "not support",
                    "no endpoints found",
                    "unsupported",
                    "not enabled",
                ]) =>
        {
            AskErrorKind::NoTools
        }
        401 | 403 => AskErrorKind::Auth,
        402 => AskErrorKind::Quota,
        404 => AskErrorKind::NotFound,
        408 | 504 => AskErrorKind::Timeout,
        429 if says(&[
            "insufficient_quota",
            "exceeded your current quota",
            "credit balance",
        ]) =>
        {
            AskErrorKind::Quota
        }
        429 => AskErrorKind::RateLimit,
        503 | 529 => AskErrorKind::Overloaded,
        200..=299 if says(&["overloaded"]) => AskErrorKind::Overloaded,
        200..=299 if says(&["rate_limit", "rate limit"]) => AskErrorKind::RateLimit,
        200..=299 => AskErrorKind::MalformedReply,
        500.. => AskErrorKind::Server,
        _ => AskErrorKind::BadRequest,
    }
}

/// The wish of a `Retry-After` header, in its form with seconds, or of OpenAI's with milliseconds.
fn retry_after(headers: &http::HeaderMap) -> Option<Duration> {
    let number =
        |name: &str| -> Option<f64> { headers.get(name)?.to_str().ok()?.trim().parse().ok() };
    let seconds = number("retry-after-ms")
        .map(|milliseconds| milliseconds / 1000.0)
        .or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_status_and_words() {
        use AskErrorKind as K;
        for (status, body, kind) in [
            (429, r#"{"error":{"message":"slow down"}}"#, K::RateLimit),
            (429, r#"{"error":{"code":"insufficient_quota"}}"#, K::Quota),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded"}}"#,
                K::ContextOverflow,
            ),
            (
                400,
                "prompt is too long: 210000 tokens > 200000 maximum",
                K::ContextOverflow,
            ),
            (400, r#"{"error":"x does not support tools"}"#, K::NoTools),
            (404, "No endpoints found that support tool use", K::NoTools),
            (404, "model not found", K::NotFound),
            (401, "", K::Auth),
            (503, "", K::Overloaded),
            (529, "", K::Overloaded),
            (500, "", K::Server),
            (502, "<html>", K::Server),
            (400, "temperature is too high", K::BadRequest),
            (200, "{}", K::MalformedReply),
        ] {
            assert_eq!(by_status(status, body), kind, "{status} {body}");
        }
    }

    #[test]
    fn a_provider_says_how_long_to_wait() {
        let mut headers = http::HeaderMap::new();
        assert_eq!(retry_after(&headers), None);
        headers.insert("retry-after", "2".parse().unwrap());
        assert_eq!(retry_after(&headers), Some(Duration::from_secs(2)));
        headers.insert("retry-after-ms", "150".parse().unwrap());
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(150)));
        headers.insert("retry-after-ms", "-1".parse().unwrap());
        assert_eq!(retry_after(&headers), None);
    }
}
