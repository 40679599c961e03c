//! Output directories for states.

use std::io::ErrorKind;
use std::path::Path;

use mcpmark_snapshot::{Blobs, MaterialiseOptions, Tree, materialise};

use crate::error::{CommandError, error_chain};

/// Checks that an output directory is empty, and creates it if it does not exist, so that problems are reported before
/// any work is done. Existing files are never overwritten.
pub(super) fn check(option: &str, dir: &Path) -> Result<(), CommandError> {
    let in_the_way = match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_some().then_some("is not empty"),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) => Some("is not a directory"),
    };
    match in_the_way {
        Some(problem) => Err(
            CommandError::usage(format!("{option} {} {problem}", dir.display()))
                .hint("name a new or empty directory"),
        ),
        None => std::fs::create_dir_all(dir).map_err(|error| {
            CommandError::usage(format!(
                "{option} {}: cannot create the directory: {error}",
                dir.display()
            ))
        }),
    }
}

/// Writes a state to a directory. Files without a modification time get that of the clock.
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
            CommandError::infrastructure(format!(
                "{option} {}: {}",
                dir.display(),
                error_chain(&error)
            ))
        })
}
