//! Differences between two trees.

use std::fmt;

use crate::{Directory, Node, Tree, TreePath};

/// Changed entry, with its nodes in both trees. If a node is a directory, it was added, removed, or replaced by an
/// entry of another kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Path of the entry.
    pub path: TreePath,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Node in the earlier tree.
    pub before: Option<Node>,
    /// Node in the later tree.
    pub after: Option<Node>,
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Entry that exists only in the later tree.
    Added,
    /// Entry that exists only in the earlier tree.
    Removed,
    /// Entry whose content, executable bit, target or kind differs.
    Modified,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Modified => "modified",
        })
    }
}

/// Returns the entries that differ, sorted by the bytes of their paths.
///
/// A directory is listed if it was added or removed, together with everything below it, or if its kind changed, but not
/// if only its content changed. A file is not listed if only its modification time differs.
#[must_use]
pub fn diff(before: &Tree, after: &Tree) -> Vec<Change> {
    let mut changes = Vec::new();
    directories(
        Some(before.root()),
        Some(after.root()),
        &TreePath::root(),
        &mut changes,
    );
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

fn directories(
    before: Option<&Directory>,
    after: Option<&Directory>,
    path: &TreePath,
    changes: &mut Vec<Change>,
) {
    if let (Some(before), Some(after)) = (before, after)
        && before.same(after)
    {
        return;
    }
    for (name, old) in before.into_iter().flat_map(Directory::iter) {
        let new = after.and_then(|directory| directory.get(name));
        nodes(Some(old), new, &path.child(name), changes);
    }
    for (name, new) in after.into_iter().flat_map(Directory::iter) {
        if before.and_then(|directory| directory.get(name)).is_none() {
            nodes(None, Some(new), &path.child(name), changes);
        }
    }
}

fn nodes(before: Option<&Node>, after: Option<&Node>, path: &TreePath, changes: &mut Vec<Change>) {
    let kind = match (before, after) {
        (None, _) => Some(ChangeKind::Added),
        (_, None) => Some(ChangeKind::Removed),
        (Some(old), Some(new)) => differ(old, new).then_some(ChangeKind::Modified),
    };
    if let Some(kind) = kind {
        changes.push(Change {
            path: path.clone(),
            kind,
            before: before.cloned(),
            after: after.cloned(),
        });
    }
    let old = before.and_then(Node::as_directory);
    let new = after.and_then(Node::as_directory);
    if old.is_some() || new.is_some() {
        directories(old, new, path, changes);
    }
}

fn differ(before: &Node, after: &Node) -> bool {
    match (before, after) {
        (Node::Directory(_), Node::Directory(_)) => false,
        (Node::File(old), Node::File(new)) => {
            old.content != new.content || old.executable != new.executable
        }
        (Node::Symlink(old), Node::Symlink(new)) => old != new,
        _ => true,
    }
}
