//! Tools of the published MCP server. Each call is one request to the API.

mod decoding;
mod javascript;
mod operation;
mod surface;

use std::collections::HashMap;
use std::fmt::Write as _;

use mcpmark_service::{HttpRequest, HttpResponse, ToolHandler};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject};
use serde_json::{Value, json};

use self::operation::Operation;
pub use self::surface::{PROFILES, Profile};
use crate::api::{Body, Engine, Method, Request, Response};
use crate::input::either;
use crate::model::Version;
use crate::refusal::{Code, Refusal};

/// Handler of the tools of one session.
pub struct Tools {
    engine: Engine,
    profile: Profile,
    /// Maximum size of the world, in bytes.
    most_bytes: u64,
    /// Approximate size of the world, in bytes.
    bytes: u64,
    /// Sizes of the pages that were changed as Markdown, because a short change of a text may make it much longer.
    markdown: HashMap<String, u64>,
}

impl Tools {
    /// Creates the tools of a workspace whose documents have `bytes` bytes. Requests that would make it larger than
    /// `most_bytes` are refused.
    pub fn new(engine: Engine, bytes: u64, most_bytes: u64) -> Self {
        Self {
            engine,
            profile: Profile::default(),
            most_bytes,
            bytes,
            markdown: HashMap::new(),
        }
    }

    /// Returns the tools of another version of the published server.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Answers an HTTP request to the API.
    pub fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        let response = match self.parse(request) {
            Ok(request) => self.answer(&request, request_size(&request)),
            Err(refusal) => self.engine.refuse(&refusal),
        };
        HttpResponse {
            status: response.status,
            headers: vec![("content-type", "application/json; charset=utf-8".to_owned())],
            body: response.body.to_string().into_bytes(),
        }
    }

    /// Answers a request whose headers need no check.
    pub fn request(&mut self, request: &Request) -> Response {
        self.answer(request, request_size(request))
    }

    /// Returns the answer to a request with a method that the API does not have.
    pub fn unknown_method(&mut self) -> Response {
        self.engine.refuse(&unknown_method())
    }

    /// Checks the headers of a request. Any token is accepted.
    fn parse(&self, request: &HttpRequest) -> Result<Request, Refusal> {
        let header = |name: &str| request.headers.get(name).and_then(|it| it.to_str().ok());
        let token = header("authorization").and_then(|it| it.strip_prefix("Bearer "));
        if token.is_none_or(str::is_empty) {
            return Err(Refusal::new(Code::Unauthorized, "API token is invalid."));
        }
        let version = version(header("notion-version"))?;
        let method = Method::parse(&request.method).ok_or_else(unknown_method)?;
        let body = Body::parse(&request.body);
        Ok(Request::new(method, &request.target, body).at_version(version))
    }

    fn answer(&mut self, request: &Request, size: u64) -> Response {
        let writes = request.method != Method::Get;
        if size > MAX_REQUEST {
            let message = format!("Request body too large. Limit is {MAX_REQUEST} bytes.");
            return self.engine.refuse(&Refusal::invalid(message));
        }
        let after = self.bytes.saturating_add(size.saturating_mul(GROWTH));
        if writes && after > self.most_bytes {
            let message = format!(
                "The workspace would exceed its limit of {} bytes.",
                self.most_bytes
            );
            return self.engine.refuse(&Refusal::invalid(message));
        }
        let response = self.engine.answer(request);
        if writes && response.status == 200 {
            let growth = self.markdown_growth(&response.body);
            self.bytes = after.saturating_add(growth.saturating_mul(GROWTH));
        }
        response
    }

    /// Returns the number of bytes by which the content of a page has grown, if the response shows it as Markdown.
    fn markdown_growth(&mut self, body: &Value) -> u64 {
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let (Some(id), Some(markdown)) = (text("id"), text("markdown")) else {
            return 0;
        };
        let lines = markdown.lines().count() as u64;
        let size = markdown.len() as u64 + lines * LINE;
        let before = self.markdown.insert(id.to_owned(), size).unwrap_or(0);
        size.saturating_sub(before)
    }
}

/// Parses the header `Notion-Version`. Other versions of the API than the named ones are not served.
fn version(header: Option<&str>) -> Result<Version, Refusal> {
    const PLACE: &str = "Notion-Version header failed validation: Notion-Version header should be";
    let Some(name) = header else {
        // Reported in makenotion/notion-mcp-server 328.
        let message = format!("{PLACE} defined, instead was `undefined`.");
        return Err(Refusal::new(Code::MissingVersion, message));
    };
    Version::parse(name).ok_or_else(|| {
        let names: Vec<String> = Version::ALL
            .iter()
            .map(|version| format!("`\"{}\"`", version.name()))
            .collect();
        Refusal::invalid(format!(
            "{PLACE} {}, instead was `\"{name}\"`.",
            either(&names)
        ))
    })
}

fn unknown_method() -> Refusal {
    Refusal::new(Code::InvalidRequestUrl, "Invalid request URL.")
}

/// Maximum size of a request, in bytes (documentation of request limits).
const MAX_REQUEST: u64 = 500_000;
/// Bytes of documents for each byte of a request, with room for the ids and stamps that are added.
const GROWTH: u64 = 4;

/// Bytes that a line of Markdown counts in addition to its text, for the id of its block.
const LINE: u64 = 48;

/// Returns the size of a request, in bytes.
fn request_size(request: &Request) -> u64 {
    match &request.body {
        Body::Json(value) => value.to_string().len() as u64,
        Body::Absent | Body::Malformed => 0,
    }
}

impl ToolHandler for Tools {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let Some(operation) = Operation::find(self.profile, tool) else {
            let message = format!("Method {tool} not found");
            return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None));
        };
        let mut arguments = javascript::received(Value::Object(arguments));
        if self.profile.decodes_strings() {
            arguments = decoding::decoded(arguments);
        }
        let request = operation.request(&arguments);
        let response = self.answer(&request, request_size(&request));
        let body = javascript::received(response.body);
        let shown = if response.status == 200 {
            body
        } else {
            // The server spreads the error over an object with a status of its own.
            let mut shown = json!({"status": "error"});
            if let (Some(shown), Value::Object(body)) = (shown.as_object_mut(), body) {
                shown.extend(body);
            }
            shown
        };
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", javascript::Stringified(&shown));
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        // The server leaves the flag out, even if the API refused the request.
        result.is_error = None;
        Ok(result)
    }

    fn memory(&self) -> u64 {
        self.bytes.saturating_mul(GROWTH)
    }
}
