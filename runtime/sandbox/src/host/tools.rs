//! Host functions of solutions: the tools of a session.

use serde_json::Value;

use super::{Common, HasCommon, Stop};
use crate::FaultKind;
use crate::bindings::mcpmark::guest::tools;

/// Maximum size of the arguments of one call, in bytes. Parsed JSON takes many times as much memory.
const MAX_ARGUMENTS: usize = 8 << 20;

/// Tools that a solution calls. `mcpmark-agent` implements it over MCP.
pub trait ToolHost: Send {
    /// Returns all tools, in the order in which the servers list them.
    fn list(&mut self) -> Vec<ToolInfo>;

    /// Calls a tool and waits for its result.
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::Failed`], which is passed to the guest, or [`ToolError::Stop`], which ends the guest.
    fn call(
        &mut self,
        name: &str,
        arguments: serde_json::Map<String, Value>,
    ) -> Result<ToolOutput, ToolError>;
}

/// Errors of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The server returned no result: an unknown tool, a timeout.
    #[error("{0}")]
    Failed(String),
    /// A limit of the attempt was reached, and the agent must end.
    #[error("{0}")]
    Stop(String),
}

/// Description of a tool by its server.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Name of the tool.
    pub name: String,
    /// Description of the tool, empty if the server gives none.
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub input_schema: Value,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// Content blocks.
    pub content: Vec<ToolContent>,
    /// Structured content, if the tool returns any.
    pub structured: Option<Value>,
    /// True if the tool reports that the call failed.
    pub is_error: bool,
}

/// Content block of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolContent {
    /// Plain text.
    Text(String),
    /// Image: MIME type and base64.
    Image(String, String),
    /// Audio: MIME type and base64.
    Audio(String, String),
    /// Any other block, as MCP encodes it.
    Other(Value),
}

/// Store data of a solution.
pub(crate) struct SolutionHost {
    pub(crate) common: Common,
    pub(crate) tools: Box<dyn ToolHost>,
    /// Reason for the end of the attempt, if it ended during a tool call.
    pub(crate) stopped: Option<String>,
}

impl HasCommon for SolutionHost {
    fn common(&mut self) -> &mut Common {
        &mut self.common
    }
}

impl tools::Host for SolutionHost {
    fn list(&mut self) -> wasmtime::Result<Vec<tools::Tool>> {
        let list: Vec<_> = self
            .tools
            .list()
            .into_iter()
            .map(|tool| tools::Tool {
                name: tool.name,
                description: tool.description,
                input_schema: tool.input_schema.to_string(),
            })
            .collect();
        let bytes = list
            .iter()
            .map(|tool| tool.name.len() + tool.description.len() + tool.input_schema.len())
            .sum::<usize>();
        self.common.charge(bytes as u64)?;
        Ok(list)
    }

    fn call(
        &mut self,
        name: String,
        arguments: String,
    ) -> wasmtime::Result<Result<tools::Output, String>> {
        self.common.charge((name.len() + arguments.len()) as u64)?;
        if arguments.len() > MAX_ARGUMENTS {
            return Err(Stop::fault(
                FaultKind::Output,
                format!(
                    "a tool call has {} bytes of arguments, but the limit is {MAX_ARGUMENTS} (fixed)",
                    arguments.len()
                ),
            ));
        }
        let arguments = match serde_json::from_str(&arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => return Ok(Err("the arguments are not a JSON object".into())),
            Err(error) => return Ok(Err(format!("the arguments are not valid JSON: {error}"))),
        };
        match self.tools.call(&name, arguments) {
            Ok(output) => {
                let output = convert(output);
                self.common.charge(size(&output))?;
                Ok(Ok(output))
            }
            Err(ToolError::Failed(message)) => {
                self.common.charge(message.len() as u64)?;
                Ok(Err(message))
            }
            Err(ToolError::Stop(message)) => {
                self.stopped = Some(message.clone());
                Err(Stop::host(message))
            }
        }
    }
}

fn convert(output: ToolOutput) -> tools::Output {
    let content = output
        .content
        .into_iter()
        .map(|content| match content {
            ToolContent::Text(text) => tools::Content::Text(text),
            ToolContent::Image(mime_type, data) => {
                tools::Content::Image(tools::Blob { mime_type, data })
            }
            ToolContent::Audio(mime_type, data) => {
                tools::Content::Audio(tools::Blob { mime_type, data })
            }
            ToolContent::Other(value) => tools::Content::Other(value.to_string()),
        })
        .collect();
    tools::Output {
        content,
        structured: output.structured.map(|value| value.to_string()),
        is_error: output.is_error,
    }
}

fn size(output: &tools::Output) -> u64 {
    let content: usize = output
        .content
        .iter()
        .map(|content| match content {
            tools::Content::Text(text) | tools::Content::Other(text) => text.len(),
            tools::Content::Image(blob) | tools::Content::Audio(blob) => {
                blob.mime_type.len() + blob.data.len()
            }
        })
        .sum();
    (content + output.structured.as_ref().map_or(0, String::len)) as u64
}
