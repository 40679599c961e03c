//! Configurations of third-party MCP servers as plain data: transport, tools, version.
//!
//! A plan of an experiment contains them. `mcpmark-external` starts the programs and makes the connections.

use std::collections::BTreeMap;

use http::HeaderName;
use mcpmark_http::Address;
use serde::{Deserialize, Serialize};

/// Headers that the transport sets.
const RESERVED: [&str; 7] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// Transport of a server, its allowed tools and its required version.
///
/// In TOML or JSON, a spec has either the key `command` (and `env`) or the key `url` (and `bearer`, `headers`,
/// `plain-http`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SpecDocument", into = "SpecDocument")]
pub struct ServerSpec {
    /// Transport of the server.
    pub transport: ServerTransport,
    /// Names of the allowed tools; empty to allow all.
    pub tools: Vec<String>,
    /// Version that the server must report, if it is pinned.
    pub version: Option<String>,
}

/// Transport to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// Standard input and output of a program.
    Program {
        /// Program and arguments. A program without a slash is looked up in the `PATH` of this process.
        command: Vec<String>,
        /// Names of the environment variables that the program gets. It gets no others, not even `PATH`.
        env: Vec<String>,
    },
    /// Streamable HTTP.
    Http(HttpServer),
}

/// Address and headers of a server on streamable HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpServer {
    url: String,
    local: bool,
    bearer: Option<String>,
    headers: BTreeMap<String, String>,
    plain_http: bool,
}

impl HttpServer {
    /// Returns the URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Reports whether the URL points to this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// Returns the environment variable with the token of the header `Authorization: Bearer`.
    pub fn bearer(&self) -> Option<&str> {
        self.bearer.as_deref()
    }

    /// Returns the other headers, each with the environment variable of its value.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, variable)| (name.as_str(), variable.as_str()))
    }
}

/// Errors of a spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSpec {
    /// Neither transport is configured.
    #[error("neither `command` nor `url` is set; one of them is required")]
    NoTransport,
    /// Both transports are configured.
    #[error("`command` and `url` exclude each other")]
    TwoTransports,
    /// A key belongs to the other transport.
    #[error("`{key}` can be used only with `{with}`")]
    Misplaced {
        /// The misplaced key.
        key: &'static str,
        /// The key of its transport.
        with: &'static str,
    },
    /// The URL is invalid.
    #[error("`url`: {0}")]
    Url(#[from] mcpmark_http::BadAddress),
    /// The connection would not be encrypted.
    #[error("`url`: the connection to {0} is not encrypted; use https, or set plain-http = true")]
    PlainHttp(String),
    /// A header name is invalid.
    #[error("`headers`: {0:?} is not a valid header name")]
    HeaderName(String),
    /// A header is set by the transport.
    #[error("`headers`: {0} is set by the protocol and cannot be configured")]
    Reserved(String),
    /// A value is not a variable name.
    // The message omits the value, because it may be a key.
    #[error(
        "`{0}` is not the name of an environment variable; write the name of a variable, not its value"
    )]
    NoVariableName(String),
}

/// Serialised form of a spec.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct SpecDocument {
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
    /// Creates a spec that allows all tools and any version.
    pub fn of(transport: ServerTransport) -> Self {
        Self {
            transport,
            tools: Vec::new(),
            version: None,
        }
    }

    /// Reports whether a tool is allowed.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|allowed| allowed == tool)
    }
}

impl TryFrom<SpecDocument> for ServerSpec {
    type Error = BadSpec;

    fn try_from(written: SpecDocument) -> Result<Self, BadSpec> {
        let misplaced = |is_there: bool, key, with| {
            if is_there {
                Err(BadSpec::Misplaced { key, with })
            } else {
                Ok(())
            }
        };
        let transport = match (written.command.is_empty(), written.url) {
            (true, None) => return Err(BadSpec::NoTransport),
            (false, Some(_)) => return Err(BadSpec::TwoTransports),
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
            transport,
            tools: written.tools,
            version: written.version,
        })
    }
}

impl From<ServerSpec> for SpecDocument {
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
    fn invalid_specs_are_rejected() {
        let url = "https://example.org/mcp";
        for (written, message) in [
            (json!({}), "neither `command` nor `url`"),
            (json!({"command": ["a"], "url": url}), "exclude each other"),
            (
                json!({"command": ["a"], "bearer": "T"}),
                "`bearer` can be used only with `url`",
            ),
            (
                json!({"command": ["a"], "headers": {"X": "T"}}),
                "`headers` can be used only with `url`",
            ),
            (
                json!({"url": url, "env": ["T"]}),
                "`env` can be used only with `command`",
            ),
            (json!({"url": "notes"}), "invalid URL \"notes\""),
            (
                json!({"url": "http://example.org/mcp"}),
                "plain-http = true",
            ),
            (
                json!({"url": url, "headers": {"a b": "T"}}),
                "not a valid header name",
            ),
            (
                json!({"url": url, "headers": {"Accept": "T"}}),
                "set by the protocol",
            ),
            (
                json!({"url": url, "bearer": "T", "headers": {"authorization": "T"}}),
                "authorization is set by the protocol",
            ),
            (
                json!({"url": url, "bearer": "sk-12.345"}),
                "`bearer` is not the name",
            ),
            (
                json!({"url": url, "headers": {"X-Key": "sk-12.345"}}),
                "`headers.X-Key` is not",
            ),
            (json!({"url": url, "token": "T"}), "unknown field `token`"),
        ] {
            let error = read(written.clone()).unwrap_err();
            assert!(error.contains(message), "{written}: {error}");
            assert!(!error.contains("sk-12"), "{error}");
        }
    }
}
