//! Directories that a state is written to.

use std::io::ErrorKind;
use std::path::Path;

use mcpmark_snapshot::{Blobs, MaterialiseOptions, Tree, materialise};

use crate::error::{CommandError, chain};

/// Refuses a directory that has something in it, and makes one that is not there: what cannot be made is said
/// before the work is done. Nothing of a person's is overwritten.
pub(super) fn check(option: &str, dir: &Path) -> Result<(), CommandError> {
    let in_the_way = match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some().then_some("is not empty"),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) => Some("is no directory"),
    };
    match in_the_way {
        Some(problem) => Err(
            CommandError::usage(format!("{option} {} {problem}", dir.display()))
                .hint("name a new or an empty directory"),
        ),
        None => std::fs::create_dir_all(dir).map_err(|error| {
            CommandError::usage(format!(
                "{option} {}: cannot be made: {error}",
                dir.display()
            ))
        }),
    }
}

/// Writes a state there, with the times of files that it has or else those of its clock.
pub(super) fn write(
    option: &str,
    dir: &Path,
    tree: &Tree,
    blobs: &dyn Blobs,
    clock: i64,
) -> Result<(), CommandError> {
    materialise(tree, blobs, dir, &MaterialiseOptions { clock: Some(clock) })
        .map(drop)
        .map_err(|error| {
            CommandError::infrastructure(format!("{option} {}: {}", dir.display(), chain(&error)))
        })
}
