//! Handler of the fourteen filesystem tools.

mod change;
mod media;
mod read;

use mcpmark_service::{Interrupted, ToolHandler, ToolSurface};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::listing::{self, Order};
use crate::world::World;
use crate::{arguments, path};

/// Tools of one world.
pub(crate) struct Tools {
    surface: ToolSurface,
    world: World,
    /// Error of the host, after which the world is unusable.
    fault: Option<String>,
}

#[derive(Deserialize)]
struct OnePath {
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListSizes {
    path: String,
    #[serde(default)]
    sort_by: Order,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DirectoryTree {
    path: String,
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchFiles {
    path: String,
    pattern: String,
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

/// Result of a tool.
enum Answer {
    Text(String),
    /// Content block, and its structured form.
    Block(Box<ContentBlock>, Value),
    /// JSON-RPC error.
    Error(ErrorData),
}

impl ToolHandler for Tools {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        if let Some(fault) = &self.fault {
            return Err(ErrorData::internal_error(fault.clone(), None));
        }
        let Some(known) = self.surface.tools.iter().find(|known| known.name == tool) else {
            return Ok(refusal(&format!("Tool {tool} not found")));
        };
        self.world.forget_names();
        let limit = self.world.max_result_bytes();
        let answer = match arguments::problems(&known.input_schema, &arguments, limit) {
            Ok(None) => self.answer(tool, arguments),
            Ok(Some(problems)) => {
                return Ok(refusal(&format!(
                    "Input validation error: Invalid arguments for tool {tool}: {problems}"
                )));
            }
            Err(failure) => Err(failure),
        };
        self.world.forget_names();
        match answer {
            Ok(Answer::Text(text)) => Ok(result(ContentBlock::text(text.as_str()), json!(text))),
            Ok(Answer::Block(block, structured)) => Ok(result(*block, json!([structured]))),
            Ok(Answer::Error(error)) => Err(error),
            Err(Failure::ToolError(text)) => {
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]))
            }
            Err(Failure::Interrupted(Interrupted::Cancelled)) => Err(ErrorData::internal_error(
                Interrupted::Cancelled.to_string(),
                None,
            )),
            Err(Failure::Interrupted(interrupted)) => {
                let text = ContentBlock::text(interrupted.to_string());
                Ok(CallToolResult::error(vec![text]))
            }
            Err(Failure::Host(fault)) => {
                self.fault = Some(fault.clone());
                Err(ErrorData::internal_error(fault, None))
            }
        }
    }
}

impl Tools {
    pub(crate) fn new(surface: ToolSurface, world: World) -> Self {
        Self {
            surface,
            world,
            fault: None,
        }
    }

    /// Returns the error of the host, if there was one.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    fn answer(&mut self, tool: &str, arguments: JsonObject) -> Result<Answer, Failure> {
        let world = &mut self.world;
        let text = match tool {
            "read_file" | "read_text_file" => read::text(world, parse(arguments)?)?,
            "read_media_file" => return media::read(world, parse(arguments)?),
            "read_multiple_files" => read::many(world, parse(arguments)?)?,
            "write_file" => change::write(world, parse(arguments)?)?,
            "edit_file" => change::edit(world, parse(arguments)?)?,
            "create_directory" => change::create_directory(world, parse(arguments)?)?,
            "list_directory" => {
                let OnePath { path } = parse(arguments)?;
                listing::plain(world, &world.resolve(&path)?)?
            }
            "list_directory_with_sizes" => {
                let ListSizes { path, sort_by } = parse(arguments)?;
                listing::with_sizes(world, &world.resolve(&path)?, sort_by)?
            }
            "directory_tree" => {
                let asked: DirectoryTree = parse(arguments)?;
                let place = world.resolve(&asked.path)?;
                listing::tree(world, &place, &asked.exclude_patterns)?
            }
            "move_file" => change::rename(world, parse(arguments)?)?,
            "search_files" => {
                let asked: SearchFiles = parse(arguments)?;
                let place = world.resolve(&asked.path)?;
                listing::search(world, &place, &asked.pattern, &asked.exclude_patterns)?
            }
            "get_file_info" => read::info(world, parse(arguments)?)?,
            "list_allowed_directories" => format!("Allowed directories:\n{}", path::ROOT),
            _ => return Err(Failure::Host(format!("tool {tool} is not implemented"))),
        };
        Ok(Answer::Text(text))
    }
}

/// Deserialises the arguments, which were validated against the schema.
fn parse<T: serde::de::DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Failure::tool_error(format!("MCP error -32602: Input validation error: {error}"))
    })
}

fn result(block: ContentBlock, structured: Value) -> CallToolResult {
    let mut result = CallToolResult::default();
    result.content = vec![block];
    result.structured_content = Some(json!({"content": structured}));
    result
}

fn refusal(text: &str) -> CallToolResult {
    let text = format!("MCP error -32602: {text}");
    CallToolResult::error(vec![ContentBlock::text(text)])
}
