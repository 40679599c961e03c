//! Properties of the diff.

use mcpmark_snapshot::{Change, ChangeKind, Kind, Node, Tree, TreeBuilder, TreePath, diff};
use proptest::prelude::*;

use crate::trees::{World, world};

fn apply(tree: &Tree, changes: &[Change]) -> Tree {
    let mut builder = TreeBuilder::from(tree.clone());
    // Deepest first, so that a removed directory is already empty.
    for change in changes.iter().rev().filter(|c| c.before.is_some()) {
        let removed = builder.remove(&change.path).expect("it stands there");
        if let Node::Directory(directory) = removed {
            assert!(directory.is_empty(), "{:?} lists its content", change.path);
        }
    }
    for change in changes {
        match &change.after {
            Some(Node::Directory(_)) => builder.create_directory(&change.path).unwrap(),
            Some(Node::File(file)) => builder.insert_file(&change.path, file.clone()).unwrap(),
            Some(Node::Symlink(link)) => {
                builder.insert_symlink(&change.path, &link.target).unwrap();
            }
            None => {}
        }
    }
    builder.finish()
}

proptest! {
    #[test]
    fn a_tree_does_not_differ_from_itself(world in world(true)) {
        let tree = world.tree();
        prop_assert_eq!(diff(&tree, &tree), vec![]);
        // A copy without shared directories.
        let copy = apply(&Tree::empty(), &diff(&Tree::empty(), &tree));
        prop_assert_eq!(&copy, &tree);
        prop_assert_eq!(diff(&tree, &copy), vec![]);
    }

    #[test]
    fn applied_to_the_first_it_makes_the_second(a in world(false), b in world(false)) {
        let (a, b) = (a.tree(), b.tree());
        let forth = diff(&a, &b);
        prop_assert!(forth.is_sorted_by(|x, y| x.path < y.path));
        prop_assert_eq!(apply(&a, &forth), b.clone());

        let back = diff(&b, &a);
        prop_assert_eq!(back.len(), forth.len());
        for (x, y) in forth.iter().zip(&back) {
            prop_assert_eq!(&x.path, &y.path);
            prop_assert_eq!(&x.before, &y.after);
            prop_assert_eq!(&x.after, &y.before);
            prop_assert_eq!(x.before.as_ref(), a.get(&x.path));
            prop_assert_eq!(x.after.as_ref(), b.get(&x.path));
        }
    }
}

fn lines(before: &Tree, after: &Tree) -> Vec<String> {
    diff(before, after)
        .iter()
        .map(|change| format!("{} {}", change.kind, change.path))
        .collect()
}

#[test]
fn changes_are_listed() {
    let before = World::default()
        .file("keep/same", "1")
        .file("keep/edited", "1")
        .file("keep.txt", "1")
        .file("gone/deep/file", "1")
        .directory("gone/empty")
        .file("kind", "1")
        .symlink("link", "keep");
    let after = World::default()
        .file("keep/same", "1")
        .file("keep/edited", "2")
        .file("keep.txt", "1")
        .file("kind/inside", "1")
        .symlink("link", "keep/same")
        .directory("new");
    let changes = [
        "removed gone",
        "removed gone/deep",
        "removed gone/deep/file",
        "removed gone/empty",
        "modified keep/edited",
        "modified kind",
        "added kind/inside",
        "modified link",
        "added new",
    ];
    assert_eq!(lines(&before.tree(), &after.tree()), changes);
    let listed = diff(&before.tree(), &after.tree());
    let kind = &listed[5];
    assert_eq!(kind.before.as_ref().unwrap().kind(), Kind::File);
    assert_eq!(kind.after.as_ref().unwrap().kind(), Kind::Directory);
    assert_eq!(kind.kind, ChangeKind::Modified);
}

#[test]
fn times_are_in_the_digest_but_no_change() {
    let make = |executable, modified| {
        let mut world = World::default();
        world.add("d/f", "1", executable, modified).unwrap();
        world.tree()
    };
    let (plain, dated) = (make(false, None), make(false, Some(5)));
    assert_ne!(plain.digest(), dated.digest());
    assert!(lines(&plain, &dated).is_empty());
    assert_eq!(lines(&plain, &make(true, None)), ["modified d/f"]);
    assert!(plain.get(&TreePath::root()).is_some());
}
