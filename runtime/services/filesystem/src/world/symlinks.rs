//! Check that symlinks stay in the world after a change.

use std::fmt::Display;
use std::io;

use mcpmark_service::checkpoint;
use mcpmark_snapshot::{Digest, File, TreeBuilder, TreePath};

use super::{Outcome, World, join};
use crate::failure::Failure;

impl World {
    /// Refuses a change after which a symlink would lead outside. `moved` returns the new path of an entry, or `None`
    /// if it is removed.
    pub(super) fn keep_symlinks_inside(
        &self,
        moved: impl Fn(&str) -> Option<String>,
    ) -> Outcome<()> {
        if !self.has_symlinks {
            return Ok(());
        }
        let refused = |error: &dyn Display| Failure::tool_error(format!("Access denied - {error}"));
        let host = |error: io::Error| Failure::io(&error, "scandir");
        let mut after = TreeBuilder::new();
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            for entry in self.entries(&directory, "scandir")? {
                checkpoint()?;
                let path = join(&directory, &entry.name);
                if entry.is_directory {
                    directories.push(path.clone());
                }
                let Some(target) = moved(&path) else {
                    continue;
                };
                let place = TreePath::parse(&target).map_err(|error| refused(&error))?;
                let metadata = self.root.symlink_metadata(&path).map_err(host)?;
                let added = if entry.is_directory {
                    after.create_directory(&place)
                } else if metadata.is_symlink() {
                    let target = self.root.read_link_contents(&path).map_err(host)?;
                    after.insert_symlink(&place, &target.to_string_lossy())
                } else {
                    after.insert_file(&place, placeholder())
                };
                added.map_err(|error| refused(&error))?;
            }
        }
        after
            .finish()
            .check_symlinks()
            .map_err(|error| refused(&error))
    }
}

/// Returns an empty file, because only the positions of files matter.
fn placeholder() -> File {
    File {
        size: 0,
        executable: false,
        modified: None,
        content: Digest::of(b""),
    }
}
