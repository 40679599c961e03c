//! Digest of the sources of a task, without a store.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use mcpmark_snapshot::{BuildError, Digest, File, InvalidPath, TreeBuilder, TreePath};
use mcpmark_task::Task;

use crate::FILE_NAME;

/// Error of reading the sources of a task.
#[derive(Debug, thiserror::Error)]
pub enum SourcesError {
    /// Error of reading an entry.
    #[error("cannot read {}", path.display())]
    Io {
        /// Path of the entry.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Name of an entry, or target of a symlink, that is not UTF-8.
    #[error("{}: expected a name and a target in UTF-8", path.display())]
    NotUtf8 {
        /// Path of the entry.
        path: PathBuf,
    },
    /// Socket, pipe or device.
    #[error("{}: expected a file, a directory or a symlink; remove it", path.display())]
    Special {
        /// Path of the entry.
        path: PathBuf,
    },
    /// Path that is too long or too deep.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// Entry that a tree cannot contain.
    #[error(transparent)]
    Tree(#[from] BuildError),
}

/// Returns the tree digest of a task's directory without its certificate. Nothing is written, so that a report can
/// compare digests without a store.
pub(crate) fn sources_digest(task: &Task) -> Result<Digest, SourcesError> {
    directory_digest(&task.dir)
}

fn directory_digest(dir: &Path) -> Result<Digest, SourcesError> {
    let mut tree = TreeBuilder::new();
    add(&mut tree, dir, &TreePath::root())?;
    if let Ok(path) = TreePath::parse(FILE_NAME) {
        tree.remove(&path);
    }
    Ok(tree.finish().digest())
}

/// Adds the entries of a directory below the path `at`.
fn add(tree: &mut TreeBuilder, dir: &Path, at: &TreePath) -> Result<(), SourcesError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| SourcesError::Io { path, source }
    };
    for entry in fs::read_dir(dir).map_err(failed(dir))? {
        let entry = entry.map_err(failed(dir))?;
        let path = entry.path();
        let not_utf8 = || SourcesError::NotUtf8 { path: path.clone() };
        let name = entry.file_name().into_string().map_err(|_| not_utf8())?;
        let at = at.join(&name)?;
        // Symlinks are not followed.
        let metadata = entry.metadata().map_err(failed(&path))?;
        let kind = metadata.file_type();
        if kind.is_dir() {
            tree.create_directory(&at)?;
            add(tree, &path, &at)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).map_err(failed(&path))?;
            let target = target.to_str().ok_or_else(not_utf8)?;
            tree.insert_symlink(&at, target)?;
        } else if kind.is_file() {
            let content = fs::read(&path).map_err(failed(&path))?;
            let file = File {
                size: content.len() as u64,
                executable: metadata.permissions().mode() & 0o100 != 0,
                modified: None,
                content: Digest::of(&content),
            };
            tree.insert_file(&at, file)?;
        } else {
            return Err(SourcesError::Special { path });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use mcpmark_snapshot::{CaptureOptions, Store, capture};

    use super::*;

    #[test]
    fn the_digest_is_that_of_the_captured_directory() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("task");
        fs::create_dir_all(dir.join("cheats/empty")).unwrap();
        fs::write(dir.join("meta.json"), "{}").unwrap();
        fs::write(dir.join("cheats/copies.rs"), "fn main() {}").unwrap();
        fs::set_permissions(
            dir.join("cheats/copies.rs"),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
        symlink("meta.json", dir.join("link")).unwrap();
        let digest = directory_digest(&dir).unwrap();
        let store = Store::open(home.path().join("store")).unwrap();
        let captured = capture(&dir, &store, &CaptureOptions::default()).unwrap();
        assert_eq!(digest, captured.digest());
        // The certificate is no source of itself.
        fs::write(dir.join(FILE_NAME), "{}").unwrap();
        assert_eq!(directory_digest(&dir).unwrap(), digest);
        fs::write(dir.join("meta.json"), "{ }").unwrap();
        assert_ne!(directory_digest(&dir).unwrap(), digest);
    }
}
