//! Errors of the API.

use std::fmt;

use serde_json::{Value, json};

use crate::model::Id;

/// Code of an error, with the HTTP status that belongs to it (documentation of status codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// `invalid_json`.
    InvalidJson,
    /// `invalid_request_url`.
    InvalidRequestUrl,
    /// `validation_error`.
    ValidationError,
    /// `missing_version`.
    MissingVersion,
    /// `unauthorized`.
    Unauthorized,
    /// `object_not_found`.
    ObjectNotFound,
    /// `service_unavailable`.
    ServiceUnavailable,
}

impl Code {
    fn name(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidRequestUrl => "invalid_request_url",
            Self::ValidationError => "validation_error",
            Self::MissingVersion => "missing_version",
            Self::Unauthorized => "unauthorized",
            Self::ObjectNotFound => "object_not_found",
            Self::ServiceUnavailable => "service_unavailable",
        }
    }

    fn status(self) -> u16 {
        match self {
            Self::InvalidJson
            | Self::InvalidRequestUrl
            | Self::ValidationError
            | Self::MissingVersion => 400,
            Self::Unauthorized => 401,
            Self::ObjectNotFound => 404,
            Self::ServiceUnavailable => 503,
        }
    }
}

/// Refused request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Code.
    pub code: Code,
    /// Message.
    pub message: String,
}

/// Kind of an object in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    /// Page.
    Page,
    /// Database.
    Database,
    /// Data source.
    DataSource,
    /// Block.
    Block,
    /// User.
    User,
    /// Discussion of comments.
    Discussion,
}

impl Noun {
    fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Database => "database",
            Self::DataSource => "data source",
            Self::Block => "block",
            Self::User => "user",
            Self::Discussion => "discussion",
        }
    }
}

impl Refusal {
    /// Creates a refusal with a code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Creates the refusal of an invalid value.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::ValidationError, message)
    }

    /// Creates the refusal of an id that names nothing. The message is the one that clients report for pages,
    /// databases and blocks; for users and discussions the same form is chosen.
    pub fn not_found(noun: Noun, id: Id) -> Self {
        let noun = noun.name();
        Self::new(
            Code::ObjectNotFound,
            format!(
                "Could not find {noun} with ID: {id}. Make sure the relevant pages and databases are shared with your integration."
            ),
        )
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// Returns the body of the response.
    pub fn body(&self, request: Id) -> Value {
        json!({
            "object": "error",
            "status": self.code.status(),
            "code": self.code.name(),
            "message": self.message,
            "request_id": request.to_string(),
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<mcpmark_service::Interrupted> for Refusal {
    fn from(interrupted: mcpmark_service::Interrupted) -> Self {
        Self::new(Code::ServiceUnavailable, interrupted.to_string())
    }
}

/// Result of a request.
pub(crate) type Outcome<T = Value> = Result<T, Refusal>;
