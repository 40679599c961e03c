//! The tools that change the world.

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
    let bytes = world.read(&place, None)?;
    let before = text::normalise_line_ends(&String::from_utf8_lossy(&bytes));
    let after = edit::apply(&before, &asked.edits, world.profile)?;
    let answer = edit::answer(&place.shown, &before, &after, world.profile);
    if !asked.dry_run {
        world.write(&place, after.as_bytes())?;
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
