//! Requests.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::model::Version;

/// Method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `GET`.
    Get,
    /// `POST`.
    Post,
    /// `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
}

impl Method {
    /// Parses a method. Other methods are at no URL of the API.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "GET" => Some(Self::Get),
            "POST" => Some(Self::Post),
            "PATCH" => Some(Self::Patch),
            "DELETE" => Some(Self::Delete),
            _ => None,
        }
    }
}

/// Body of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// No bytes.
    Absent,
    /// JSON.
    Json(Value),
    /// Bytes that are not JSON.
    Malformed,
}

impl Body {
    /// Parses the bytes of a body.
    pub fn parse(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Absent;
        }
        serde_json::from_slice(bytes).map_or(Self::Malformed, Self::Json)
    }
}

/// Request, without headers.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Method.
    pub method: Method,
    /// Decoded segments of the path.
    pub path: Vec<String>,
    /// Parameters of the query: strings, and arrays of strings for repeated parameters.
    pub query: Value,
    /// Body.
    pub body: Body,
    /// Version of the API.
    pub version: Version,
}

impl Request {
    /// Returns the request to another version of the API. The default is the first one.
    pub fn at_version(self, version: Version) -> Self {
        Self { version, ..self }
    }

    /// Parses the target of a request, which is its path and query.
    pub fn new(method: Method, target: &str, body: Body) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let path = path
            .trim_start_matches('/')
            .split('/')
            .map(decoded)
            .collect();
        let pairs = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decoded(key), decoded(&value.replace('+', " ")))
            });
        let pairs = pairs.collect();
        Self::of_parts(method, path, pairs, body)
    }

    /// Creates a request of decoded segments of a path and pairs of a query.
    pub fn of_parts(
        method: Method,
        path: Vec<String>,
        pairs: Vec<(String, String)>,
        body: Body,
    ) -> Self {
        let mut parameters = Map::new();
        for (key, value) in pairs {
            match key.strip_suffix("[]") {
                Some(key) => add(&mut parameters, key, value, true),
                None => add(&mut parameters, &key, value, false),
            }
        }
        Self {
            method,
            path,
            query: Value::Object(parameters),
            body,
            version: Version::default(),
        }
    }
}

fn add(parameters: &mut Map<String, Value>, key: &str, value: String, is_array: bool) {
    let value = Value::String(value);
    match parameters.get_mut(key) {
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
        None if is_array => {
            parameters.insert(key.to_owned(), Value::Array(vec![value]));
        }
        None => {
            parameters.insert(key.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_are_decoded() {
        let target = "/v1/pages/a%2Fb/properties/x%3A?page_size=5&p[]=a&q=1&q=a+b%20c";
        let request = Request::new(Method::Get, target, Body::Absent);
        assert_eq!(request.path, ["v1", "pages", "a/b", "properties", "x:"]);
        let query = json!({"page_size": "5", "p": ["a"], "q": ["1", "a b c"]});
        assert_eq!(request.query, query);
    }

    #[test]
    fn bodies_are_json_or_nothing() {
        assert_eq!(Body::parse(b""), Body::Absent);
        assert_eq!(Body::parse(b"{"), Body::Malformed);
        assert_eq!(Body::parse(b"[1]"), Body::Json(json!([1])));
    }
}
