//! Errors of models and of their requests.

use std::time::Duration;

use mcpmark_http::Secrets;
use rig_core::error::{ErrorKind as RigKind, ProviderError};

use crate::http::{Exchange, TransportError};
use crate::{Provider, retry, said};

/// Error of opening a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenError {
    /// Name that is not of the form `provider/name`.
    #[error("invalid model name {0:?}: expected provider/name, such as openai/gpt-5")]
    Name(String),
    /// Unknown provider.
    #[error("unknown provider {name:?}; expected one of {}", known())]
    Provider {
        /// Name before the slash.
        name: String,
    },
    /// Missing environment variable of the key.
    #[error(
        "{model}: the environment variable {variable} is not set, but {provider} requires a key"
    )]
    NoKey {
        /// Name of the model, as `provider/name`.
        model: String,
        /// Environment variable.
        variable: String,
        /// Name of the provider.
        provider: &'static str,
    },
    /// Value of an environment variable that cannot be sent in a header.
    #[error(
        "{model}: the value of {variable} cannot be sent in a header: it contains a line break or a \
         character that is not printable ASCII"
    )]
    Key {
        /// Name of the model, as `provider/name`.
        model: String,
        /// Environment variable.
        variable: String,
    },
    /// Invalid base URL.
    #[error("{url:?} is not a valid base URL: {reason}")]
    BaseUrl {
        /// URL without parts that may be secret.
        url: String,
        /// Reason for which the URL is invalid.
        reason: String,
    },
    /// Choice of an interface for a provider that has only one.
    #[error("{provider} has only one interface; omit --api")]
    Api {
        /// Name of the provider.
        provider: &'static str,
    },
    /// Setting outside its allowed range.
    #[error("{name} is {value}; expected {allowed}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value of the setting.
        value: String,
        /// Description of the allowed values.
        allowed: &'static str,
    },
    /// Additional header that cannot be sent.
    #[error("cannot add the header {header:?}: {reason}")]
    Header {
        /// Name of the header.
        header: String,
        /// Reason for which the header cannot be sent.
        reason: &'static str,
    },
    /// Missing environment variable of an additional header.
    #[error(
        "{model}: the environment variable {variable} is not set, but the header {header} requires its value"
    )]
    NoHeaderValue {
        /// Name of the model, as `provider/name`.
        model: String,
        /// Name of the header.
        header: String,
        /// Environment variable.
        variable: String,
    },
    /// Body field that cannot be added.
    #[error(
        "cannot add the field {0:?} to the body of requests: it determines the input of the model or the form of the \
         reply"
    )]
    ExtraBody(String),
    /// Model that does not call tools, according to the model catalog.
    #[error(
        "{0} does not call tools, according to the model catalog; choose another model, or --agent react"
    )]
    NoTools(String),
    /// Failure to create the HTTP client.
    #[error("cannot create the HTTP client: {0}")]
    Client(String),
}

fn known() -> String {
    let names: Vec<_> = Provider::all().iter().map(|p| p.name).collect();
    names.join(", ")
}

/// Kind of error of a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestErrorKind {
    /// Rate limit of the provider.
    RateLimit,
    /// Overload of the provider.
    Overloaded,
    /// Internal error of the provider.
    Server,
    /// Timeout of the reply.
    Timeout,
    /// Failed or broken connection.
    Connection,
    /// Reply that cannot be parsed.
    MalformedReply,
    /// Reply that exceeds the size limit. A retry would have the same result.
    ReplyTooLong,
    /// Rejected key.
    Auth,
    /// Exhausted quota or credit of the account.
    Quota,
    /// Conversation that exceeds the context of the model.
    ContextOverflow,
    /// Model that does not support tools.
    NoTools,
    /// Unknown model or interface.
    NotFound,
    /// Request that the provider rejects.
    BadRequest,
    /// Setting that the model does not support.
    Unsupported,
}

impl RequestErrorKind {
    /// Returns the name in the journal: `rate-limit`, `overloaded`, ….
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

    /// Reports whether the error is temporary, so that a retry of the same request may succeed.
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

/// Error of a request to a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    /// Kind of the error.
    pub kind: RequestErrorKind,
    /// Error message, without secrets.
    pub message: String,
    /// Wait that the provider asks for before a retry.
    pub retry_after: Option<Duration>,
}

impl RequestError {
    pub(crate) fn new(kind: RequestErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Converts an error of the library, the transport or the provider.
    pub(crate) fn read(error: &ProviderError, exchange: &Exchange, secrets: &Secrets) -> Self {
        if let Some(field) = &exchange.field_in_use {
            let message = format!(
                "the request already has the added field {field:?}, from another setting or from the \
                 provider's interface; remove it from extra-body"
            );
            return Self::new(RequestErrorKind::BadRequest, message);
        }
        let received = exchange.body.as_deref().unwrap_or_default();
        let received = String::from_utf8_lossy(received);
        let status = error
            .provider_response_status()
            .map(|status| status.as_u16());
        let body = error.provider_response_body().unwrap_or_default();
        let said = said::message(body);
        let (kind, message) = match exchange.error {
            Some(TransportError::Timeout) => (
                RequestErrorKind::Timeout,
                "no reply before the timeout".to_owned(),
            ),
            Some(TransportError::Connect) => {
                (RequestErrorKind::Connection, "cannot connect".to_owned())
            }
            Some(TransportError::Broken) => (
                RequestErrorKind::Connection,
                "the connection broke during the reply".to_owned(),
            ),
            Some(TransportError::TooLong) => (RequestErrorKind::ReplyTooLong, error.to_string()),
            None if error_option(error) => (RequestErrorKind::Unsupported, option_message(error)),
            None => match (status, error.kind()) {
                (Some(status), _) => {
                    let kind = by_status(status, body);
                    if is_page(body)
                        && matches!(
                            kind,
                            RequestErrorKind::MalformedReply | RequestErrorKind::NotFound
                        )
                    {
                        let message =
                            format!("the reply is a web page, not JSON ({status}); {TO_V1}");
                        return Self::new(kind, message);
                    }
                    let what = match kind {
                        RequestErrorKind::MalformedReply => "a malformed reply",
                        _ => "an error",
                    };
                    (kind, format!("the provider sent {what} ({status}): {said}"))
                }
                (None, RigKind::Request | RigKind::Url) => {
                    (RequestErrorKind::BadRequest, error.to_string())
                }
                (None, _) if is_page(&received) => (
                    RequestErrorKind::MalformedReply,
                    format!("the reply is a web page, not JSON; {TO_V1}"),
                ),
                (None, _) => (RequestErrorKind::MalformedReply, error.to_string()),
            },
        };
        // Secrets are removed before the message is cut, because a part of a key would not be recognised.
        let message = secrets.scrub(&message);
        Self {
            kind,
            message: said::brief(&message),
            retry_after: retry::wish(error.provider_response_headers(), body),
        }
    }
}

/// Hint for a base URL at which something other than a model interface responds.
const TO_V1: &str = "check --base-url, which usually ends in /v1";

/// Reports whether a body looks like HTML or XML.
fn is_page(body: &str) -> bool {
    body.trim_start().starts_with('<')
}

fn error_option(error: &ProviderError) -> bool {
    matches!(error, ProviderError::UnsupportedOption(_))
}

fn option_message(error: &ProviderError) -> String {
    match error {
        ProviderError::UnsupportedOption(option) => {
            format!(
                "cannot set {}: {}",
                option.option.replace('_', "-"),
                option.reason
            )
        }
        other => other.to_string(),
    }
}

/// Classifies an error by its HTTP status and by phrases that providers write into the body.
fn by_status(status: u16, body: &str) -> RequestErrorKind {
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
                "exceed context limit",
                "exceeded model token limit",
                "maximum prompt length is",
                "range of input length",
            ]) =>
        {
            RequestErrorKind::ContextOverflow
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
            RequestErrorKind::NoTools
        }
        401 | 403 => RequestErrorKind::Auth,
        402 => RequestErrorKind::Quota,
        400 if says(&["credit balance"]) => RequestErrorKind::Quota,
        404 => RequestErrorKind::NotFound,
        408 | 504 => RequestErrorKind::Timeout,
        // Gemini reports an exceeded quota also for its limits per minute, which are temporary.
        429 if says(&["insufficient_quota", "credit balance"])
            && !says(&["resource_exhausted", "retry in "]) =>
        {
            RequestErrorKind::Quota
        }
        429 => RequestErrorKind::RateLimit,
        503 | 529 => RequestErrorKind::Overloaded,
        200..=299 if says(&["overloaded"]) => RequestErrorKind::Overloaded,
        200..=299 if says(&["rate_limit", "rate limit"]) => RequestErrorKind::RateLimit,
        200..=299 => RequestErrorKind::MalformedReply,
        500.. => RequestErrorKind::Server,
        _ => RequestErrorKind::BadRequest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_status_and_words() {
        use RequestErrorKind as K;
        for (status, body, kind) in [
            (429, r#"{"error":{"message":"slow down"}}"#, K::RateLimit),
            (429, r#"{"error":{"code":"insufficient_quota"}}"#, K::Quota),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota, please check your plan.",
                "code":"insufficient_quota"}}"#,
                K::Quota,
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota. Please retry in 20s.",
                "status":"RESOURCE_EXHAUSTED"}}"#,
                K::RateLimit,
            ),
            (429, "You exceeded your current quota.", K::RateLimit),
            (
                400,
                "Your credit balance is too low to access the Anthropic API.",
                K::Quota,
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
    fn every_provider_has_its_words_for_too_long_a_conversation() {
        for (status, body) in [
            (400, r#"{"error":{"code":"context_length_exceeded"}}"#),
            (
                400,
                "This model's maximum context length is 8192 tokens. However, you requested 9000.",
            ),
            (400, "prompt is too long: 210000 tokens > 200000 maximum"),
            (
                400,
                "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
            ),
            (
                400,
                "The input token count (1200000) exceeds the maximum number of tokens allowed",
            ),
            (
                400,
                "This model's maximum prompt length is 131072 but the request contains 140000",
            ),
            (
                400,
                "Invalid request: Your request exceeded model token limit: 131072",
            ),
            (
                400,
                "<400> InternalError.Algo.InvalidParameter: Range of input length should be \
                 [1, 98304]",
            ),
            (
                400,
                "request (9000 tokens) exceeds the available context size (4096 tokens)",
            ),
            (500, "the input exceeds the context window"),
        ] {
            let kind = by_status(status, body);
            assert_eq!(kind, RequestErrorKind::ContextOverflow, "{status} {body}");
        }
        for (status, body) in [
            (400, "max_tokens must be at least 1"),
            (429, "context length"),
            (400, "Range of temperature should be [0, 2)"),
        ] {
            let kind = by_status(status, body);
            assert_ne!(kind, RequestErrorKind::ContextOverflow, "{status} {body}");
        }
    }
}
