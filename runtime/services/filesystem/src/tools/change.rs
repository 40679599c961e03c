//! Tools that change the world.

use std::borrow::Cow;

use mcpmark_service::{checkpoint, reserve};
use serde::Deserialize;

use super::OnePath;
use crate::edit::{self, Edit};
use crate::failure::Failure;
use crate::text;
use crate::world::World;

#[derive(Deserialize)]
pub(super) struct WriteFile {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditFile {
    path: String,
    edits: Vec<Edit>,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
pub(super) struct MoveFile {
    source: String,
    destination: String,
}

pub(super) fn write(world: &mut World, asked: WriteFile) -> Result<String, Failure> {
    let place = world.resolve(&asked.path)?;
    world.write(&place, asked.content.as_bytes())?;
    Ok(format!("Successfully wrote to {}", asked.path))
}

pub(super) fn edit(world: &mut World, asked: EditFile) -> Result<String, Failure> {
    let place = world.resolve(&asked.path)?;
    let size = world.weigh(&place.on_disk).bytes;
    // Memory for the bytes, which become the decoded text.
    let mut memory = reserve(size)?;
    let bytes = world.read(&place, None)?;
    if std::str::from_utf8(&bytes).is_err() {
        memory.grow(3 * size)?;
    }
    let mut before = text::decoded(bytes);
    if before.contains("\r\n") {
        memory.grow(before.len() as u64)?;
    }
    if let Cow::Owned(plain) = text::normalise_line_ends(&before) {
        before = plain;
    }
    let room = world.room(&place);
    let fits = |length| {
        if length <= room {
            Ok(())
        } else {
            world.check_room(&place, length)
        }
    };
    let after = edit::apply(&before, &asked.edits, world.profile, &place.shown, &fits)?;
    let limit = world.max_result_bytes();
    let answer = edit::answer(&place.shown, &before, &after.text, world.profile, limit)?;
    checkpoint()?;
    if !asked.dry_run {
        world.write(&place, after.text.as_bytes())?;
    }
    Ok(answer)
}

pub(super) fn create_directory(world: &mut World, asked: OnePath) -> Result<String, Failure> {
    let place = world.resolve(&asked.path)?;
    world.create_directory(&place)?;
    Ok(format!("Successfully created directory {}", asked.path))
}

pub(super) fn rename(world: &mut World, asked: MoveFile) -> Result<String, Failure> {
    let from = world.resolve(&asked.source)?;
    let to = world.resolve(&asked.destination)?;
    world.rename(&from, &to)?;
    Ok(format!(
        "Successfully moved {} to {}",
        asked.source, asked.destination
    ))
}
