//! How a server is reached, as a configuration file writes it.

use std::collections::BTreeMap;

use http::HeaderName;
use mcpmark_http::Address;
use serde::{Deserialize, Serialize};

/// Headers that the protocol sets itself.
const RESERVED: [&str; 7] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// How a server is reached, and what is asked of it. As TOML or JSON it has either the key
/// `command` (and `env`) or the key `url` (and `bearer`, `headers`, `plain-http`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct ServerSpec {
    /// How it is reached.
    pub transport: ServerTransport,
    /// The tools that are used, by name; all if empty.
    pub tools: Vec<String>,
    /// The version that the server has to name, where it is pinned.
    pub version: Option<String>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// As a program over its standard input and output.
    Program {
        /// The program and its arguments. Without a slash the program is looked up in this
        /// process's `PATH`.
        command: Vec<String>,
        /// The names of the environment variables that it gets; no others, not even `PATH`.
        env: Vec<String>,
    },
    /// Over streamable HTTP.
    Http(HttpServer),
}

/// A server that is reached over streamable HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpServer {
    url: String,
    local: bool,
    bearer: Option<String>,
    headers: BTreeMap<String, String>,
    plain_http: bool,
}

impl HttpServer {
    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether that is this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// The variable that holds the token of its `Authorization: Bearer` header.
    pub fn bearer(&self) -> Option<&str> {
        self.bearer.as_deref()
    }

    /// Further headers, each with the variable that holds its value.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, variable)| (name.as_str(), variable.as_str()))
    }
}

/// A spec that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSpec {
    /// Nothing says how the server is reached.
    #[error("neither `command` nor `url` says how the server is reached")]
    NoReach,
    /// Two things say it.
    #[error("`command` and `url` exclude each other")]
    TwoReaches,
    /// A key belongs to the other way to reach a server.
    #[error("`{key}` goes with `{with}` alone")]
    Misplaced {
        /// The key.
        key: &'static str,
        /// What it goes with.
        with: &'static str,
    },
    /// The URL is none.
    #[error("`url`: {0}")]
    Url(#[from] mcpmark_http::BadAddress),
    /// What is sent could be read on the way.
    #[error("`url`: {0} is reached in the clear; use https, or set plain-http = true")]
    PlainHttp(String),
    /// No header has such a name.
    #[error("`headers`: {0:?} is no name of a header")]
    HeaderName(String),
    /// The protocol sets that header itself.
    #[error("`headers`: {0} is the protocol's own")]
    Reserved(String),
    /// A value stands where the name of a variable should.
    // It says not what stands there, for that may be a key.
    #[error(
        "`{0}` does not name an environment variable; write the variable's name, and not its value"
    )]
    NoVariableName(String),
}

/// A spec as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Written {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    command: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    env: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bearer: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    plain_http: bool,
    tools: Vec<String>,
    version: Option<String>,
}

impl ServerSpec {
    /// All tools of a server, of whatever version.
    pub fn of(reach: ServerTransport) -> Self {
        Self {
            transport: reach,
            tools: Vec::new(),
            version: None,
        }
    }

    /// Whether a tool is used.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|allowed| allowed == tool)
    }
}

impl TryFrom<Written> for ServerSpec {
    type Error = BadSpec;

    fn try_from(written: Written) -> Result<Self, BadSpec> {
        let misplaced = |is_there: bool, key, with| {
            if is_there {
                Err(BadSpec::Misplaced { key, with })
            } else {
                Ok(())
            }
        };
        let reach = match (written.command.is_empty(), written.url) {
            (true, None) => return Err(BadSpec::NoReach),
            (false, Some(_)) => return Err(BadSpec::TwoReaches),
            (false, None) => {
                misplaced(written.bearer.is_some(), "bearer", "url")?;
                misplaced(!written.headers.is_empty(), "headers", "url")?;
                misplaced(written.plain_http, "plain-http", "url")?;
                ServerTransport::Program {
                    command: written.command,
                    env: written.env,
                }
            }
            (true, Some(url)) => {
                misplaced(!written.env.is_empty(), "env", "command")?;
                let address = Address::parse(&url)?;
                if address.is_unencrypted() && !written.plain_http {
                    return Err(BadSpec::PlainHttp(url));
                }
                let has_bearer = written.bearer.is_some();
                if let Some(variable) = &written.bearer {
                    check_variable("bearer", variable)?;
                }
                for (name, variable) in &written.headers {
                    check_header(name, has_bearer)?;
                    check_variable(&format!("headers.{name}"), variable)?;
                }
                ServerTransport::Http(HttpServer {
                    url,
                    local: address.is_local(),
                    bearer: written.bearer,
                    headers: written.headers,
                    plain_http: written.plain_http,
                })
            }
        };
        Ok(Self {
            transport: reach,
            tools: written.tools,
            version: written.version,
        })
    }
}

impl From<ServerSpec> for Written {
    fn from(spec: ServerSpec) -> Self {
        let rest = Self {
            tools: spec.tools,
            version: spec.version,
            ..Self::default()
        };
        match spec.transport {
            ServerTransport::Program { command, env } => Self {
                command,
                env,
                ..rest
            },
            ServerTransport::Http(server) => Self {
                url: Some(server.url),
                bearer: server.bearer,
                headers: server.headers,
                plain_http: server.plain_http,
                ..rest
            },
        }
    }
}

fn check_header(name: &str, has_bearer: bool) -> Result<(), BadSpec> {
    let header = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| BadSpec::HeaderName(name.to_owned()))?;
    let reserved = RESERVED.contains(&header.as_str());
    if reserved || (has_bearer && header == http::header::AUTHORIZATION) {
        Err(BadSpec::Reserved(name.to_owned()))
    } else {
        Ok(())
    }
}

fn check_variable(key: &str, name: &str) -> Result<(), BadSpec> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(())
    } else {
        Err(BadSpec::NoVariableName(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> Result<ServerSpec, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn a_spec_comes_back_as_it_was_written() {
        for written in [
            json!({"command": ["a", "b"], "env": ["PATH"], "tools": ["x"], "version": "1"}),
            json!({
                "url": "http://10.0.0.1/mcp", "bearer": "TOKEN", "headers": {"X-Key": "KEY"},
                "plain-http": true, "tools": [], "version": null,
            }),
        ] {
            let spec = read(written.clone()).unwrap();
            assert_eq!(serde_json::to_value(&spec).unwrap(), written);
        }
    }

    #[test]
    fn unsupported_settings_are_reported() {
        let url = "https://example.org/mcp";
        for (written, message) in [
            (json!({}), "neither `command` nor `url`"),
            (json!({"command": ["a"], "url": url}), "exclude each other"),
            (
                json!({"command": ["a"], "bearer": "T"}),
                "`bearer` goes with `url`",
            ),
            (
                json!({"command": ["a"], "headers": {"X": "T"}}),
                "`headers` goes with `url`",
            ),
            (
                json!({"url": url, "env": ["T"]}),
                "`env` goes with `command`",
            ),
            (json!({"url": "notes"}), "\"notes\" is no address"),
            (
                json!({"url": "http://example.org/mcp"}),
                "plain-http = true",
            ),
            (
                json!({"url": url, "headers": {"a b": "T"}}),
                "no name of a header",
            ),
            (
                json!({"url": url, "headers": {"Accept": "T"}}),
                "the protocol's own",
            ),
            (
                json!({"url": url, "bearer": "T", "headers": {"authorization": "T"}}),
                "authorization is the protocol's own",
            ),
            (
                json!({"url": url, "bearer": "sk-12.345"}),
                "`bearer` does not name",
            ),
            (
                json!({"url": url, "headers": {"X-Key": "sk-12.345"}}),
                "`headers.X-Key` does not",
            ),
            (json!({"url": url, "token": "T"}), "unknown field `token`"),
        ] {
            let error = read(written.clone()).unwrap_err();
            assert!(error.contains(message), "{written}: {error}");
            assert!(!error.contains("sk-12"), "{error}");
        }
    }
}
