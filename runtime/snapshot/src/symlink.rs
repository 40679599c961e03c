//! Symlinks must not lead out of their tree.
//!
//! Two checks. A target is first read as text: absolute ones and those with more
//! `..` than there are directories above are refused wherever a symlink enters a
//! tree. That is not enough where one symlink leads through another (`up -> a/..`
//! read as text stays inside, but goes outside when `a` is a symlink to the root), so
//! whatever crosses the disk is also resolved the way the kernel would do it.

use crate::{Directory, Node, TreePath};

const MAX_TARGET: usize = 4095;
/// The kernel gives up after as many; such a link leads nowhere.
const MAX_HOPS: usize = 40;

/// A symlink that no tree can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymlinkError {
    /// It leads out of the tree, or is absolute.
    #[error("symlink {path:?} points outside the world (to {target:?})")]
    Outside {
        /// The symlink.
        path: TreePath,
        /// Where it points, as written.
        target: String,
    },
    /// Its target is no path at all.
    #[error("symlink {path:?} has a bad target: {reason}")]
    Target {
        /// The symlink.
        path: TreePath,
        /// What is wrong with the target.
        reason: &'static str,
    },
}

/// Checks a target as text, for a symlink that stands at `path`.
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

/// Resolves every symlink of the tree below `root`.
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
    // The directories from below the root to where we stand; none where the way
    // leads into a file or into nothing.
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
