//! Names of places of a workspace.

use crate::model::{BlockBody, Id, Kind, Node, Property, Workspace};

/// Maximum number of characters of the text of a block in its name.
const SHOWN: usize = 40;

/// Returns the titles from the top to a page, database or row, or to the page that contains a block.
pub(super) fn page(workspace: &Workspace, id: Id) -> String {
    let mut titles = Vec::new();
    let mut next = workspace.nodes.get(&id);
    while let Some(node) = next {
        if !matches!(node.kind, Kind::Block { .. }) {
            titles.push(match workspace.title(node.id) {
                title if title.is_empty() => "Untitled".to_owned(),
                title => title,
            });
        }
        next = node.parent.id().and_then(|id| workspace.nodes.get(&id));
    }
    titles.reverse();
    titles.join("/")
}

/// Returns the place of a page, database, row or block.
pub(super) fn node(workspace: &Workspace, node: &Node) -> String {
    let page = page(workspace, node.id);
    match &node.kind {
        Kind::Block { kind, body } => {
            let text = block_text(workspace, body);
            let name = kind.name();
            if text.is_empty() {
                return format!("{page}: {name}");
            }
            let shown: String = text.chars().take(SHOWN).collect();
            let more = if text.chars().nth(SHOWN).is_some() {
                "…"
            } else {
                ""
            };
            format!("{page}: {name} \"{shown}{more}\"")
        }
        Kind::Page(_) | Kind::Database(_) => page,
    }
}

/// Returns the place of a property of a row or database.
pub(super) fn property(workspace: &Workspace, id: Id, property: &Property) -> String {
    format!("{}: {}", page(workspace, id), property.name)
}

fn block_text(workspace: &Workspace, body: &BlockBody) -> String {
    let mut text = workspace.plain(&body.rich_text);
    for cell in &body.cells {
        if !text.is_empty() {
            text.push_str(" | ");
        }
        text.push_str(&workspace.plain(cell));
    }
    text.replace('\n', " ")
}
