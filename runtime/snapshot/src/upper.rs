//! Capture of a tree from the upper directory of an overlay mount.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::io::Errno;

use crate::capture::{Walker, open_directory};
use crate::overlay::{Marks, is_whiteout};
use crate::{CaptureError, CaptureOptions, Captured, Directory, Node, Store, Tree, TreePath};

/// Captures an overlay mount like [`capture_counted`](crate::capture_counted), but reads only the changes. Entries that
/// are not in `changes` are taken from `base`, which the store must contain.
pub(crate) fn capture_changes(
    changes: &Path,
    marks: Marks,
    base: &Tree,
    store: &Store,
    clock: i64,
) -> Result<Captured, CaptureError> {
    let options = CaptureOptions {
        clock: Some(clock),
        ..CaptureOptions::default()
    };
    let mut walker = Walker::new(store, &options);
    // Opened for reading, because extended attributes cannot be read through an `O_PATH` descriptor.
    let root = match std::fs::File::open(changes).map(Dir::from_std_file) {
        Ok(dir) => walker.overlaid(&dir, &TreePath::root(), Some(base.root()), true, marks)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => base.root().clone(),
        Err(source) => {
            return Err(CaptureError::Open {
                dir: format!("{changes:?}"),
                source,
            });
        }
    };
    walker.finish(Tree::from_root(root), Some(base))
}

impl Walker<'_> {
    /// Applies the changes in `dir` to `base`. A hidden base still supplies the modification times of its files.
    fn overlaid(
        &mut self,
        dir: &Dir,
        path: &TreePath,
        base: Option<&Directory>,
        shows: bool,
        marks: Marks,
    ) -> Result<Directory, CaptureError> {
        let failed = |source| CaptureError::io(path, source);
        let shows = shows && !is_opaque(dir, marks).map_err(failed)?;
        let mut nodes: BTreeMap<String, Node> = base
            .filter(|_| shows)
            .into_iter()
            .flat_map(Directory::iter)
            .map(|(name, node)| (name.to_owned(), node.clone()))
            .collect();
        for name in self.names(dir, path)? {
            let at = path.join(&name)?;
            let metadata = dir.symlink_metadata(&name).map_err(failed)?;
            if is_whiteout(&metadata) {
                nodes.remove(&name);
                continue;
            }
            let before = base.and_then(|directory| directory.get(&name));
            let node = if metadata.is_dir() {
                let below = open_directory(dir, &name).map_err(failed)?;
                let before = before.and_then(Node::as_directory);
                Node::Directory(self.overlaid(&below, &at, before, shows, marks)?)
            } else {
                self.node(dir, &name, &at, before)?
            };
            nodes.insert(name, node);
        }
        Ok(Directory::from_entries(nodes))
    }
}

fn is_opaque(dir: &Dir, marks: Marks) -> io::Result<bool> {
    let mut value = [0; 1];
    match rustix::fs::fgetxattr(dir, marks.opaque(), &mut value) {
        Ok(length) => Ok(length == 1 && value == *b"y"),
        // A longer value does not hide the lower directory.
        Err(Errno::NODATA | Errno::RANGE) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
