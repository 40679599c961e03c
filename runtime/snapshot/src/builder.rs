//! Construction and editing of trees.

use crate::symlink::{self, SymlinkError};
use crate::{Directory, File, Kind, Node, Symlink, Tree, TreePath};

/// Builder that creates a tree entry by entry, or edits an existing tree (`TreeBuilder::from(tree)`), with which it
/// shares unchanged directories.
#[derive(Clone, Debug, Default)]
pub struct TreeBuilder {
    root: Directory,
}

impl TreeBuilder {
    /// Creates an empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and its missing parent directories.
    pub fn insert_file(&mut self, path: &TreePath, file: File) -> Result<(), BuildError> {
        self.insert(path, Node::File(file))
    }

    /// Adds a symlink and its missing parent directories. The target is kept as written, and must not lead out of the
    /// tree.
    pub fn insert_symlink(&mut self, path: &TreePath, target: &str) -> Result<(), BuildError> {
        symlink::check_text(path, target)?;
        let target = target.to_owned();
        self.insert(path, Node::Symlink(Symlink { target }))
    }

    /// Adds a directory and its missing parents. Succeeds if the directory exists.
    pub fn create_directory(&mut self, path: &TreePath) -> Result<(), BuildError> {
        match self.get(path) {
            Some(node) if node.kind() != Kind::Directory => Err(exists(path, node)),
            _ => self.directory(path).map(drop),
        }
    }

    /// Removes an entry with everything below it, and returns it. Its parent directories remain. Removing the root
    /// empties the tree.
    pub fn remove(&mut self, path: &TreePath) -> Option<Node> {
        self.get_or_root(path)?;
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Some(Node::Directory(std::mem::take(&mut self.root)));
        };
        self.directory(&parent).ok()?.entries_mut().remove(name)
    }

    /// Returns the entry at `path`, or `None` for the root.
    #[must_use]
    pub fn get(&self, path: &TreePath) -> Option<&Node> {
        let mut segments = path.segments();
        let first = self.root.get(segments.next()?)?;
        segments.try_fold(first, |node, name| node.as_directory()?.get(name))
    }

    /// Returns the tree.
    #[must_use]
    pub fn finish(self) -> Tree {
        Tree::from_root(self.root)
    }

    fn get_or_root(&self, path: &TreePath) -> Option<()> {
        if path.is_root() {
            return Some(());
        }
        self.get(path).map(drop)
    }

    fn insert(&mut self, path: &TreePath, node: Node) -> Result<(), BuildError> {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else {
            return Err(BuildError::Exists {
                path: path.clone(),
                kind: Kind::Directory,
            });
        };
        if let Some(node) = self.get(path) {
            return Err(exists(path, node));
        }
        self.directory(&parent)?
            .entries_mut()
            .insert(name.to_owned(), node);
        Ok(())
    }

    /// Returns the directory at `path`, and creates it if necessary.
    fn directory(&mut self, path: &TreePath) -> Result<&mut Directory, BuildError> {
        let mut at = TreePath::root();
        let mut here = &self.root;
        // Checked before any change, so that a failure leaves no directories behind.
        for name in path.segments() {
            at = at.child(name);
            match here.get(name) {
                None => break,
                Some(Node::Directory(directory)) => here = directory,
                Some(node) => {
                    return Err(BuildError::NotADirectory {
                        path: at,
                        kind: node.kind(),
                    });
                }
            }
        }
        let mut here = &mut self.root;
        for name in path.segments() {
            let node = here
                .entries_mut()
                .entry(name.to_owned())
                .or_insert_with(|| Node::Directory(Directory::default()));
            here = match node {
                Node::Directory(directory) => directory,
                _ => unreachable!("the loop above returned for other kinds"),
            };
        }
        Ok(here)
    }
}

impl From<Tree> for TreeBuilder {
    fn from(tree: Tree) -> Self {
        Self {
            root: tree.root().clone(),
        }
    }
}

fn exists(path: &TreePath, node: &Node) -> BuildError {
    BuildError::Exists {
        path: path.clone(),
        kind: node.kind(),
    }
}

/// Error of adding an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Existing entry at the path.
    #[error("{path:?} already exists, as a {kind}")]
    Exists {
        /// Path.
        path: TreePath,
        /// Kind of the existing entry.
        kind: Kind,
    },
    /// Ancestor that is not a directory.
    #[error("{path:?} is not a directory but a {kind}")]
    NotADirectory {
        /// Path of the ancestor.
        path: TreePath,
        /// Kind of the ancestor.
        kind: Kind,
    },
    /// Symlink that is invalid in a tree.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    fn path(text: &str) -> TreePath {
        TreePath::parse(text).unwrap()
    }

    fn file(content: &str) -> File {
        File {
            size: content.len() as u64,
            executable: false,
            modified: None,
            content: Digest::of(content.as_bytes()),
        }
    }

    #[test]
    fn refusals_change_nothing() {
        let mut builder = TreeBuilder::new();
        builder.insert_file(&path("a/b"), file("x")).unwrap();
        builder.insert_symlink(&path("l"), "a").unwrap();
        let before = builder.clone().finish();

        let exists = builder.insert_file(&path("a"), file("y")).unwrap_err();
        assert_eq!(exists.to_string(), "\"a\" already exists, as a directory");
        let under_file = builder
            .insert_file(&path("a/b/c/d"), file("y"))
            .unwrap_err();
        assert_eq!(
            under_file.to_string(),
            "\"a/b\" is not a directory but a file"
        );
        let under_link = builder.insert_file(&path("l/c"), file("y")).unwrap_err();
        assert_eq!(
            under_link.to_string(),
            "\"l\" is not a directory but a symlink"
        );
        assert!(builder.create_directory(&path("a/b")).is_err());
        assert!(builder.insert_file(&TreePath::root(), file("y")).is_err());
        assert!(builder.insert_symlink(&path("new/up"), "../..").is_err());
        builder.create_directory(&path("a")).unwrap();
        builder.create_directory(&TreePath::root()).unwrap();
        assert_eq!(builder.remove(&path("nowhere/at/all")), None);

        assert_eq!(builder.finish(), before);
    }

    #[test]
    fn editing_leaves_the_original_alone() {
        let mut builder = TreeBuilder::new();
        builder.insert_file(&path("a/b"), file("x")).unwrap();
        let first = builder.finish();
        let digest = first.digest();

        let mut builder = TreeBuilder::from(first.clone());
        assert_eq!(builder.remove(&path("a/b")), Some(Node::File(file("x"))));
        builder.insert_file(&path("a/b"), file("y")).unwrap();
        let second = builder.finish();

        assert_eq!(first.get(&path("a/b")), Some(&Node::File(file("x"))));
        assert_eq!(second.get(&path("a/b")), Some(&Node::File(file("y"))));
        assert_eq!(first.digest(), digest);
        assert_ne!(second.digest(), digest);

        let mut builder = TreeBuilder::from(second);
        assert!(builder.remove(&TreePath::root()).is_some());
        assert_eq!(builder.finish(), Tree::empty());
    }

    #[test]
    fn a_digest_known_before_an_edit_is_not_kept() {
        let mut builder = TreeBuilder::new();
        builder.insert_file(&path("a"), file("x")).unwrap();
        let tree = builder.finish();
        let before = tree.digest();
        let mut builder = TreeBuilder::from(tree);
        builder.create_directory(&path("d")).unwrap();
        assert_ne!(builder.finish().digest(), before);
    }
}
