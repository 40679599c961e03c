//! Symlink checks, which ensure that symlinks do not lead out of their tree.
//!
//! There are two checks. The target is first checked as text: absolute targets, and targets with more `..` than parent
//! directories, are refused whenever a symlink enters a tree. This is insufficient if one symlink leads through
//! another: the text of `up -> a/..` stays inside, but the link leads outside if `a` is a symlink to the root. So trees
//! that are read from or written to disk are also checked by resolving their symlinks like the kernel.

use crate::{Directory, Node, TreePath};

const MAX_TARGET: usize = 4095;
/// Maximum number of symlinks in one path, as in the kernel. A path with more cannot be resolved, so it cannot lead
/// outside.
const MAX_HOPS: usize = 40;

/// Error of a symlink that is invalid in a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymlinkError {
    /// Symlink that is absolute or leads out of the tree.
    #[error("symlink {path:?} points outside the world (to {target:?})")]
    Outside {
        /// Path of the symlink.
        path: TreePath,
        /// Target, as written.
        target: String,
    },
    /// Target that is not a path.
    #[error("symlink {path:?} has a bad target: {reason}")]
    Target {
        /// Path of the symlink.
        path: TreePath,
        /// Problem of the target.
        reason: &'static str,
    },
}

/// Checks the text of the target of a symlink at `path`.
pub(crate) fn check_text(path: &TreePath, target: &str) -> Result<(), SymlinkError> {
    let reason = match target {
        "" => Some("it is empty"),
        _ if target.len() > MAX_TARGET => Some("it is longer than 4095 bytes"),
        _ if target.contains('\0') => Some("it has a NUL byte"),
        _ => None,
    };
    if let Some(reason) = reason {
        return Err(SymlinkError::Target {
            path: path.clone(),
            reason,
        });
    }
    let mut depth = path.segments().count().saturating_sub(1);
    let mut inside = !target.starts_with('/');
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." if depth == 0 => inside = false,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    if inside {
        Ok(())
    } else {
        Err(outside(path, target))
    }
}

fn outside(path: &TreePath, target: &str) -> SymlinkError {
    SymlinkError::Outside {
        path: path.clone(),
        target: target.to_owned(),
    }
}

/// Resolves the given symlinks of the tree below `root`, and refuses those that lead outside.
pub(crate) fn check_tree<'a>(
    root: &'a Directory,
    symlinks: impl Iterator<Item = (&'a TreePath, &'a str)>,
) -> Result<(), SymlinkError> {
    for (path, target) in symlinks {
        if !stays_inside(root, path, target) {
            return Err(outside(path, target));
        }
    }
    Ok(())
}

fn stays_inside<'a>(root: &'a Directory, path: &'a TreePath, target: &'a str) -> bool {
    // Directories from below the root to the current position. `None` for a file or a missing entry.
    let mut stack: Vec<Option<&Directory>> = Vec::new();
    let mut ahead: Vec<&str> = target.split('/').rev().collect();
    let parents = path.segments().count().saturating_sub(1);
    let mut above = root;
    for name in path.segments().take(parents) {
        let Some(Node::Directory(directory)) = above.get(name) else {
            return false;
        };
        stack.push(Some(directory));
        above = directory;
    }
    let mut hops = 0;
    while let Some(segment) = ahead.pop() {
        match segment {
            "" | "." => {}
            ".." => {
                if stack.pop().is_none() {
                    return false;
                }
            }
            name => {
                let here = stack.last().copied().unwrap_or(Some(root));
                match here.and_then(|directory| directory.get(name)) {
                    Some(Node::Directory(directory)) => stack.push(Some(directory)),
                    Some(Node::Symlink(symlink)) => {
                        hops += 1;
                        if hops > MAX_HOPS {
                            return true;
                        }
                        ahead.extend(symlink.target.split('/').rev());
                    }
                    Some(Node::File(_)) | None => stack.push(None),
                }
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeBuilder;

    fn path(text: &str) -> TreePath {
        TreePath::parse(text).unwrap()
    }

    #[test]
    fn text_check() {
        for (at, target) in [
            ("a", "b"),
            ("a", "."),
            ("d/a", ".."),
            ("d/a", "../x/../y"),
            ("d/e/a", "../../x"),
            ("a", "missing/also"),
            ("a", "x//y/"),
        ] {
            assert_eq!(check_text(&path(at), target), Ok(()), "{at} -> {target}");
        }
        for (at, target) in [
            ("a", ".."),
            ("a", "/etc/passwd"),
            ("a", "/"),
            ("d/a", "../.."),
            ("d/a", "../../d/a"),
            ("a", "x/../../a"),
        ] {
            let error = check_text(&path(at), target).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("symlink {at:?} points outside the world (to {target:?})")
            );
        }
        for target in ["", "a\0b", &"x/".repeat(2048)] {
            assert!(matches!(
                check_text(&path("a"), target),
                Err(SymlinkError::Target { .. })
            ));
        }
    }

    #[test]
    fn chains_are_resolved() {
        let escapes = |links: &[(&str, &str)]| {
            let mut builder = TreeBuilder::new();
            for (at, target) in links {
                builder.insert_symlink(&path(at), target).unwrap();
            }
            builder.finish().check_symlinks().err()
        };
        assert_eq!(escapes(&[("a", "b"), ("b", "a")]), None);
        assert_eq!(escapes(&[("d/up", ".."), ("x", "d/up/y")]), None);
        assert_eq!(
            escapes(&[("d/up", ".."), ("x", "d/up/../etc")]),
            Some(outside(&path("x"), "d/up/../etc"))
        );
        assert_eq!(
            escapes(&[("d/e/up", "../.."), ("h", "d/e/up"), ("z/x", "../h/..")]),
            Some(outside(&path("z/x"), "../h/.."))
        );
    }
}
