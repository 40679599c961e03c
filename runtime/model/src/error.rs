use std::time::Duration;

use mcpmark_http::Secrets;
use rig_core::error::{ErrorKind as RigKind, ProviderError};

use crate::http::{Seen, Trouble};
use crate::{Provider, retry, said};

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
        variable: String,
        /// The provider.
        provider: &'static str,
    },
    /// The key cannot be sent.
    #[error(
        "{model}: what is in {variable} cannot be sent: there is a line break in it, or a \
         character that no header can have"
    )]
    Key {
        /// `provider/name`.
        model: String,
        /// The variable.
        variable: String,
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
    /// An added header cannot be sent.
    #[error("the header {header:?} cannot be added: {reason}")]
    Header {
        /// Its name.
        header: String,
        /// Why not.
        reason: &'static str,
    },
    /// The environment has no value for an added header.
    #[error(
        "{model}: the environment variable {variable} is not set, and the header {header} has its value from there"
    )]
    NoHeaderValue {
        /// `provider/name`.
        model: String,
        /// The header.
        header: String,
        /// The variable.
        variable: String,
    },
    /// A field of the body is not one that can be added.
    #[error(
        "the field {0:?} cannot be added to the body of requests: it says what the model is asked, or how the reply \
         comes back"
    )]
    ExtraBody(String),
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

impl AskError {
    pub(crate) fn new(kind: AskErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Says in our words what the transport or the provider said.
    pub(crate) fn read(error: &ProviderError, seen: &Seen, secrets: &Secrets) -> Self {
        if let Some(field) = &seen.field_in_use {
            let message = format!(
                "the added field {field:?} is in the request already, from another setting or from the \
                 provider's interface; leave it out of extra-body"
            );
            return Self::new(AskErrorKind::BadRequest, message);
        }
        let received = seen.body.as_deref().unwrap_or_default();
        let received = String::from_utf8_lossy(received);
        let status = error
            .provider_response_status()
            .map(|status| status.as_u16());
        let body = error.provider_response_body().unwrap_or_default();
        let said = said::message(body);
        let (kind, message) = match seen.trouble {
            Some(Trouble::Timeout) => (AskErrorKind::Timeout, "no reply in time".to_owned()),
            Some(Trouble::Connect) => (AskErrorKind::Connection, "nobody answers".to_owned()),
            Some(Trouble::Broken) => (AskErrorKind::Connection, "the reply broke off".to_owned()),
            Some(Trouble::TooLong) => (AskErrorKind::ReplyTooLong, error.to_string()),
            None if error_option(error) => (AskErrorKind::Unsupported, option_message(error)),
            None => match (status, error.kind()) {
                (Some(status), _) => {
                    let kind = by_status(status, body);
                    if is_page(body)
                        && matches!(kind, AskErrorKind::MalformedReply | AskErrorKind::NotFound)
                    {
                        let message =
                            format!("the answer is a web page and no JSON ({status}); {TO_V1}");
                        return Self::new(kind, message);
                    }
                    let what = match kind {
                        AskErrorKind::MalformedReply => "an unreadable reply",
                        _ => "an error",
                    };
                    (kind, format!("the provider sent {what} ({status}): {said}"))
                }
                (None, RigKind::Request | RigKind::Url) => {
                    (AskErrorKind::BadRequest, error.to_string())
                }
                (None, _) if is_page(&received) => (
                    AskErrorKind::MalformedReply,
                    format!("the answer is a web page and no JSON; {TO_V1}"),
                ),
                (None, _) => (AskErrorKind::MalformedReply, error.to_string()),
            },
        };
        // First, so that no part of a key is left where the message is cut.
        let message = secrets.scrub(&message);
        Self {
            kind,
            message: said::brief(&message),
            retry_after: retry::wish(error.provider_response_headers(), body),
        }
    }
}

/// What helps where something else than an interface answers.
const TO_V1: &str = "is --base-url right? it mostly ends in /v1";

/// Whether a body is HTML or its like.
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
                "{} cannot be set: {}",
                option.option.replace('_', "-"),
                option.reason
            )
        }
        other => other.to_string(),
    }
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
                "exceed context limit",
                "exceeded model token limit",
                "maximum prompt length is",
                "range of input length",
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
        400 if says(&["credit balance"]) => AskErrorKind::Quota,
        404 => AskErrorKind::NotFound,
        408 | 504 => AskErrorKind::Timeout,
        // Gemini speaks of an exceeded quota where a minute's share is used up: that passes.
        429 if says(&["insufficient_quota", "credit balance"])
            && !says(&["resource_exhausted", "retry in "]) =>
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
            assert_eq!(kind, AskErrorKind::ContextOverflow, "{status} {body}");
        }
        for (status, body) in [
            (400, "max_tokens must be at least 1"),
            (429, "context length"),
            (400, "Range of temperature should be [0, 2)"),
        ] {
            let kind = by_status(status, body);
            assert_ne!(kind, AskErrorKind::ContextOverflow, "{status} {body}");
        }
    }
}
