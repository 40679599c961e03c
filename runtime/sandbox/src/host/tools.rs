use serde_json::Value;

use super::{Common, HasCommon, Stop};
use crate::FaultKind;
use crate::bindings::mcpmark::guest::tools;

/// Bytes that the arguments of one call may have: parsed, they take many times as much.
const MAX_ARGUMENTS: usize = 8 << 20;

/// The tools that a solution acts through. `mcpmark-agent` implements it over MCP.
pub trait ToolHost: Send {
    /// All tools, in the order in which the servers list them.
    fn list(&mut self) -> Vec<ToolInfo>;

    /// Calls a tool and waits for its result.
    ///
    /// # Errors
    ///
    /// [`ToolError::Failed`] is handed to the guest; [`ToolError::Stop`] ends the guest.
    fn call(
        &mut self,
        name: &str,
        arguments: serde_json::Map<String, Value>,
    ) -> Result<ToolOutput, ToolError>;
}

/// Why a tool call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The server gave no result: an unknown tool, a timeout.
    #[error("{0}")]
    Failed(String),
    /// A limit of the attempt was reached, and the agent has to end.
    #[error("{0}")]
    Stop(String),
}

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Its name.
    pub name: String,
    /// What it does, empty where the server does not say.
    pub description: String,
    /// A JSON Schema object.
    pub input_schema: Value,
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The content blocks.
    pub content: Vec<ToolContent>,
    /// The structured content, where the tool gives one.
    pub structured: Option<Value>,
    /// Whether the tool says that the call failed.
    pub is_error: bool,
}

/// One content block of a result.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolContent {
    /// Plain text.
    Text(String),
    /// An image: MIME type and base64.
    Image(String, String),
    /// A sound: MIME type and base64.
    Audio(String, String),
    /// Any other block, as MCP carries it.
    Other(Value),
}

/// What a solution sees.
pub(crate) struct SolutionHost {
    pub(crate) common: Common,
    pub(crate) tools: Box<dyn ToolHost>,
    /// Set when the attempt ended while the guest was calling a tool.
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
                    "a tool call has {} bytes of arguments, more than {MAX_ARGUMENTS} (fixed)",
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
