//! Drawing of a tree as text.

use std::fmt::Write;

use mcpmark_snapshot::{Directory, Node, Tree};

/// Formats a tree with one entry in each line, like the program `tree`, as in `meta_data.stateContent` of published
/// tasks. Directories end with `/`, and symlinks are followed by their target.
pub fn tree_view(tree: &Tree) -> String {
    let mut view = "./\n".to_owned();
    draw(tree.root(), "", &mut view);
    view.truncate(view.trim_end().len());
    view
}

fn draw(directory: &Directory, indent: &str, view: &mut String) {
    let count = directory.len();
    for (index, (name, node)) in directory.iter().enumerate() {
        let (branch, below) = if index + 1 == count {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        // Writing to a string cannot fail.
        let _ = match node {
            Node::Directory(_) => writeln!(view, "{indent}{branch}{name}/"),
            Node::File(_) => writeln!(view, "{indent}{branch}{name}"),
            Node::Symlink(link) => writeln!(view, "{indent}{branch}{name} -> {}", link.target),
        };
        if let Node::Directory(directory) = node {
            draw(directory, &format!("{indent}{below}"), view);
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_snapshot::{Digest, File, TreeBuilder, TreePath};

    use super::*;

    #[test]
    fn branches_end_where_their_directory_does() {
        let mut builder = TreeBuilder::new();
        for path in ["a/b/c.txt", "a/d.txt", "e.txt"] {
            let file = File {
                size: 0,
                executable: false,
                modified: None,
                content: Digest::of(b""),
            };
            builder
                .insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        }
        let link = TreePath::parse("f").unwrap();
        builder.insert_symlink(&link, "e.txt").unwrap();
        assert_eq!(
            tree_view(&builder.finish()),
            "./\n├── a/\n│   ├── b/\n│   │   └── c.txt\n│   └── d.txt\n├── e.txt\n└── f -> e.txt"
        );
    }
}
