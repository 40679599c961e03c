//! Tool that returns the bytes of a media file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ContentBlock, ErrorCode, ResourceContents};
use serde_json::{Value, json};

use super::{Answer, OnePath};
use crate::failure::Failure;
use crate::path;
use crate::world::World;

pub(super) fn read(world: &World, asked: OnePath) -> Result<Answer, Failure> {
    let place = world.resolve(&asked.path)?;
    let data = STANDARD.encode(world.read(&place, Some(world.max_result_bytes()))?);
    let mime_type = mime_type(&place.shown);
    if mime_type.starts_with("image/") {
        let structured = json!({"type": "image", "data": data, "mimeType": mime_type});
        return Ok(block(ContentBlock::image(data, mime_type), structured));
    }
    if mime_type.starts_with("audio/") {
        let structured = json!({"type": "audio", "data": data, "mimeType": mime_type});
        return Ok(block(ContentBlock::audio(data, mime_type), structured));
    }
    if !world.profile.embeds_resources() {
        // The published server of this version returns a content type that is unknown to MCP, and its library turns
        // that into an error.
        return Ok(Answer::Error(ErrorData::new(
            ErrorCode::INVALID_PARAMS,
            "MCP error -32602: Invalid tools/call result: \"blob\" is no content type",
            None,
        )));
    }
    let uri = path::url(&place.shown);
    let structured = json!({
        "type": "resource",
        "resource": {"uri": uri, "mimeType": mime_type, "blob": data},
    });
    let resource = ResourceContents::blob(data, uri).with_mime_type(mime_type);
    Ok(block(ContentBlock::resource(resource), structured))
}

fn block(block: ContentBlock, structured: Value) -> Answer {
    Answer::Block(Box::new(block), structured)
}

fn mime_type(absolute: &str) -> &'static str {
    match path::extension(absolute).as_str() {
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
    }
}
