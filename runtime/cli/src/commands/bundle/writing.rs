//! Writes bundles to directories and tar archives.

use std::fs;
use std::path::Path;

use mcpmark_bundle::{Bundle, Layout, NewLayout};

use crate::bundles::open_error;
use crate::error::CommandError;
use crate::files::NewFile;

/// Writes a layout as an archive, atomically.
fn write_archive(layout: &NewLayout, to: &Path) -> Result<(), CommandError> {
    let failed = |error: &dyn std::fmt::Display| {
        CommandError::infrastructure(format!("cannot write {}: {error}", to.display()))
    };
    let file = NewFile::new(to, 0o644).map_err(|error| failed(&error))?;
    layout
        .write_archive(std::io::BufWriter::new(file.file()))
        .map_err(|error| failed(&error))?;
    file.keep().map_err(|error| failed(&error))
}

/// File extensions of other archive formats, which are refused.
const FOREIGN: [&str; 12] = [
    "zip", "gz", "tgz", "bz2", "tbz", "xz", "txz", "zst", "tzst", "7z", "rar", "jar",
];

/// Checks that a layout may be written to a path: a new or empty directory, or a new file that ends with `.tar`. With
/// `force`, an existing bundle may be replaced.
pub(super) fn may_write(to: &Path, force: bool) -> Result<(), CommandError> {
    let refused = |problem: &str, hint: &str| {
        let message = format!("{}: {problem}", to.display());
        Err(CommandError::usage(message).hint(hint.to_owned()))
    };
    let allowed = "name a new directory, or a file that ends with .tar";
    let ending = to.extension().and_then(|it| it.to_str()).unwrap_or("");
    let small = ending.to_ascii_lowercase();
    if FOREIGN.contains(&small.as_str()) || (small == "tar" && ending != "tar") {
        return refused(&format!("unsupported file extension .{ending}"), allowed);
    }
    if fs::symlink_metadata(to).is_err() {
        // Missing parents of a directory are created, but those of an archive are not.
        let parent = to.parent().filter(|parent| *parent != Path::new(""));
        return match parent.filter(|parent| ending == "tar" && !parent.is_dir()) {
            Some(parent) => {
                let missing = format!("directory {} does not exist", parent.display());
                refused(&missing, "create it, or name another location")
            }
            None => Ok(()),
        };
    }
    let is_bundle = || Layout::open(to).is_ok_and(|layout| Bundle::of_layout(&layout).is_ok());
    match (ending, to.is_dir()) {
        ("tar", true) => refused("expected a file, found a directory", allowed),
        ("tar", false) | (_, true) if is_bundle() => {
            if force {
                Ok(())
            } else {
                refused("already exists", "--force replaces it")
            }
        }
        (_, true) if is_empty(to) => Ok(()),
        ("tar", false) | (_, true) => refused("already exists, and is not a bundle", allowed),
        (_, false) => refused("expected a directory, found a file", allowed),
    }
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none())
}

/// Writes a layout to a path that [`may_write`] accepts.
pub(super) fn write(layout: &NewLayout, to: &Path, force: bool) -> Result<(), CommandError> {
    may_write(to, force)?;
    if to.extension().is_some_and(|it| it == "tar") {
        return write_archive(layout, to);
    }
    // Otherwise blobs of the previous bundle would remain.
    mcpmark_bundle::clear(to)
        .and_then(|()| layout.write_directory(to))
        .map_err(open_error)
}

/// Writes a layout over the one that it was made from, to which blobs were only added.
pub(super) fn rewrite(layout: &NewLayout, to: &Path) -> Result<(), CommandError> {
    if to.is_dir() {
        layout.write_directory(to).map_err(open_error)
    } else {
        write_archive(layout, to)
    }
}
