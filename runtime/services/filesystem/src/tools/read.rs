//! Tools that read text files and file metadata.

use mcpmark_service::checkpoint;
use serde::Deserialize;

use super::OnePath;
use crate::bounded::Bounded;
use crate::failure::Failure;
use crate::text;
use crate::world::{Kind, World};

#[derive(Deserialize)]
pub(super) struct ReadText {
    path: String,
    head: Option<f64>,
    tail: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct ReadMany {
    paths: Vec<String>,
}

pub(super) fn text(world: &World, asked: ReadText) -> Result<String, Failure> {
    let place = world.resolve(&asked.path)?;
    let given = |lines: Option<f64>| lines.filter(|lines| *lines != 0.0);
    let (head, tail) = (given(asked.head), given(asked.tail));
    if head.is_some() && tail.is_some() {
        return Err(Failure::tool_error(
            "Cannot specify both head and tail parameters simultaneously",
        ));
    }
    let Some(lines) = head.or(tail) else {
        let bytes = world.read(&place, Some(world.max_result_bytes()))?;
        return Ok(text::decoded(bytes));
    };
    // Opening a directory succeeds, and only reading it fails.
    if place.kind == Some(Kind::Directory) && lines < 0.0 {
        return Ok(String::new());
    }
    if head.is_some() {
        let file = world.open(&place, "open")?;
        return text::head(file, lines, world.profile, world.max_result_bytes());
    }
    world.status(&place)?;
    let file = world.open(&place, "open")?.into_std();
    text::tail(&file, lines, world.profile, world.max_result_bytes())
}

pub(super) fn many(world: &World, asked: ReadMany) -> Result<String, Failure> {
    let limit = world.max_result_bytes();
    let too_long = || {
        Failure::tool_error(format!(
            "the files together exceed the limit of {limit} bytes for one tool result"
        ))
    };
    let mut joined = Bounded::new(limit);
    let mut push = |piece: &str| joined.push(piece).map_err(|_| too_long());
    for (index, path) in asked.paths.iter().enumerate() {
        checkpoint()?;
        if index > 0 {
            push("\n---\n")?;
        }
        push(path)?;
        let place = world.resolve(path);
        match place.and_then(|place| world.read(&place, Some(limit))) {
            Ok(bytes) => {
                push(":\n")?;
                push(&String::from_utf8_lossy(&bytes))?;
                push("\n")?;
            }
            Err(Failure::ToolError(text)) => {
                push(": Error - ")?;
                push(&text)?;
            }
            Err(other) => return Err(other),
        }
    }
    Ok(joined.into_text())
}

pub(super) fn info(world: &World, asked: OnePath) -> Result<String, Failure> {
    let status = world.status(&world.resolve(&asked.path)?)?;
    let directory = status.kind == Kind::Directory;
    let permissions = if directory || status.executable {
        "755"
    } else {
        "644"
    };
    let now = text::date(world.clock);
    Ok(format!(
        "size: {}\ncreated: {now}\nmodified: {}\naccessed: {now}\nisDirectory: {directory}\n\
         isFile: {}\npermissions: {permissions}",
        status.size,
        text::date(status.modified),
        !directory,
    ))
}
