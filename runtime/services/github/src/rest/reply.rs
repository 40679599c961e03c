//! Answers, and refusals in the words of GitHub's REST interface.

use mcpmark_service::HttpResponse;
use serde_json::{Value, json};

use super::asked::Asked;
use crate::api::{ApiError, FieldError, Page, Paged, Refusal};

/// Where people read more.
const DOCUMENTATION: &str = "https://docs.github.com/rest";
const JSON: &str = "application/json; charset=utf-8";

/// What a handler gives.
pub(super) type Outcome = Result<Reply, ApiError>;

/// An answer that is no refusal.
pub(super) struct Reply {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
    /// The page that this is, and the number of entries of all pages.
    paged: Option<(Page, usize)>,
    /// Where to ask instead.
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

    /// One page of a list of which all entries are given.
    pub(super) fn list(asked: &Asked<'_>, all: Value) -> Self {
        let Value::Array(all) = all else {
            return Self::json(200, all);
        };
        let (page, total) = (asked.page(), all.len());
        let entries: Vec<Value> = all.into_iter().page(page).collect();
        Self::json(200, entries.into()).paged(page, total)
    }

    /// One page of a list, of which only the entries of that page are written.
    pub(super) fn page<T>(
        asked: &Asked<'_>,
        all: Vec<T>,
        mut view: impl FnMut(T) -> Result<Value, ApiError>,
    ) -> Outcome {
        let (page, total) = (asked.page(), all.len());
        let mut views = Vec::new();
        for entry in all.into_iter().page(page) {
            views.push(view(entry)?);
        }
        Ok(Self::json(200, views.into()).paged(page, total))
    }

    /// The same answer, which is one page of several.
    pub(super) fn paged(mut self, page: Page, total: usize) -> Self {
        self.paged = Some((page, total));
        self
    }

    /// Done, and nothing to say.
    pub(super) fn empty() -> Self {
        Self {
            status: 204,
            kind: "",
            body: Vec::new(),
            paged: None,
            location: None,
        }
    }

    /// What is asked for is at another address.
    pub(super) fn elsewhere(address: String) -> Self {
        Self {
            location: Some(address),
            ..Self::json(302, Value::Null)
        }
    }

    /// Bytes of a media type.
    pub(super) fn bytes(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            body,
            paged: None,
            location: None,
        }
    }

    pub(super) fn response(self, asked: &Asked<'_>) -> HttpResponse {
        let mut headers = common();
        if !self.kind.is_empty() {
            headers.push(("content-type", self.kind.to_owned()));
        }
        if let Some(address) = self.location {
            headers.push(("location", address));
        }
        if let Some((page, total)) = self.paged
            && let Some(link) = link(asked, page, total)
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
    // Clients look for these: the version that was meant, and what a token may do.
    vec![
        ("x-github-api-version-selected", "2022-11-28".to_owned()),
        ("x-github-media-type", "github.v3; format=json".to_owned()),
        ("x-oauth-scopes", "repo".to_owned()),
    ]
}

/// The header `Link`: the pages around this one; nothing where it is the only one.
fn link(asked: &Asked<'_>, page: Page, total: usize) -> Option<String> {
    let last = total.div_ceil(page.size).max(1);
    let mut base = format!("{}{}?", asked.origin(), asked.raw_path);
    for (name, value) in asked.query_without_page() {
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

/// A text as it stands in a query.
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

/// A refusal as GitHub writes it.
pub(super) fn refused(refusal: &Refusal, asked: &Asked<'_>) -> HttpResponse {
    if asked.path().first() == Some(&"raw") {
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

/// A refusal that says one thing.
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

/// What is wrong with a field, without what is empty; a text where it is about the request as a whole.
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
