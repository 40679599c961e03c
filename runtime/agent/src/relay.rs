//! MCP server with the tools of an attempt, for an agent in another process.

use std::future::Future;

use mcpmark_service::{
    CallError, Introduction, JsonObject, SessionLimits, ToolHandler, ToolOutput, ToolServer,
    ToolSurface, cancelled,
};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::single_call::{Called, call_as_turn};
use crate::{Attempt, Halt, NoResult};

/// MCP server that forwards its calls to an attempt.
pub(crate) struct Relay {
    server: ToolServer<Bridge>,
    calls: mpsc::Receiver<Waiting>,
}

/// Tool call whose client waits for the result.
pub(crate) struct Waiting {
    tool: String,
    arguments: JsonObject,
    result: oneshot::Sender<Result<CallToolResult, ErrorData>>,
}

impl Relay {
    /// Creates a server with the name and the tools of the attempt's tool server.
    pub(crate) fn new(attempt: &Attempt<'_>, introduction: Option<Introduction>) -> Self {
        let client = attempt.client();
        let (name, version) = client.server().unwrap_or_default();
        let surface = ToolSurface {
            name,
            version,
            tools: client.tools().to_vec(),
            list_changed: false,
        };
        // The attempt's tool server enforces its own limits.
        let limits = SessionLimits {
            max_result_bytes: u64::MAX,
            ..SessionLimits::default()
        };
        let (requests, calls) = mpsc::channel(1);
        let server = ToolServer::new(surface, Bridge { requests }, &limits);
        if let Some(introduction) = introduction {
            server.introduce(introduction);
        }
        Self { server, calls }
    }

    /// Returns the MCP server that clients connect to.
    pub(crate) fn server(&self) -> &ToolServer<Bridge> {
        &self.server
    }

    /// Waits for the next call.
    pub(crate) async fn next(&mut self) -> Waiting {
        match self.calls.recv().await {
            Some(call) => call,
            // The channel is never closed, because `self.server` has a sender.
            None => std::future::pending().await,
        }
    }
}

impl Waiting {
    /// Makes the call as a turn of the attempt. The call is cancelled when its client cancels it or `gone` completes.
    ///
    /// # Errors
    ///
    /// Returns an error if the attempt has ended. The client also receives an error.
    pub(crate) async fn make(
        self,
        attempt: &mut Attempt<'_>,
        gone: impl Future<Output = ()>,
    ) -> Result<(), Halt> {
        let Self {
            tool,
            arguments,
            mut result,
        } = self;
        let given_up = async {
            tokio::select! {
                () = result.closed() => {}
                () = gone => {}
            }
        };
        let (answer, halt) = match call_as_turn(attempt, tool, arguments, given_up).await {
            Ok(Called::Output(output)) => (Ok(result_of(output)), None),
            Ok(Called::Refused(reason)) => (Ok(failed(reason)), None),
            Ok(Called::NoResult(NoResult::Failed(CallError::Protocol { code, message }))) => {
                (Err(ErrorData::new(ErrorCode(code), message, None)), None)
            }
            Ok(Called::NoResult(error)) => (Ok(failed(error.to_string())), None),
            Err(halt) => {
                let told = format!("the attempt has ended: {halt}");
                (Err(ErrorData::internal_error(told, None)), Some(halt))
            }
        };
        // The request may have been cancelled.
        let _ = result.send(answer);
        halt.map_or(Ok(()), Err)
    }
}

fn failed(reason: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}

/// Converts a result to the type of the protocol library. If the library does not know its content, the result becomes
/// text.
fn result_of(output: ToolOutput) -> CallToolResult {
    let value = json!(output);
    serde_json::from_value(value).unwrap_or_else(|_| {
        let text = vec![ContentBlock::text(output.text())];
        if output.is_error {
            CallToolResult::error(text)
        } else {
            CallToolResult::success(text)
        }
    })
}

/// Tool handler that sends calls from the server to the attempt.
pub(crate) struct Bridge {
    requests: mpsc::Sender<Waiting>,
}

impl ToolHandler for Bridge {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        let ended = || ErrorData::internal_error("the attempt has ended", None);
        let given_up = cancelled();
        let (result, answer) = oneshot::channel();
        let call = Waiting {
            tool: tool.to_owned(),
            arguments,
            result,
        };
        // This thread may block.
        Handle::current().block_on(async {
            let relayed = async {
                self.requests.send(call).await.map_err(|_| ended())?;
                answer.await.map_err(|_| ended())?
            };
            tokio::select! {
                relayed = relayed => relayed,
                () = given_up => Err(ErrorData::internal_error("the call was cancelled", None)),
            }
        })
    }
}
