//! Texts at places of a workspace.

use super::words;
use crate::model::{Id, Kind, Node, Workspace};

/// Returns the text of the page, row or database at a place: the titles from the top to it, joined by `/`.
///
/// The text of a page consists of its title, the values of a row, the texts of blocks, and comments, each on lines of
/// its own. That of a database consists of its title, its description, and the names of its properties and options.
/// Pages and blocks in the trash have no text. If several pages have the same titles, the first one is meant.
#[must_use]
pub fn text_at(workspace: &Workspace, place: &str) -> Option<String> {
    let roots = workspace
        .roots
        .iter()
        .filter_map(|id| workspace.nodes.get(id));
    let node = find(workspace, roots.collect(), place)?;
    let mut lines = vec![super::title(workspace, node.id)];
    match &node.kind {
        Kind::Database(database) => {
            lines.push(workspace.plain(&database.description));
            for property in &database.properties {
                lines.push(property.name.clone());
                let options = property.config.options().iter();
                lines.extend(options.map(|option| option.name.clone()));
            }
        }
        Kind::Page(page) => {
            if let Some((_, database)) = workspace.database_of(node.id) {
                for property in &database.properties {
                    let value = words::value(workspace, node, page, property);
                    lines.push(format!("{}: {value}", property.name));
                }
            }
            comments(workspace, node.id, &mut lines);
            blocks(workspace, node, &mut lines);
        }
        Kind::Block { .. } => {}
    }
    lines.retain(|line| !line.is_empty());
    Some(lines.join("\n"))
}

/// Returns the node whose title is the beginning of a place, and whose children have the rest. Titles may contain `/`.
fn find<'a>(workspace: &'a Workspace, nodes: Vec<&'a Node>, place: &str) -> Option<&'a Node> {
    for node in nodes.into_iter().filter(|node| !node.trashed) {
        let rest = place.strip_prefix(super::title(workspace, node.id).as_str());
        let found = match rest {
            Some("") => Some(node),
            Some(rest) => rest
                .strip_prefix('/')
                .and_then(|rest| find(workspace, below(workspace, node), rest)),
            None => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns the pages and databases in a page or database, also those inside blocks.
fn below<'a>(workspace: &'a Workspace, node: &'a Node) -> Vec<&'a Node> {
    let mut found = Vec::new();
    let mut open: Vec<&Node> = workspace.live_children(node).collect();
    open.reverse();
    while let Some(child) = open.pop() {
        if matches!(child.kind, Kind::Block { .. }) {
            let children: Vec<&Node> = workspace.live_children(child).collect();
            open.extend(children.into_iter().rev());
        } else {
            found.push(child);
        }
    }
    found
}

fn comments(workspace: &Workspace, id: Id, lines: &mut Vec<String>) {
    let comments = workspace.comments.get(&id).into_iter().flatten();
    lines.extend(comments.map(|comment| workspace.plain(&comment.rich_text)));
}

/// Appends the texts of the blocks of a page or block. Levels are limited by the form of worlds.
fn blocks(workspace: &Workspace, node: &Node, lines: &mut Vec<String>) {
    for child in workspace.live_children(node) {
        lines.extend(words::block(workspace, child));
        if matches!(child.kind, Kind::Block { .. }) {
            comments(workspace, child.id, lines);
            blocks(workspace, child, lines);
        }
    }
}
