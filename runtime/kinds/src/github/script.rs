//! HTTP API of the github service for verifier scripts.
//!
//! A script that imports `requests` sends requests to `https://api.github.com`. They are answered from a copy of the
//! final state. Changes that the script makes there are visible only to the script and are discarded when it ends. The
//! state itself never changes, and the verdict depends on nothing else. Other hosts are not available.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mcpmark_github::archive::Archive;
use mcpmark_github::ci::{CiError, RunnerError};
use mcpmark_github::rest::{Rest, RestError};
use mcpmark_github::world::repository_of;
use mcpmark_sandbox::{FaultKind, ScriptServices, ScriptSession, ServiceAnswer};
use mcpmark_service::HttpRequest;
use mcpmark_snapshot::{Snapshot, scratch_parent};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::workflows::WorkflowGuest;
use crate::invocation::{NO_SECRET, variables};

/// Emulated hosts, each with the prefix of its paths in the API of the service.
const HOSTS: [(&str, &str); 2] = [
    ("https://api.github.com", ""),
    ("https://raw.githubusercontent.com", "/raw"),
];

/// Repository of a final state that scripts can query.
#[derive(Debug, Clone)]
pub(crate) struct RepositoryServices {
    state: Snapshot,
    clock: i64,
    /// Runner of the workflows that writes of a script trigger.
    workflows: Option<WorkflowGuest>,
    scratch: PathBuf,
}

impl RepositoryServices {
    /// Creates the services of a final state. Returns `None` if the state does not contain a repository.
    pub(crate) fn of(
        state: &Snapshot,
        clock: i64,
        workflows: Option<&WorkflowGuest>,
    ) -> Option<Self> {
        Archive::find(&state.tree)?;
        Some(Self {
            state: state.clone(),
            clock,
            workflows: workflows.cloned(),
            scratch: scratch_parent(None),
        })
    }

    /// Returns the variables with the owner of the repository and with a placeholder token, which scripts require but
    /// which is never sent anywhere.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let mut variables = variables(&[("MCP_GITHUB_TOKEN", NO_SECRET)]);
        // If the state cannot be read, the first request returns the error.
        if let Ok(repository) = repository_of(&self.state.tree, &*self.state.blobs) {
            variables.push(("GITHUB_EVAL_ORG".to_owned(), repository.owner));
        }
        variables
    }
}

impl ScriptServices for RepositoryServices {
    fn open(&self) -> Box<dyn ScriptSession> {
        let (tree, blobs) = (&self.state.tree, &self.state.blobs);
        let rest = Rest::open(tree, &**blobs, &self.scratch, self.clock);
        let rest = rest.map(|rest| match &self.workflows {
            Some(guest) => rest.with_runner(Arc::new(guest.of_script())),
            None => rest,
        });
        Box::new(Asking(rest.map_err(|error| error.to_string())))
    }
}

/// Session of one script run: the API of the repository, or the error of opening it.
struct Asking(Result<Rest, String>);

/// Request in the form that the shim of `requests` sends.
#[derive(Deserialize)]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    body: Option<String>,
    /// Body in Base64, if it is not text.
    #[serde(default)]
    base64: Option<String>,
}

impl ScriptSession for Asking {
    fn call(&mut self, service: &str, request: &str, now: i64) -> ServiceAnswer {
        if service != "http" {
            return ServiceAnswer::Absent;
        }
        let rest = match &mut self.0 {
            Ok(rest) => rest,
            Err(problem) => return ServiceAnswer::Broken(problem.clone()),
        };
        let request = match serde_json::from_str::<Request>(request) {
            Ok(request) => request,
            Err(error) => {
                return ServiceAnswer::Error(format!("expected an HTTP request in JSON: {error}"));
            }
        };
        let Some((origin, target)) = known(&request.url) else {
            let host = request.url.split('/').take(3).collect::<Vec<_>>().join("/");
            return ServiceAnswer::Error(format!(
                "{host:?} cannot be reached from here: a verifier asks the final state alone, at {}",
                HOSTS[0].0
            ));
        };
        let body = match &request.base64 {
            Some(text) => BASE64.decode(text),
            None => Ok(request.body.unwrap_or_default().into_bytes()),
        };
        let Ok(body) = body else {
            return ServiceAnswer::Error("expected a body in Base64, found other text".to_owned());
        };
        let header = |wanted: &str| {
            let mut headers = request.headers.iter();
            let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found
                .and_then(|(_, value)| value.as_str())
                .unwrap_or_default()
        };
        let (accept, if_none_match) = (header("accept"), header("if-none-match"));
        let (accept, if_none_match) = (accept.to_owned(), if_none_match.to_owned());
        let request = HttpRequest {
            method: request.method,
            target,
            origin: origin.to_owned(),
            accept,
            if_none_match,
            body,
            ..HttpRequest::default()
        };
        match rest.answer(&request, now) {
            Err(error) => refused(&error),
            Ok(response) => {
                let headers = response.headers.into_iter();
                let headers: Map<String, Value> = headers
                    .map(|(name, value)| (name.to_owned(), value.into()))
                    .collect();
                let mut answer = json!({"status": response.status, "headers": headers});
                // Older interpreters, which bundles may contain, read only `body`.
                answer["body"] = String::from_utf8_lossy(&response.body).into();
                if std::str::from_utf8(&response.body).is_err() {
                    answer["base64"] = BASE64.encode(&response.body).into();
                }
                ServiceAnswer::Answer(answer.to_string())
            }
        }
    }
}

/// Converts an error of the API into the effect on the script: exhausted resources, or a broken service.
fn refused(error: &RestError) -> ServiceAnswer {
    let kind = match error {
        RestError::Full => FaultKind::Memory,
        RestError::Failed(CiError::Runner(RunnerError::Spent(_))) => FaultKind::Fuel,
        RestError::Failed(error) => return ServiceAnswer::Broken(error.to_string()),
    };
    ServiceAnswer::Exhausted {
        kind,
        message: error.to_string(),
    }
}

/// Returns the emulated host of a URL and the path in the API, or `None` if the host is not emulated.
fn known(url: &str) -> Option<(&'static str, String)> {
    HOSTS.iter().find_map(|(host, below)| {
        let path = url.strip_prefix(host)?;
        let own = path.is_empty() || path.starts_with(['/', '?']);
        own.then(|| (*host, format!("{below}{path}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hosts_of_the_service_are_known() {
        assert_eq!(
            known("https://api.github.com/repos/o/r?x=a b"),
            Some(("https://api.github.com", "/repos/o/r?x=a b".to_owned()))
        );
        assert_eq!(
            known("https://raw.githubusercontent.com/o/r/main/a").map(|it| it.1),
            Some("/raw/o/r/main/a".to_owned())
        );
        for other in [
            "http://api.github.com/user",
            "https://api.github.com.example.org/user",
            "https://api.github.com@example.org/",
            "https://example.org/",
            "/etc/passwd",
        ] {
            assert_eq!(known(other), None, "{other}");
        }
    }
}
