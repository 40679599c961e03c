//! Operations of the OpenAPI document of the published server, and the requests that it makes of arguments.
//!
//! Arguments that an operation does not have go into the body, or into the query if it has no body. Values of the path
//! and the query have the form that the HTTP client of the server gives them.

use serde_json::{Map, Value};

use super::javascript::double;
use super::surface::Profile;
use crate::api::{Body, Method, Request};
use crate::model::Version;

/// Tool, as a request to the API.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    name: &'static str,
    method: Method,
    /// Segments of the path. Those that begin with a colon are parameters.
    path: &'static [&'static str],
    query: &'static [&'static str],
    has_body: bool,
    version: Version,
}

const PAGING: &[&str] = &["start_cursor", "page_size"];

const fn read(
    name: &'static str,
    path: &'static [&'static str],
    query: &'static [&'static str],
) -> Operation {
    Operation {
        name,
        method: Method::Get,
        path,
        query,
        has_body: false,
        version: Version::V2022_06_28,
    }
}

const fn write(
    name: &'static str,
    method: Method,
    path: &'static [&'static str],
    query: &'static [&'static str],
) -> Operation {
    Operation {
        name,
        method,
        path,
        query,
        has_body: true,
        version: Version::V2022_06_28,
    }
}

/// Operations that both versions of the server have.
mod shared {
    use super::{Method, Operation, PAGING, read, write};

    pub(super) const USER: Operation = read("API-get-user", &["users", ":user_id"], &[]);
    pub(super) const USERS: Operation = read("API-get-users", &["users"], PAGING);
    pub(super) const SELF: Operation = read("API-get-self", &["users", "me"], &[]);
    pub(super) const SEARCH: Operation = write("API-post-search", Method::Post, &["search"], &[]);
    pub(super) const CHILDREN: Operation = read(
        "API-get-block-children",
        &["blocks", ":block_id", "children"],
        PAGING,
    );
    pub(super) const APPEND: Operation = write(
        "API-patch-block-children",
        Method::Patch,
        &["blocks", ":block_id", "children"],
        &[],
    );
    pub(super) const BLOCK: Operation = read("API-retrieve-a-block", &["blocks", ":block_id"], &[]);
    pub(super) const UPDATE_BLOCK: Operation = write(
        "API-update-a-block",
        Method::Patch,
        &["blocks", ":block_id"],
        &[],
    );
    pub(super) const DELETE_BLOCK: Operation = Operation {
        method: Method::Delete,
        ..read("API-delete-a-block", &["blocks", ":block_id"], &[])
    };
    pub(super) const PAGE: Operation = read(
        "API-retrieve-a-page",
        &["pages", ":page_id"],
        &["filter_properties"],
    );
    pub(super) const UPDATE_PAGE: Operation =
        write("API-patch-page", Method::Patch, &["pages", ":page_id"], &[]);
    pub(super) const CREATE_PAGE: Operation = write("API-post-page", Method::Post, &["pages"], &[]);
    pub(super) const DATABASE: Operation = read(
        "API-retrieve-a-database",
        &["databases", ":database_id"],
        &[],
    );
    pub(super) const ITEM: Operation = read(
        "API-retrieve-a-page-property",
        &["pages", ":page_id", "properties", ":property_id"],
        PAGING,
    );
    pub(super) const COMMENTS: Operation = read(
        "API-retrieve-a-comment",
        &["comments"],
        &["block_id", "start_cursor", "page_size"],
    );
    pub(super) const CREATE_COMMENT: Operation =
        write("API-create-a-comment", Method::Post, &["comments"], &[]);
}

/// Operations of version 1.9.1 in the order of the document.
const OPERATIONS_1_9_1: &[Operation] = &[
    shared::USER,
    shared::USERS,
    shared::SELF,
    write(
        "API-post-database-query",
        Method::Post,
        &["databases", ":database_id", "query"],
        &["filter_properties"],
    ),
    shared::SEARCH,
    shared::CHILDREN,
    shared::APPEND,
    shared::BLOCK,
    shared::UPDATE_BLOCK,
    shared::DELETE_BLOCK,
    shared::PAGE,
    shared::UPDATE_PAGE,
    shared::CREATE_PAGE,
    write("API-create-a-database", Method::Post, &["databases"], &[]),
    write(
        "API-update-a-database",
        Method::Patch,
        &["databases", ":database_id"],
        &[],
    ),
    shared::DATABASE,
    shared::ITEM,
    shared::COMMENTS,
    shared::CREATE_COMMENT,
];

/// Operations of version 2.5.2 in the order of the document. The server sends no version with the creation of a comment
/// unless it is configured with one; here it is that of the other operations.
const OPERATIONS_2_5_2: &[Operation] = &[
    shared::USER.later(),
    shared::USERS.later(),
    shared::SELF.later(),
    shared::SEARCH.later(),
    shared::CHILDREN.later(),
    shared::APPEND.later(),
    shared::BLOCK.later(),
    shared::UPDATE_BLOCK.later(),
    shared::DELETE_BLOCK.later(),
    shared::PAGE.later(),
    shared::UPDATE_PAGE.later(),
    shared::CREATE_PAGE.later(),
    shared::ITEM.later(),
    shared::COMMENTS.later(),
    shared::CREATE_COMMENT.later(),
    write(
        "API-query-data-source",
        Method::Post,
        &["data_sources", ":data_source_id", "query"],
        &["filter_properties"],
    )
    .later(),
    read(
        "API-retrieve-a-data-source",
        &["data_sources", ":data_source_id"],
        &[],
    )
    .later(),
    write(
        "API-update-a-data-source",
        Method::Patch,
        &["data_sources", ":data_source_id"],
        &[],
    )
    .later(),
    write(
        "API-create-a-data-source",
        Method::Post,
        &["data_sources"],
        &[],
    )
    .later(),
    read(
        "API-list-data-source-templates",
        &["data_sources", ":data_source_id", "templates"],
        PAGING,
    )
    .later(),
    shared::DATABASE.later(),
    write(
        "API-move-page",
        Method::Post,
        &["pages", ":page_id", "move"],
        &[],
    )
    .later(),
    Operation {
        version: Version::V2026_03_11,
        ..read(
            "API-retrieve-page-markdown",
            &["pages", ":page_id", "markdown"],
            &["include_transcript"],
        )
    },
    Operation {
        version: Version::V2026_03_11,
        ..write(
            "API-update-page-markdown",
            Method::Patch,
            &["pages", ":page_id", "markdown"],
            &[],
        )
    },
];

impl Operation {
    /// Returns the operation with the version of the API that version 2.5.2 of the server names for most of them.
    const fn later(self) -> Self {
        Self {
            version: Version::V2025_09_03,
            ..self
        }
    }

    /// Returns the operations of a version of the server.
    fn all(profile: Profile) -> &'static [Self] {
        match profile {
            Profile::V1_9_1 => OPERATIONS_1_9_1,
            Profile::V2_5_2 => OPERATIONS_2_5_2,
        }
    }

    /// Returns the operation of a tool.
    pub(super) fn find(profile: Profile, tool: &str) -> Option<&'static Self> {
        Self::all(profile)
            .iter()
            .find(|operation| operation.name == tool)
    }

    /// Returns the request of a call.
    pub(super) fn request(&self, arguments: &Value) -> Request {
        let empty = Map::new();
        let arguments = arguments.as_object().unwrap_or(&empty);
        let mut path = vec!["v1".to_owned()];
        for (at, segment) in self.path.iter().enumerate() {
            let is_last = at + 1 == self.path.len();
            match segment.strip_prefix(':') {
                Some(name) => {
                    let value = arguments.get(name).map_or("undefined".to_owned(), text);
                    step(&mut path, value, is_last);
                }
                None => path.push((*segment).to_owned()),
            }
        }
        let is_in_path = |key: &str| self.path.iter().any(|it| it.strip_prefix(':') == Some(key));
        let mut pairs = Vec::new();
        let mut body = Map::new();
        for (key, value) in arguments.iter().filter(|(key, _)| !is_in_path(key)) {
            if !self.has_body || self.query.contains(&key.as_str()) {
                parameter(key, value, &mut pairs);
            } else {
                body.insert(key.clone(), value.clone());
            }
        }
        let body = if body.is_empty() {
            Body::Absent
        } else {
            Body::Json(Value::Object(body))
        };
        Request::of_parts(self.method, path, pairs, body).at_version(self.version)
    }
}

/// Adds a segment to a path as a URL does: `.` and `..` are steps.
fn step(path: &mut Vec<String>, segment: String, is_last: bool) {
    match segment.as_str() {
        "." | ".." => {
            if segment == ".." {
                path.pop();
            }
            if is_last {
                path.push(String::new());
            }
        }
        _ => path.push(segment),
    }
}

/// Returns a value as JavaScript converts it to a string.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.to_string(),
            None => double(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let item = |item: &Value| {
                if item.is_null() {
                    String::new()
                } else {
                    text(item)
                }
            };
            items.iter().map(item).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}

/// Adds the pairs of a parameter of the query. Arrays and objects are spread over several pairs, and `null` is left
/// out.
fn parameter(key: &str, value: &Value, pairs: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) if !items.iter().any(|it| it.is_array() || it.is_object()) => {
            for item in items.iter().filter(|item| !item.is_null()) {
                pairs.push((format!("{key}[]"), text(item)));
            }
        }
        value => nested(key, value, pairs),
    }
}

fn nested(key: &str, value: &Value, pairs: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                nested(&format!("{key}[{at}]"), item, pairs);
            }
        }
        Value::Object(object) => {
            for (name, item) in object {
                nested(&format!("{key}[{name}]"), item, pairs);
            }
        }
        scalar => pairs.push((key.to_owned(), text(scalar))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(tool: &str, arguments: &Value) -> Request {
        Operation::find(Profile::V1_9_1, tool)
            .unwrap()
            .request(arguments)
    }

    #[test]
    fn arguments_become_paths_queries_and_bodies() {
        let query = request(
            "API-post-database-query",
            &json!({"database_id": 5, "filter_properties": ["a", "b"], "filter": null}),
        );
        assert_eq!(query.path, ["v1", "databases", "5", "query"]);
        assert_eq!(query.query, json!({"filter_properties": ["a", "b"]}));
        assert_eq!(query.body, Body::Json(json!({"filter": null})));
        let users = request(
            "API-get-users",
            &json!({"page_size": 5, "start_cursor": null, "e": [1, "b", null], "o": {"a": 1, "b": [2]}}),
        );
        let expected = json!({"page_size": "5", "e": ["1", "b"], "o[a]": "1", "o[b][0]": "2"});
        assert_eq!((users.query, users.body), (expected, Body::Absent));
        assert_eq!(
            request("API-get-user", &json!({})).path,
            ["v1", "users", "undefined"]
        );
        let upwards = json!({"page_id": "p", "property_id": ".."});
        assert_eq!(
            request("API-retrieve-a-page-property", &upwards).path,
            ["v1", "pages", "p", ""]
        );
    }

    #[test]
    fn every_tool_of_the_surface_has_an_operation() {
        for profile in [Profile::V1_9_1, Profile::V2_5_2] {
            let surface = profile.surface().unwrap();
            let operations = Operation::all(profile).iter();
            let operations: Vec<String> = operations.map(|it| it.name.to_owned()).collect();
            assert_eq!(surface.names(), operations);
        }
    }
}
