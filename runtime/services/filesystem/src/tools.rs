//! The fourteen tools.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcpmark_service::{ToolHandler, ToolSurface};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::edit::{self, Edit};
use crate::failure::Failure;
use crate::listing::{self, Order};
use crate::world::{Kind, World};
use crate::{arguments, path, text};

/// The tools as the published server of this version lists them, described in other words.
const SURFACE: &str = include_str!("../surface/2025.12.18.json");

/// The identity and the tools of the server.
pub(crate) fn surface() -> Result<ToolSurface, serde_json::Error> {
    ToolSurface::parse("secure-filesystem-server", "0.2.0", SURFACE)
}

/// The tools over one world.
pub(crate) struct Tools {
    surface: ToolSurface,
    world: World,
    /// What went wrong with the machine; the world is lost then.
    fault: Option<String>,
}

#[derive(Deserialize)]
struct OnePath {
    path: String,
}

#[derive(Deserialize)]
struct ReadText {
    path: String,
    head: Option<f64>,
    tail: Option<f64>,
}

#[derive(Deserialize)]
struct ReadMany {
    paths: Vec<String>,
}

#[derive(Deserialize)]
struct WriteFile {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EditFile {
    path: String,
    edits: Vec<Edit>,
    #[serde(default)]
    dry_run: bool,
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
struct MoveFile {
    source: String,
    destination: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchFiles {
    path: String,
    pattern: String,
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

/// What a tool gives.
enum Answer {
    Text(String),
    Media {
        data: String,
        mime_type: &'static str,
    },
}

impl ToolHandler for Tools {
    fn call(&mut self, tool: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
        if let Some(fault) = &self.fault {
            return Err(ErrorData::internal_error(fault.clone(), None));
        }
        let Some(known) = self.surface.tools.iter().find(|known| known.name == tool) else {
            return Ok(refusal(&format!("Tool {tool} not found")));
        };
        if let Some(problems) = arguments::problems(&known.input_schema, &arguments) {
            return Ok(refusal(&format!(
                "Input validation error: Invalid arguments for tool {tool}: {problems}"
            )));
        }
        match self.answer(tool, arguments) {
            Ok(Answer::Text(text)) => {
                let mut result = CallToolResult::default();
                result.structured_content = Some(json!({"content": text}));
                result.content = vec![ContentBlock::text(text)];
                Ok(result)
            }
            Ok(Answer::Media { data, mime_type }) => media(data, mime_type),
            Err(Failure::Said(text)) => Ok(CallToolResult::error(vec![ContentBlock::text(text)])),
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

    /// What went wrong with the machine, if anything.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    fn answer(&mut self, tool: &str, arguments: JsonObject) -> Result<Answer, Failure> {
        let text = match tool {
            "read_file" | "read_text_file" => self.read_text(parse(arguments)?)?,
            "read_media_file" => return self.read_media(parse(arguments)?),
            "read_multiple_files" => self.read_many(parse(arguments)?)?,
            "write_file" => self.write(parse(arguments)?)?,
            "edit_file" => self.edit(parse(arguments)?)?,
            "create_directory" => {
                let OnePath { path } = parse(arguments)?;
                let place = self.world.resolve(&path)?;
                self.world.create_directory(&place)?;
                format!("Successfully created directory {path}")
            }
            "list_directory" => {
                let OnePath { path } = parse(arguments)?;
                listing::plain(&self.world, &self.world.resolve(&path)?)?
            }
            "list_directory_with_sizes" => {
                let ListSizes { path, sort_by } = parse(arguments)?;
                listing::with_sizes(&self.world, &self.world.resolve(&path)?, sort_by)?
            }
            "directory_tree" => {
                let asked: DirectoryTree = parse(arguments)?;
                let place = self.world.resolve(&asked.path)?;
                listing::tree(&self.world, &place, &asked.exclude_patterns)?
            }
            "move_file" => self.rename(parse(arguments)?)?,
            "search_files" => {
                let asked: SearchFiles = parse(arguments)?;
                let place = self.world.resolve(&asked.path)?;
                listing::search(&self.world, &place, &asked.pattern, &asked.exclude_patterns)?
            }
            "get_file_info" => self.info(parse(arguments)?)?,
            "list_allowed_directories" => format!("Allowed directories:\n{}", path::ROOT),
            _ => return Err(Failure::Host(format!("tool {tool} has no code"))),
        };
        Ok(Answer::Text(text))
    }

    fn read_text(&self, asked: ReadText) -> Result<String, Failure> {
        let place = self.world.resolve(&asked.path)?;
        let given = |lines: Option<f64>| lines.filter(|lines| *lines != 0.0);
        let io = |error| Failure::io(&error, "read");
        match (given(asked.head), given(asked.tail)) {
            (Some(_), Some(_)) => Err(Failure::said(
                "Cannot specify both head and tail parameters simultaneously",
            )),
            (Some(lines), None) => {
                let file = self.world.open(&place, "open");
                if place.kind == Some(Kind::Directory) && lines < 0.0 {
                    return Ok(String::new());
                }
                text::head(file?, lines).map_err(io)
            }
            (None, Some(lines)) => {
                if place.kind == Some(Kind::Directory) && lines < 0.0 {
                    return Ok(String::new());
                }
                self.world.status(&place)?;
                Ok(text::tail(&self.world.read(&place, None)?, lines))
            }
            (None, None) => {
                let limit = self.world.max_result_bytes();
                let bytes = self.world.read(&place, Some(limit))?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    fn read_media(&self, asked: OnePath) -> Result<Answer, Failure> {
        let place = self.world.resolve(&asked.path)?;
        let limit = self.world.max_result_bytes();
        let data = STANDARD.encode(self.world.read(&place, Some(limit))?);
        let mime_type = match path::extension(&place.shown).as_str() {
            ".png" => "image/png",
            ".jpg" | ".jpeg" => "image/jpeg",
            ".gif" => "image/gif",
            ".webp" => "image/webp",
            ".bmp" => "image/bmp",
            ".svg" => "image/svg+xml",
            ".mp3" => "audio/mpeg",
            ".wav" => "audio/wav",
            ".ogg" => "audio/ogg",
            ".flac" => "audio/flac",
            _ => "application/octet-stream",
        };
        Ok(Answer::Media { data, mime_type })
    }

    fn read_many(&self, asked: ReadMany) -> Result<String, Failure> {
        let limit = self.world.max_result_bytes();
        let mut joined = String::new();
        for (index, path) in asked.paths.iter().enumerate() {
            if index > 0 {
                joined.push_str("\n---\n");
            }
            let read = self
                .world
                .resolve(path)
                .and_then(|place| self.world.read(&place, Some(limit)));
            match read {
                Ok(bytes) => {
                    joined += &format!("{path}:\n{}\n", String::from_utf8_lossy(&bytes));
                }
                Err(Failure::Said(text)) => joined += &format!("{path}: Error - {text}"),
                Err(host) => return Err(host),
            }
            if joined.len() as u64 > limit {
                return Err(Failure::said(format!(
                    "the files together exceed the limit of {limit} bytes for one tool result"
                )));
            }
        }
        Ok(joined)
    }

    fn write(&mut self, asked: WriteFile) -> Result<String, Failure> {
        let place = self.world.resolve(&asked.path)?;
        self.world.write(&place, asked.content.as_bytes())?;
        Ok(format!("Successfully wrote to {}", asked.path))
    }

    fn edit(&mut self, asked: EditFile) -> Result<String, Failure> {
        let place = self.world.resolve(&asked.path)?;
        let bytes = self.world.read(&place, None)?;
        let before = text::normalise_line_ends(&String::from_utf8_lossy(&bytes));
        let after = edit::apply(&before, &asked.edits)?;
        let answer = edit::answer(&place.shown, &before, &after);
        if !asked.dry_run {
            self.world.write(&place, after.as_bytes())?;
        }
        Ok(answer)
    }

    fn rename(&mut self, asked: MoveFile) -> Result<String, Failure> {
        let from = self.world.resolve(&asked.source)?;
        let to = self.world.resolve(&asked.destination)?;
        self.world.rename(&from, &to)?;
        Ok(format!(
            "Successfully moved {} to {}",
            asked.source, asked.destination
        ))
    }

    fn info(&self, asked: OnePath) -> Result<String, Failure> {
        let status = self.world.status(&self.world.resolve(&asked.path)?)?;
        let directory = status.kind == Kind::Directory;
        let permissions = match directory || status.executable {
            true => "755",
            false => "644",
        };
        let now = text::date(self.world.clock());
        Ok(format!(
            "size: {}\ncreated: {now}\nmodified: {}\naccessed: {now}\nisDirectory: {directory}\n\
             isFile: {}\npermissions: {permissions}",
            status.size,
            text::date(status.modified),
            !directory,
        ))
    }
}

/// The arguments as a type; they have been checked against the schema.
fn parse<T: serde::de::DeserializeOwned>(arguments: JsonObject) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        Failure::said(format!("MCP error -32602: Input validation error: {error}"))
    })
}

fn refusal(text: &str) -> CallToolResult {
    let text = format!("MCP error -32602: {text}");
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn media(data: String, mime_type: &str) -> Result<CallToolResult, ErrorData> {
    let (kind, block) = match mime_type.split('/').next() {
        Some("image") => ("image", ContentBlock::image(data.clone(), mime_type)),
        Some("audio") => ("audio", ContentBlock::audio(data.clone(), mime_type)),
        // The published server of this version answers with a content type that MCP does not
        // have, and its library turns that into an error.
        _ => {
            return Err(ErrorData::new(
                ErrorCode::INVALID_PARAMS,
                "MCP error -32602: Invalid tools/call result: \"blob\" is no content type",
                None,
            ));
        }
    };
    let mut result = CallToolResult::default();
    let item = json!({"type": kind, "data": data, "mimeType": mime_type});
    result.structured_content = Some(json!({"content": [item]}));
    result.content = vec![block];
    Ok(result)
}
