//! Errors of handlers, and their responses.

use std::fmt;

use maud::{DOCTYPE, html};

use crate::Response;

/// Result of a handler.
pub type Answer = Result<Response, Error>;

/// Reasons why a handler has no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// There is no such page.
    NotFound,
    /// The page has no such method.
    MethodNotAllowed,
    /// The request is malformed, for the reason in the text.
    BadRequest(String),
    /// The account may not do this, for the reason in the text.
    Forbidden(String),
    /// A statement violates a constraint of a table.
    Constraint(String),
    /// The database has reached its maximum size.
    Full,
}

impl Error {
    /// Returns the status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::BadRequest(_) => 400,
            Self::Forbidden(_) => 403,
            Self::Constraint(_) => 409,
            Self::Full => 507,
        }
    }

    /// Returns a plain page with the error, for sites without a design of their own.
    pub fn response(&self) -> Response {
        let (status, text) = (self.status(), self.to_string());
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { title { (text) } }
                body { h1 { (status) } p { (text) } }
            }
        };
        Response::html(page).with_status(status)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "There is no such page.",
            Self::MethodNotAllowed => "This page cannot be used in this way.",
            Self::BadRequest(reason) | Self::Forbidden(reason) => reason,
            Self::Constraint(_) => "This contradicts other entries.",
            Self::Full => "There is no room for more entries.",
        })
    }
}

impl std::error::Error for Error {}
