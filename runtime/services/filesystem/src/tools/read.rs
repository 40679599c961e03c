//! The tools that read texts and what is known of a file.

use serde::Deserialize;

use super::OnePath;
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
        return Err(Failure::said(
            "Cannot specify both head and tail parameters simultaneously",
        ));
    }
    let Some(lines) = head.or(tail) else {
        let bytes = world.read(&place, Some(world.max_result_bytes()))?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    };
    // A directory can be opened, and fails only when it is read.
    if place.kind == Some(Kind::Directory) && lines < 0.0 {
        return Ok(String::new());
    }
    if head.is_some() {
        let file = world.open(&place, "open")?;
        return text::head(file, lines, world.profile).map_err(|error| Failure::io(&error, "read"));
    }
    world.status(&place)?;
    Ok(text::tail(&world.read(&place, None)?, lines, world.profile))
}

pub(super) fn many(world: &World, asked: ReadMany) -> Result<String, Failure> {
    let limit = world.max_result_bytes();
    let mut joined = String::new();
    for (index, path) in asked.paths.iter().enumerate() {
        if index > 0 {
            joined.push_str("\n---\n");
        }
        let place = world.resolve(path);
        match place.and_then(|place| world.read(&place, Some(limit))) {
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

pub(super) fn info(world: &World, asked: OnePath) -> Result<String, Failure> {
    let status = world.status(&world.resolve(&asked.path)?)?;
    let directory = status.kind == Kind::Directory;
    let permissions = match directory || status.executable {
        true => "755",
        false => "644",
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
