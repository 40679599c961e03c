//! A request, taken apart.

use mcpmark_service::{HttpRequest, MAX_JSON_VALUES, json_values};
use serde_json::{Map, Value};

use crate::api::{Answer, ApiError, Call, Page, decoded};
use crate::git::{Identity, ObjectId};
use crate::hub::Time;

/// A request.
pub(super) struct Asked<'a> {
    /// One of those that GitHub knows; empty for any other.
    pub(super) method: &'static str,
    /// The path without what it may begin with, percent-encoded.
    pub(super) raw_path: &'a str,
    segments: Vec<String>,
    query: Vec<(String, String)>,
    request: &'a HttpRequest,
}

/// What is left of a path that is one of the interface.
fn inside(path: &str) -> &str {
    let below = path
        .strip_prefix("/api/v3")
        .or_else(|| path.strip_prefix("/api"));
    match below {
        Some(below) if below.starts_with('/') => below,
        _ => path,
    }
}

impl<'a> Asked<'a> {
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

    /// The segments of the path, decoded.
    pub(super) fn path(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// What follows in the path after its first segments, decoded with every slash that it has.
    pub(super) fn path_after(&self, segments: usize) -> String {
        let mut rest = inside(self.raw_path);
        for _ in 0..segments {
            rest = rest.trim_start_matches('/');
            rest = rest.find('/').map_or("", |end| &rest[end..]);
        }
        decoded(rest.strip_prefix('/').unwrap_or(rest))
    }

    /// Where addresses that lead back here begin.
    pub(super) fn origin(&self) -> &str {
        &self.request.origin
    }

    /// A parameter of the query; empty where it is absent.
    pub(super) fn parameter(&self, name: &str) -> &str {
        let mut pairs = self.query.iter();
        let found = pairs.find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// The query without the page.
    pub(super) fn query_without_page(&self) -> impl Iterator<Item = &(String, String)> {
        self.query.iter().filter(|(name, _)| name != "page")
    }

    /// The page that is wanted.
    pub(super) fn page(&self) -> Page {
        self.page_of(30)
    }

    /// The page that is wanted of a list whose pages have another size where nothing is said.
    pub(super) fn page_of(&self, size: i64) -> Page {
        let number = |name: &str| self.parameter(name).parse::<i64>().unwrap_or(0);
        let asked = match number("per_page") {
            given if given > 0 => given.min(100),
            _ => size,
        };
        let size = usize::try_from(asked).unwrap_or(30);
        Page::asked(number("page"), asked).sized(size)
    }

    /// Whether the client asks for a form of its own, such as `diff` or `raw`.
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

    /// The fields of the body.
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

    /// The body where it may also be a list.
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

/// The fields of a body, refused as GitHub refuses them.
pub(super) struct Fields<'c> {
    call: &'c Call,
    map: Map<String, Value>,
}

impl Fields<'_> {
    /// A field that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field is there and null.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Value::is_null)
    }

    fn wrong(&self, name: &str, value: &Value, wanted: &str) -> ApiError {
        let problem =
            format!("Invalid request.\n\nFor 'properties/{name}', {value} is not {wanted}.");
        self.call.refuse(422, problem)
    }

    fn missing(&self, name: &str) -> ApiError {
        let problem = format!("Invalid request.\n\n\"{name}\" wasn't supplied.");
        self.call.refuse(422, problem)
    }

    /// A text, where it is there.
    pub(super) fn text(&self, name: &str) -> Answer<Option<String>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            // As lenient as GitHub is to a title that is a number.
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(self.wrong(name, other, "a string")),
        }
    }

    /// A text that null takes away.
    pub(super) fn clearable(&self, name: &str) -> Answer<Option<Option<String>>> {
        if self.is_null(name) {
            Ok(Some(None))
        } else {
            Ok(self.text(name)?.map(Some))
        }
    }

    /// A text that must be there.
    pub(super) fn needed(&self, name: &str) -> Answer<String> {
        self.text(name)?.ok_or_else(|| self.missing(name))
    }

    /// A whole number, where it is there; GitHub takes one that is written as a text.
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

    /// A truth value, where it is there.
    pub(super) fn truth(&self, name: &str) -> Answer<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong(name, other, "a boolean")),
        }
    }

    /// All fields that are there and not null.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.map.iter().filter(|(_, value)| !value.is_null())
    }

    /// A list, where it is there.
    pub(super) fn list(&self, name: &str) -> Answer<Option<&Vec<Value>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(self.wrong(name, other, "an array")),
        }
    }

    /// A list of texts, where it is there; objects with a name, as labels may be written, count as texts.
    pub(super) fn texts(&self, name: &str) -> Answer<Option<Vec<String>>> {
        let Some(list) = self.list(name)? else {
            return Ok(None);
        };
        texts(list)
            .map(Some)
            .map_err(|other| self.wrong(name, &other, "a string"))
    }

    /// Who made a commit or a tag, where that is said; `now` is the time that stands where none does.
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

/// The texts of a list; the first value that is none otherwise.
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

/// The object that a text of forty digits names.
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
        let asked = Asked::read(&request);
        assert_eq!(asked.method, "GET");
        assert_eq!(
            asked.path(),
            ["repos", "o", "r", "contents", "a b", "\u{20ac}.md"]
        );
        assert_eq!(asked.parameter("ref"), "x/y");
        assert_eq!(asked.parameter("q"), "one two");
        assert_eq!(asked.page().size, 100);
        assert!(asked.wants("raw") && !asked.wants("diff"));
    }

    #[test]
    fn what_begins_like_the_interface_is_not_taken_for_it() {
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
            assert_eq!(Asked::read(&request).path(), path, "{target}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_target_is_taken_apart(target in "[/?&=%#+:a-f0-9\u{e9}\u{20ac} ]{0,60}") {
            let request = HttpRequest {
                target: target.clone(),
                ..HttpRequest::default()
            };
            let asked = Asked::read(&request);
            // What is decoded is never longer, but for marks where bytes are no text.
            let length: usize = asked.path().iter().map(|it| it.chars().count()).sum();
            proptest::prop_assert!(length <= target.chars().count());
            let page = asked.page();
            proptest::prop_assert!(page.number >= 1 && (1..=100).contains(&page.size));
        }
    }
}
