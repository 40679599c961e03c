//! Parsed REST request: path, query and body.

use std::fmt::Display;

use mcpmark_service::{HttpRequest, MAX_JSON_VALUES, json_values};
use serde_json::{Map, Value};

use crate::api::{Answer, ApiError, Call, Page, decoded};
use crate::git::{Identity, ObjectId};
use crate::hub::Time;

/// Parsed REST request.
pub(super) struct Request<'a> {
    /// HTTP method, `GET` for `HEAD`. Empty if GitHub does not use the method.
    pub(super) method: &'static str,
    /// Path without the query, percent-encoded.
    pub(super) raw_path: &'a str,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    request: &'a HttpRequest,
}

/// Removes the prefix `/api/v3` or `/api` from a path.
fn inside(path: &str) -> &str {
    let below = path
        .strip_prefix("/api/v3")
        .or_else(|| path.strip_prefix("/api"));
    match below {
        Some(below) if below.starts_with('/') => below,
        _ => path,
    }
}

impl<'a> Request<'a> {
    pub(super) fn read(request: &'a HttpRequest) -> Self {
        let target = request.target.split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let segments = inside(path).split('/').filter(|it| !it.is_empty());
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = |text: &str| decoded(&text.replace('+', " "));
            (plain(name), plain(value))
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        Self {
            method: match request.method.as_str() {
                "GET" | "HEAD" => "GET",
                "POST" => "POST",
                "PUT" => "PUT",
                "PATCH" => "PATCH",
                "DELETE" => "DELETE",
                _ => "",
            },
            raw_path: path,
            segments: segments.map(decoded).collect(),
            query: pairs.map(pair).collect(),
            request,
        }
    }

    /// Decoded segments of the path.
    pub(super) fn path(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// Returns the rest of the path after the given number of segments, decoded, with all of its slashes.
    pub(super) fn path_after(&self, segments: usize) -> String {
        let mut rest = inside(self.raw_path);
        for _ in 0..segments {
            rest = rest.trim_start_matches('/');
            rest = rest.find('/').map_or("", |end| &rest[end..]);
        }
        decoded(rest.strip_prefix('/').unwrap_or(rest))
    }

    /// Origin of URLs to this server.
    pub(super) fn origin(&self) -> &str {
        &self.request.origin
    }

    /// Parameter of the query. Empty if it is absent.
    pub(super) fn parameter(&self, name: &str) -> &str {
        let mut pairs = self.query.iter();
        let found = pairs.find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// Parameters of the query, except for `page`.
    pub(super) fn query_without_page(&self) -> impl Iterator<Item = &(String, String)> {
        self.query.iter().filter(|(name, _)| name != "page")
    }

    /// Requested page, with a default size of 30.
    pub(super) fn page(&self) -> Page {
        self.page_of(30)
    }

    /// Requested page, with another default size.
    pub(super) fn page_of(&self, size: i64) -> Page {
        let number = |name: &str| self.parameter(name).parse::<i64>().unwrap_or(0);
        let per_page = match number("per_page") {
            given if given > 0 => given.min(100),
            _ => size,
        };
        let size = usize::try_from(per_page).unwrap_or(30);
        Page::asked(number("page"), per_page).sized(size)
    }

    /// Returns true if the header `Accept` requests a media type of GitHub such as `diff` or `raw`.
    pub(super) fn wants(&self, form: &str) -> bool {
        let types = self.request.accept.split(',');
        types
            .map(|it| it.split(';').next().unwrap_or_default().trim())
            .filter_map(|it| it.strip_prefix("application/vnd.github."))
            .any(|it| {
                let it = it.strip_prefix("v3.").unwrap_or(it);
                it.split('+').next() == Some(form)
            })
    }

    /// Parses the body as an object. An empty body is an empty object.
    pub(super) fn fields<'c>(&self, call: &'c Call) -> Answer<Fields<'c>> {
        let body = &self.request.body;
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Fields {
                call,
                map: Map::new(),
            });
        }
        match self.body(call)? {
            Value::Object(map) => Ok(Fields { call, map }),
            _ => Err(call.refuse(400, "Body should be a JSON object")),
        }
    }

    /// Parses the body, which can also be a list.
    pub(super) fn body(&self, call: &Call) -> Answer<Value> {
        let body = &self.request.body;
        let values = json_values(body);
        if values > MAX_JSON_VALUES {
            let problem =
                format!("The body has {values} JSON values, and may have {MAX_JSON_VALUES}");
            return Err(call.refuse(413, problem));
        }
        serde_json::from_slice(body).map_err(|_| call.refuse(400, "Problems parsing JSON"))
    }
}

/// Fields of a request body. Invalid values result in GitHub's errors.
pub(super) struct Fields<'c> {
    call: &'c Call,
    map: Map<String, Value>,
}

impl Fields<'_> {
    /// Returns a field unless it is absent or null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Returns true if a field is present and null.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Value::is_null)
    }

    fn wrong(&self, name: &str, value: &Value, wanted: &str) -> ApiError {
        let problem =
            format!("Invalid request.\n\nFor 'properties/{name}', {value} is not {wanted}.");
        self.call.refuse(422, problem)
    }

    fn missing(&self, name: &str) -> ApiError {
        missing(self.call, name)
    }

    /// Reads an optional string.
    pub(super) fn text(&self, name: &str) -> Answer<Option<String>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            // GitHub accepts a number as a title, too.
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong(name, other, "a string")),
        }
    }

    /// Reads an optional string that null clears.
    pub(super) fn clearable(&self, name: &str) -> Answer<Option<Option<String>>> {
        if self.is_null(name) {
            Ok(Some(None))
        } else {
            Ok(self.text(name)?.map(Some))
        }
    }

    /// Reads a required string.
    pub(super) fn needed(&self, name: &str) -> Answer<String> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// Reads an optional integer. Like GitHub, accepts one in a string.
    pub(super) fn number(&self, name: &str) -> Answer<Option<u64>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value
            .as_u64()
            .or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(name, value, "an integer")),
        }
    }

    /// Reads a required integer.
    pub(super) fn needed_number(&self, name: &str) -> Answer<u64> {
        self.number(name)?.ok_or_else(|| self.missing(name))
    }

    /// Reads an optional boolean.
    pub(super) fn truth(&self, name: &str) -> Answer<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong(name, other, "a boolean")),
        }
    }

    /// Returns all fields that are not null.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.map.iter().filter(|(_, value)| !value.is_null())
    }

    /// Reads an optional list.
    pub(super) fn list(&self, name: &str) -> Answer<Option<&Vec<Value>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(self.wrong(name, other, "an array")),
        }
    }

    /// Reads an optional list of strings. An object with a name counts as a string, because labels can be given as
    /// objects.
    pub(super) fn texts(&self, name: &str) -> Answer<Option<Vec<String>>> {
        let Some(list) = self.list(name)? else {
            return Ok(None);
        };
        texts(list)
            .map(Some)
            .map_err(|other| self.wrong(name, &other, "a string"))
    }

    /// Reads the optional author, committer or tagger of an object. Its date defaults to `now`.
    pub(super) fn identity(&self, name: &str, now: Time) -> Answer<Option<Identity>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let part = |key: &str| value[key].as_str().map(str::to_owned);
        let needed = |key: &str| part(key).ok_or_else(|| self.missing(&format!("{name}.{key}")));
        let (who, email) = (needed("name")?, needed("email")?);
        let seconds = match part("date") {
            None => now.0,
            Some(date) => match Time::parse(&date) {
                Some(time) => time.0,
                None => return Err(self.wrong(&format!("{name}/date"), &value["date"], "a date")),
            },
        };
        Ok(Some(Identity {
            name: who,
            email,
            seconds,
            offset: 0,
        }))
    }
}

/// Error response to a request without a required field.
pub(super) fn missing(call: &Call, name: &str) -> ApiError {
    call.refuse(
        422,
        format!("Invalid request.\n\n\"{name}\" wasn't supplied."),
    )
}

/// Error response to a value that is not one of the accepted ones. `quoted` is the value in quotation marks.
pub(super) fn not_a_member(call: &Call, quoted: impl Display, accepted: &[&str]) -> ApiError {
    let accepted = accepted.join("\", \"");
    call.refuse(
        422,
        format!("Invalid request.\n\n{quoted} is not a member of [\"{accepted}\"]."),
    )
}

/// Converts a list to strings. Returns the first value that cannot be converted as the error.
pub(super) fn texts(list: &[Value]) -> Result<Vec<String>, Value> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        other => match other["name"].as_str() {
            Some(name) => Ok(name.to_owned()),
            None => Err(other.clone()),
        },
    };
    list.iter().map(text).collect()
}

/// Parses an object id of forty hexadecimal digits.
pub(super) fn object(text: &str) -> Option<ObjectId> {
    ObjectId::from_hex(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_apart() {
        let request = HttpRequest {
            method: "HEAD".to_owned(),
            target:
                "/api/v3/repos/o/r/contents/a%20b/%E2%82%AC.md?ref=x%2Fy&q=one+two&per_page=500"
                    .to_owned(),
            accept: "application/vnd.github.v3.raw+json, */*".to_owned(),
            ..HttpRequest::default()
        };
        let parsed = Request::read(&request);
        assert_eq!(parsed.method, "GET");
        assert_eq!(
            parsed.path(),
            ["repos", "o", "r", "contents", "a b", "\u{20ac}.md"]
        );
        assert_eq!(parsed.parameter("ref"), "x/y");
        assert_eq!(parsed.parameter("q"), "one two");
        assert_eq!(parsed.page().size, 100);
        assert!(parsed.wants("raw") && !parsed.wants("diff"));
    }

    #[test]
    fn a_path_that_begins_like_the_interface_is_not_taken_for_it() {
        for (target, path) in [
            ("/api/graphql", vec!["graphql"]),
            ("/apiary/x", vec!["apiary", "x"]),
            ("/api/v3", vec!["api", "v3"]),
            ("/user", vec!["user"]),
            ("/%zz/%4", vec!["%zz", "%4"]),
            ("/%ff", vec!["\u{fffd}"]),
        ] {
            let request = HttpRequest {
                target: target.to_owned(),
                ..HttpRequest::default()
            };
            assert_eq!(Request::read(&request).path(), path, "{target}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_target_is_taken_apart(target in "[/?&=%#+:a-f0-9\u{e9}\u{20ac} ]{0,60}") {
            let request = HttpRequest {
                target: target.clone(),
                ..HttpRequest::default()
            };
            let parsed = Request::read(&request);
            // Decoding never adds characters, because an invalid byte becomes at most one replacement character.
            let length: usize = parsed.path().iter().map(|it| it.chars().count()).sum();
            proptest::prop_assert!(length <= target.chars().count());
            let page = parsed.page();
            proptest::prop_assert!(page.number >= 1 && (1..=100).contains(&page.size));
        }
    }
}
