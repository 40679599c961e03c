//! HTTP API of the notion service for verifier scripts.
//!
//! A script that imports `notion_client` sends requests, which are answered from a copy of the final state. Changes that
//! the script makes there are visible only to the script and are discarded when it ends.

use std::sync::Arc;

use mcpmark_notion::api::{Body, Engine, Method, Request};
use mcpmark_notion::tools::Tools;
use mcpmark_notion::world::{self, Opening};
use mcpmark_sandbox::{ScriptServices, ScriptSession, ServiceAnswer};
use mcpmark_service::SessionLimits;
use mcpmark_snapshot::{Blobs, Snapshot};
use serde::Deserialize;
use serde_json::Value;

/// Workspace of a final state that scripts can query.
#[derive(Debug, Clone)]
pub(super) struct WorkspaceServices {
    state: Snapshot,
    clock: i64,
}

impl WorkspaceServices {
    /// Creates the services of a final state.
    pub(super) fn new(state: &Snapshot, clock: i64) -> Self {
        Self {
            state: state.clone(),
            clock,
        }
    }

    fn tools(&self) -> Result<Tools, String> {
        let blobs: Arc<dyn Blobs> = self.state.blobs.clone();
        let opening = Opening {
            seed: 0,
            clock: self.clock,
        };
        let workspace = world::read(&self.state.tree, &blobs, opening);
        let workspace = workspace.map_err(|error| error.to_string())?;
        let bytes = self.state.tree.total_size();
        let limit = SessionLimits::default().max_bytes;
        Ok(Tools::new(Engine::new(workspace), bytes, limit))
    }
}

impl ScriptServices for WorkspaceServices {
    fn open(&self) -> Box<dyn ScriptSession> {
        Box::new(Asking(self.tools()))
    }
}

/// Session of one script run: the API of the workspace, or the error of opening it.
struct Asking(Result<Tools, String>);

/// Request in the form that the shim of `notion_client` sends.
#[derive(Deserialize)]
struct Call {
    method: String,
    /// Path below `/v1/`, with the query.
    path: String,
    #[serde(default)]
    body: Option<Value>,
}

impl ScriptSession for Asking {
    fn call(&mut self, service: &str, request: &str, _now: i64) -> ServiceAnswer {
        if service != mcpmark_notion::NAME {
            return ServiceAnswer::Absent;
        }
        let tools = match &mut self.0 {
            Ok(tools) => tools,
            Err(problem) => return ServiceAnswer::Broken(problem.clone()),
        };
        let call = match serde_json::from_str::<Call>(request) {
            Ok(call) => call,
            Err(error) => {
                return ServiceAnswer::Broken(format!(
                    "the request of `notion_client` is invalid: {error}"
                ));
            }
        };
        let target = format!("/v1/{}", call.path);
        let response = match Method::parse(&call.method) {
            Some(method) => {
                let body = call.body.map_or(Body::Absent, Body::Json);
                tools.request(&Request::new(method, &target, body))
            }
            None => tools.unknown_method(),
        };
        let body = response.body.to_string();
        match response.status {
            200 => ServiceAnswer::Answer(body),
            _ => ServiceAnswer::Error(body),
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::Store;
    use serde_json::json;

    use super::*;
    use crate::ServiceKind as _;
    use crate::notion::NotionKind;
    use crate::notion::mutants::tests::state;

    const PAGE: &str = "00000000-0000-4000-8000-000000000001";

    fn backend(home: &std::path::Path) -> Arc<dyn ScriptServices> {
        let store = Store::open(home).unwrap();
        let tree = state(&store, "Plan", "Meet at 3 pm.");
        let state = Snapshot {
            tree,
            blobs: Arc::new(store),
        };
        let backend = NotionKind.script_backend(&state, 0, &crate::WorldGuests::default());
        backend.unwrap().services
    }

    fn ask(session: &mut dyn ScriptSession, request: Value) -> (bool, Value) {
        match session.call("notion", &request.to_string(), 0) {
            ServiceAnswer::Answer(body) => (true, serde_json::from_str(&body).unwrap()),
            ServiceAnswer::Error(body) => (false, serde_json::from_str(&body).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scripts_query_the_final_state() {
        let home = tempfile::tempdir().unwrap();
        let mut session = backend(home.path()).open();
        let path = format!("blocks/{PAGE}/children?page_size=100");
        let (ok, found) = ask(&mut *session, json!({"method": "GET", "path": path}));
        assert!(ok, "{found}");
        let text = "/results/0/paragraph/rich_text/0/plain_text";
        assert_eq!(found.pointer(text), Some(&json!("Meet at 3 pm.")));
        let search = json!({"method": "POST", "path": "search", "body": {"query": "plan"}});
        let (ok, found) = ask(&mut *session, search);
        assert!(ok, "{found}");
        assert_eq!(found["results"][0]["id"], PAGE);
    }

    #[test]
    fn refused_requests_give_the_error_object_of_the_api() {
        let home = tempfile::tempdir().unwrap();
        let mut session = backend(home.path()).open();
        let path = "pages/00000000-0000-4000-8000-0000000000ff";
        let (ok, error) = ask(&mut *session, json!({"method": "GET", "path": path}));
        assert_eq!((ok, &error["status"]), (false, &json!(404)));
        assert_eq!(error["code"], "object_not_found");
        let (ok, error) = ask(&mut *session, json!({"method": "TRACE", "path": "users"}));
        assert_eq!((ok, &error["code"]), (false, &json!("invalid_request_url")));
        assert!(matches!(
            session.call("http", "{}", 0),
            ServiceAnswer::Absent
        ));
    }

    #[test]
    fn changes_of_a_script_end_with_its_session() {
        let home = tempfile::tempdir().unwrap();
        let services = backend(home.path());
        let trash = json!({
            "method": "DELETE",
            "path": "blocks/00000000-0000-4000-8000-000000000003",
        });
        let read = json!({"method": "GET", "path": format!("blocks/{PAGE}/children")});
        let mut session = services.open();
        let (ok, answer) = ask(&mut *session, trash);
        assert!(ok, "{answer}");
        let (_, listed) = ask(&mut *session, read.clone());
        assert_eq!(listed["results"], json!([]));
        let (_, listed) = ask(&mut *services.open(), read);
        assert_eq!(listed["results"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn states_without_a_workspace_have_no_backend() {
        let home = tempfile::tempdir().unwrap();
        let state = Snapshot::of_directory(home.path()).unwrap();
        let guests = crate::WorldGuests::default();
        assert!(NotionKind.script_backend(&state, 0, &guests).is_none());
    }
}
