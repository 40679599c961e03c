//! Tools of the published server, which are passed through.

use std::time::Duration;

use mcpmark_service::{
    CallError, JsonObject, Tool, ToolClient, ToolHandler, ToolOutput, cancelled,
};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::browser::{Browser, BrowserError, SERVER_VERSION, Settings};
use crate::sites::Sites;

/// Tools of the published server: names, schemas and hints, without descriptions.
const SURFACE: &str = include_str!("../surface/0.0.68.json");

/// Profiles of the service.
pub(crate) const PROFILES: &[&str] = &[SERVER_VERSION];

/// Tools that run code outside of pages, or programs. They are neither listed nor callable.
const EXCLUDED: [&str; 2] = ["browser_install", "browser_run_code"];

/// Time limit of a call. The caller has its own, which is shorter.
const CALL_LIMIT: Duration = Duration::from_secs(3600);
/// Time limit of the call that shows whether a server still works, and of reading the address at the end.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// Returns the names of the listed tools.
pub(crate) fn names() -> Vec<String> {
    let pinned: Vec<Value> = serde_json::from_str(SURFACE).unwrap_or_default();
    let names = pinned.iter().filter_map(|tool| tool["name"].as_str());
    names
        .filter(|name| is_listed(name))
        .map(str::to_owned)
        .collect()
}

fn is_listed(name: &str) -> bool {
    !EXCLUDED.contains(&name)
}

/// Compares the tools of a server with the pinned list. Returns the tools that a session lists.
pub(crate) fn check(found: &[Tool]) -> Result<Vec<Tool>, BrowserError> {
    let pinned: Vec<Value> =
        serde_json::from_str(SURFACE).map_err(|error| BrowserError::Tools(error.to_string()))?;
    let found_forms: Vec<Value> = found.iter().map(form).collect();
    if found_forms.len() != pinned.len() {
        let (found, expected) = (found_forms.len(), pinned.len());
        return Err(BrowserError::Tools(format!(
            "it has {found} tools, expected {expected}"
        )));
    }
    let differing = pinned.iter().zip(&found_forms).find(|(a, b)| a != b);
    if let Some((expected, found)) = differing {
        let (expected, found) = (&expected["name"], &found["name"]);
        return Err(BrowserError::Tools(format!(
            "expected the pinned form of {expected}, found {found} or another schema"
        )));
    }
    let listed = found.iter().filter(|tool| is_listed(&tool.name));
    Ok(listed.cloned().collect())
}

/// Returns the pinned form of a tool.
fn form(tool: &Tool) -> Value {
    let mut form = serde_json::to_value(tool).unwrap_or_default();
    without_prose(&mut form);
    form
}

/// Removes texts for the model.
fn without_prose(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, value| {
                let is_prose = matches!(key.as_str(), "description" | "title" | "$schema");
                !(is_prose && value.is_string())
            });
            object.values_mut().for_each(without_prose);
        }
        Value::Array(values) => values.iter_mut().for_each(without_prose),
        _ => {}
    }
}

/// The tools of a session. A server that is lost is replaced by a new one.
pub(crate) struct BrowserTools {
    /// `None` if the server is lost and could not be replaced. The client comes first, so that it is dropped first.
    running: Option<(ToolClient, Browser)>,
    settings: Settings,
    sites: Sites,
    runtime: Handle,
    /// Whether a call was given up, so that the server may not respond.
    is_suspect: bool,
    /// Whether a page may be open.
    has_acted: bool,
}

/// Failure of the server between calls.
enum Lost {
    Replaced,
    Gone(BrowserError),
}

impl BrowserTools {
    /// Creates the tools on a running server.
    pub(crate) fn new(
        browser: Browser,
        client: ToolClient,
        settings: Settings,
        sites: Sites,
        runtime: Handle,
    ) -> Self {
        Self {
            running: Some((client, browser)),
            settings,
            sites,
            runtime,
            is_suspect: false,
            has_acted: false,
        }
    }

    /// Replaces the server, because it does not respond.
    fn replace(&mut self) -> Lost {
        // In this order: two servers need twice the memory.
        drop(self.running.take());
        self.is_suspect = false;
        self.has_acted = false;
        match self
            .runtime
            .block_on(Browser::start(&self.settings, &self.sites))
        {
            Ok((browser, client)) => {
                self.running = Some((client, browser));
                Lost::Replaced
            }
            Err(error) => Lost::Gone(error),
        }
    }

    /// Makes a call for the host itself. Returns `None` if there is no answer.
    fn probe(&self, tool: &str, arguments: JsonObject) -> Option<ToolOutput> {
        let (client, _) = self.running.as_ref()?;
        let call = client.call(tool, arguments, PROBE_LIMIT);
        self.runtime.block_on(call).ok()
    }

    fn responds(&self) -> bool {
        let mut list = JsonObject::new();
        list.insert("action".to_owned(), "list".into());
        self.probe("browser_tabs", list).is_some()
    }

    /// Returns the address of the current tab, or `None` if no page is open, it is empty, or the browser does not respond.
    pub(crate) fn address(&self) -> Option<String> {
        // A browser without pages opens an empty one when it is asked for its tabs.
        self.current_address().filter(|it| it != "about:blank")
    }

    fn current_address(&self) -> Option<String> {
        if !self.has_acted {
            return None;
        }
        let mut list = JsonObject::new();
        list.insert("action".to_owned(), "list".into());
        let tabs = self.probe("browser_tabs", list)?.text();
        let is_open = tabs.lines().any(|line| line.contains(": (current) ["));
        if !is_open {
            return None;
        }
        let mut code = JsonObject::new();
        code.insert("function".to_owned(), "() => location.href".into());
        let evaluated = self.probe("browser_evaluate", code)?;
        if evaluated.is_error {
            // A dialog is open. The list of tabs has no titles then.
            return current_tab(&tabs);
        }
        // The page controls its title, but not this value.
        let text = evaluated.text();
        let line = text.strip_prefix("### Result\n")?.lines().next()?;
        serde_json::from_str(line).ok()
    }

    /// Makes a call, which the current call of the session interrupts.
    fn forward(&self, tool: &str, arguments: JsonObject) -> Forwarded {
        let Some((client, _)) = &self.running else {
            return Forwarded::Lost("the server is gone".to_owned());
        };
        let interrupted = cancelled();
        self.runtime.block_on(async {
            tokio::select! {
                called = client.call(tool, arguments, CALL_LIMIT) => match called {
                    Ok(output) => Forwarded::Answer(output),
                    Err(CallError::Protocol { code, message }) => Forwarded::Refused(code, message),
                    Err(error) => Forwarded::Lost(error.to_string()),
                },
                () = interrupted => Forwarded::Interrupted,
            }
        })
    }
}

/// Outcome of a call on the server.
enum Forwarded {
    Answer(ToolOutput),
    Refused(i32, String),
    Interrupted,
    Lost(String),
}

/// Returns the address in the list of tabs, if the titles are empty.
fn current_tab(tabs: &str) -> Option<String> {
    let line = tabs.lines().find(|line| line.contains(": (current) []("));
    let (_, address) = line?.split_once(": (current) [](")?;
    address.strip_suffix(')').map(str::to_owned)
}

impl ToolHandler for BrowserTools {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        if !is_listed(tool) {
            // As the server answers for a tool that it does not have.
            let text = format!("### Error\nTool \"{tool}\" not found");
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        let is_lost = self.running.is_none() || (self.is_suspect && !self.responds());
        if is_lost && let Lost::Gone(error) = self.replace() {
            return Err(gone(&error));
        }
        self.is_suspect = false;
        match self.forward(tool, arguments) {
            Forwarded::Answer(output) => {
                self.has_acted = true;
                result(output)
            }
            Forwarded::Refused(code, message) => {
                Err(ErrorData::new(ErrorCode(code), message, None))
            }
            Forwarded::Interrupted => {
                self.is_suspect = true;
                self.has_acted = true;
                Err(ErrorData::internal_error("the call was cancelled", None))
            }
            Forwarded::Lost(reason) => match self.replace() {
                Lost::Replaced => {
                    let text = format!(
                        "### Error\nThe browser has stopped ({reason}) and was started again. Its pages are closed; \
                         navigate to a URL to continue."
                    );
                    Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
                }
                Lost::Gone(error) => Err(gone(&error)),
            },
        }
    }
}

fn gone(error: &BrowserError) -> ErrorData {
    let error = mcpmark_service::error_chain(error);
    ErrorData::internal_error(
        format!("the browser cannot be started again: {error}"),
        None,
    )
}

/// Returns a result as the server gave it.
fn result(output: ToolOutput) -> Result<CallToolResult, ErrorData> {
    let form = serde_json::to_value(output).and_then(serde_json::from_value);
    form.map_err(|error| ErrorData::internal_error(format!("unexpected result: {error}"), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_run_programs_are_not_listed() {
        let names = names();
        assert_eq!(names.len(), 20);
        assert!(
            names
                .iter()
                .all(|name| !name.contains("run_code") && !name.contains("install"))
        );
    }

    #[test]
    fn other_tools_are_noticed() {
        let pinned: Vec<Tool> = serde_json::from_str(SURFACE).unwrap();
        assert_eq!(check(&pinned).unwrap().len(), 20);
        assert!(check(&pinned[1..]).is_err());
        let mut changed = pinned;
        changed[2].name = "browser_other".into();
        let error = check(&changed).unwrap_err().to_string();
        assert!(error.contains("browser_console_messages"), "{error}");
    }

    #[test]
    fn the_current_tab_is_found_behind_a_dialog() {
        let tabs = "### Result\n- 0: [](http://a.test/)\n- 1: (current) [](http://b.test/?q=(x))\n### Modal state\n- x";
        assert_eq!(current_tab(tabs).unwrap(), "http://b.test/?q=(x)");
        assert_eq!(current_tab("### Result\n- 0: [](http://a.test/)"), None);
    }
}
