//! Blocks between the workspace and Markdown.

use crate::model::{BlockBody, BlockType, Id, Kind, Node, Workspace};

/// Block with those below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Content.
    pub(crate) content: Content,
    /// Children.
    pub(crate) children: Vec<Item>,
}

/// Content of a block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Block with a form in Markdown.
    Block(BlockType, Box<BlockBody>),
    /// Child page.
    Page(Id),
    /// Child database.
    Database(Id),
    /// Existing block that has no form in Markdown, with the name of its type.
    Opaque(Id, String),
}

/// Reports whether a block has no form in Markdown. A code block with a caption has none for the caption, so it is left
/// as it is too.
pub(crate) fn opaque(kind: BlockType, body: &BlockBody) -> bool {
    match kind {
        BlockType::Embed
        | BlockType::Bookmark
        | BlockType::Breadcrumb
        | BlockType::LinkToPage
        | BlockType::Template
        | BlockType::SyncedBlock => true,
        BlockType::Code => !body.caption.is_empty(),
        BlockType::File => !body.text.is_empty(),
        BlockType::Callout => matches!(body.icon, Some(crate::model::Icon::File(_))),
        _ => false,
    }
}

/// Returns the blocks below a page or block that are not in the trash.
pub(crate) fn children(workspace: &Workspace, node: &Node) -> Vec<Item> {
    let live = workspace.live_children(node);
    live.map(|child| item(workspace, child)).collect()
}

fn item(workspace: &Workspace, node: &Node) -> Item {
    let (content, children) = match &node.kind {
        Kind::Page(_) => (Content::Page(node.id), Vec::new()),
        Kind::Database(_) => (Content::Database(node.id), Vec::new()),
        Kind::Block { kind, body } if opaque(*kind, body) => {
            (Content::Opaque(node.id, kind.name().to_owned()), Vec::new())
        }
        Kind::Block { kind, body } => (
            Content::Block(*kind, body.clone()),
            children(workspace, node),
        ),
    };
    Item { content, children }
}
