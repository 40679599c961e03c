//! Responses and errors in the format of GitHub's REST API.

use mcpmark_service::HttpResponse;
use serde_json::{Value, json};

use super::parsed_request::Request;
use crate::api::{ApiError, FieldError, Page, Paged, Refusal};

/// URL of the documentation in error responses.
const DOCUMENTATION: &str = "https://docs.github.com/rest";
const JSON: &str = "application/json; charset=utf-8";

/// Result of a handler.
pub(super) type Outcome = Result<Reply, ApiError>;

/// Successful response.
pub(super) struct Reply {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
    /// Requested page, and the number of entries on all pages.
    paged: Option<(Page, usize)>,
    /// Target of a redirect.
    location: Option<String>,
}

impl Reply {
    pub(super) fn json(status: u16, value: Value) -> Self {
        Self {
            status,
            kind: JSON,
            body: value.to_string().into_bytes(),
            paged: None,
            location: None,
        }
    }

    /// Response with one page of a list, from all of its serialised entries.
    pub(super) fn list(request: &Request<'_>, all: Value) -> Self {
        let Value::Array(all) = all else {
            return Self::json(200, all);
        };
        let (page, total) = (request.page(), all.len());
        let entries: Vec<Value> = all.into_iter().page(page).collect();
        Self::json(200, entries.into()).paged(page, total)
    }

    /// Response with one page of a list, of which only the entries on that page are serialised.
    pub(super) fn page<T>(
        request: &Request<'_>,
        all: Vec<T>,
        mut view: impl FnMut(T) -> Result<Value, ApiError>,
    ) -> Outcome {
        let (page, total) = (request.page(), all.len());
        let mut views = Vec::new();
        for entry in all.into_iter().page(page) {
            views.push(view(entry)?);
        }
        Ok(Self::json(200, views.into()).paged(page, total))
    }

    /// Marks the response as one of several pages.
    pub(super) fn paged(mut self, page: Page, total: usize) -> Self {
        self.paged = Some((page, total));
        self
    }

    /// Response with status 204.
    pub(super) fn empty() -> Self {
        Self {
            status: 204,
            kind: "",
            body: Vec::new(),
            paged: None,
            location: None,
        }
    }

    /// Redirect with status 302.
    pub(super) fn elsewhere(address: String) -> Self {
        Self {
            location: Some(address),
            ..Self::json(302, Value::Null)
        }
    }

    /// Response with bytes of a media type.
    pub(super) fn bytes(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            body,
            paged: None,
            location: None,
        }
    }

    pub(super) fn response(self, request: &Request<'_>) -> HttpResponse {
        let mut headers = common();
        if !self.kind.is_empty() {
            headers.push(("content-type", self.kind.to_owned()));
        }
        if let Some(address) = self.location {
            headers.push(("location", address));
        }
        if let Some((page, total)) = self.paged
            && let Some(link) = link(request, page, total)
        {
            headers.push(("link", link));
        }
        HttpResponse {
            status: self.status,
            headers,
            body: self.body,
        }
    }
}

fn common() -> Vec<(&'static str, String)> {
    // Clients check these headers for the API version and the scopes of the token.
    vec![
        ("x-github-api-version-selected", "2022-11-28".to_owned()),
        ("x-github-media-type", "github.v3; format=json".to_owned()),
        ("x-oauth-scopes", "repo".to_owned()),
    ]
}

/// Builds the header `Link` with the other pages. `None` if there is only one page.
fn link(request: &Request<'_>, page: Page, total: usize) -> Option<String> {
    let last = total.div_ceil(page.size).max(1);
    let mut base = format!("{}{}?", request.origin(), request.raw_path);
    for (name, value) in request.query_without_page() {
        base += &format!("{}={}&", encode(name), encode(value));
    }
    let to = |number: usize, what: &str| format!("<{base}page={number}>; rel=\"{what}\"");
    let mut links = Vec::new();
    if page.number > 1 {
        links.push(to((page.number - 1).min(last), "prev"));
    }
    if page.number < last {
        links.push(to(page.number + 1, "next"));
        links.push(to(last, "last"));
    }
    if page.number > 1 {
        links.push(to(1, "first"));
    }
    (!links.is_empty()).then(|| links.join(", "))
}

/// Percent-encodes a query parameter.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            byte => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

/// Error response in the format of GitHub.
pub(super) fn refused(refusal: &Refusal, request: &Request<'_>) -> HttpResponse {
    if request.path().first() == Some(&"raw") {
        let mut response = message(refusal.status, &refusal.message);
        response.body = format!("{}: {}", refusal.status, refusal.message).into_bytes();
        return response;
    }
    let mut body = json!({"message": refusal.message});
    if !refusal.errors.is_empty() {
        body["errors"] = refusal.errors.iter().map(error).collect();
    }
    body["documentation_url"] = DOCUMENTATION.into();
    body["status"] = refusal.status.to_string().into();
    respond(refusal.status, &body)
}

/// Error response with only a message.
pub(crate) fn message(status: u16, message: &str) -> HttpResponse {
    let body = json!({
        "message": message,
        "documentation_url": DOCUMENTATION,
        "status": status.to_string(),
    });
    respond(status, &body)
}

fn respond(status: u16, body: &Value) -> HttpResponse {
    let mut headers = common();
    headers.push(("content-type", JSON.to_owned()));
    HttpResponse {
        status,
        headers,
        body: body.to_string().into_bytes(),
    }
}

/// Field error without empty keys. A plain string if it applies to the request as a whole.
fn error(error: &FieldError) -> Value {
    let FieldError {
        resource,
        field,
        code,
        message,
    } = error;
    if resource.is_empty() {
        return message.as_str().into();
    }
    let mut view = json!({"resource": resource});
    for (key, text) in [
        ("field", *field),
        ("code", *code),
        ("message", message.as_str()),
    ] {
        if !text.is_empty() {
            view[key] = text.into();
        }
    }
    view
}
