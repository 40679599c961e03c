//! Blocks. Pages and databases are blocks of their parents as well.

use super::paging::Paging;
use super::{Call, apply, archived, below_archived, check_editable, path_id, trash_flag};
use crate::input::{self, NewBlock};
use crate::model::{BlockBody, BlockType, Id, Kind, Nesting, Node, Parent, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;
use crate::world::MAX_LEVELS;

fn find(workspace: &Workspace, id: Id) -> Outcome<&Node> {
    workspace
        .nodes
        .get(&id)
        .filter(|node| !workspace.is_further_source(node))
        .ok_or_else(|| Refusal::not_found(Noun::Block, id))
}

/// `GET /v1/blocks/{block_id}`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("block_id", id)?;
    call.query.only(&[])?;
    Ok(view::block(workspace, find(workspace, id)?))
}

/// `GET /v1/blocks/{block_id}/children`. A database has no blocks; its rows are found by a query.
pub(super) fn children(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("block_id", id)?;
    call.query.only(&["start_cursor", "page_size"])?;
    let paging = Paging::parse(&call.query)?;
    let node = find(workspace, id)?;
    let blocks = match node.kind {
        Kind::Database(_) => Vec::new(),
        Kind::Page(_) | Kind::Block { .. } => {
            workspace.live_children(source(workspace, node)).collect()
        }
    };
    let (blocks, next) = paging.page(blocks, |node: &&Node| node.id)?;
    let blocks = blocks
        .into_iter()
        .map(|node| view::block(workspace, node))
        .collect();
    Ok(view::list(blocks, next, "block"))
}

/// Returns the block whose children a block shows: the original, if it is a synced copy (documentation of synced
/// blocks).
fn source<'a>(workspace: &'a Workspace, node: &'a Node) -> &'a Node {
    match &node.kind {
        Kind::Block { body, .. } => {
            let original = body.synced_from.and_then(|id| workspace.nodes.get(&id));
            original.unwrap_or(node)
        }
        Kind::Page(_) | Kind::Database(_) => node,
    }
}

/// `PATCH /v1/blocks/{block_id}/children`.
pub(super) fn append(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("block_id", id)?;
    let body = &call.body;
    body.only(&["children", "after"])?;
    let blocks = input::children(&body.get("children"))?;
    let after = body
        .get("after")
        .present()
        .map(|after| after.id())
        .transpose()?;
    let node = find(workspace, id)?;
    check_editable(workspace, id)?;
    check_nesting(node, &blocks)?;
    check_depth(workspace, id, &blocks)?;
    if let Some(after) = after {
        let is_sibling = node.children.contains(&after)
            && workspace
                .nodes
                .get(&after)
                .is_some_and(|sibling| !sibling.trashed);
        if !is_sibling {
            return Err(Refusal::invalid(format!(
                "Block with ID {after} is not a child of block with ID {id}."
            )));
        }
    }
    let parent = match node.kind {
        Kind::Page(_) => Parent::Page(id),
        Kind::Database(_) | Kind::Block { .. } => Parent::Block(id),
    };
    apply::check_blocks(workspace, &blocks)?;

    workspace.now.0 += 1;
    let ids = apply::add_blocks(workspace, parent, after, blocks);
    workspace.touch(id);
    let added = ids.iter().filter_map(|id| workspace.nodes.get(id));
    let added = added.map(|node| view::block(workspace, node)).collect();
    Ok(view::list(added, None, "block"))
}

/// Checks that new blocks do not have too many levels above and below them (chosen).
fn check_depth(workspace: &Workspace, id: Id, blocks: &[NewBlock]) -> Outcome<()> {
    let mut levels = levels(blocks);
    let mut next = Some(id);
    while let Some(node) = next.and_then(|id| workspace.nodes.get(&id)) {
        if !matches!(node.kind, Kind::Block { .. }) {
            break;
        }
        levels += 1;
        next = node.parent.id();
    }
    if levels > MAX_LEVELS {
        return Err(Refusal::invalid(format!(
            "Blocks may have at most {MAX_LEVELS} levels."
        )));
    }
    Ok(())
}

/// Returns the number of levels of new blocks, of which there are few in a request.
fn levels(blocks: &[NewBlock]) -> usize {
    let below = blocks.iter().map(|block| 1 + self::levels(&block.children));
    below.max().unwrap_or(0)
}

/// Checks that a block may contain new ones.
fn check_nesting(node: &Node, blocks: &[NewBlock]) -> Outcome<()> {
    let (kind, body) = match &node.kind {
        Kind::Block { kind, body } => (*kind, body.as_ref()),
        Kind::Page(_) => return check_in_page(blocks),
        Kind::Database(_) => return Err(no_children()),
    };
    if !may_have_children(kind, body) {
        return Err(no_children());
    }
    check_children(kind, body, blocks)
}

/// Checks that a page may contain new blocks: those that a paragraph may contain.
pub(super) fn check_in_page(blocks: &[NewBlock]) -> Outcome<()> {
    check_children(BlockType::Paragraph, &BlockBody::default(), blocks)
}

fn check_children(kind: BlockType, body: &BlockBody, blocks: &[NewBlock]) -> Outcome<()> {
    for block in blocks {
        if !kind.may_contain(block.kind) {
            return Err(input::misplaced(kind, block.kind));
        }
        if kind == BlockType::Table && block.body.cells.len() as u64 != body.table_width {
            return Err(input::wrong_width());
        }
    }
    Ok(())
}

/// Reports whether a block may have children. Headings may if they can be toggled, and synced copies show those of
/// their original.
pub(crate) fn may_have_children(kind: BlockType, body: &BlockBody) -> bool {
    match kind {
        BlockType::Heading1 | BlockType::Heading2 | BlockType::Heading3 => body.toggleable,
        BlockType::SyncedBlock => body.synced_from.is_none(),
        _ => kind.nesting() != Nesting::Leaf,
    }
}

fn no_children() -> Refusal {
    Refusal::invalid("Block does not support children.")
}

/// `PATCH /v1/blocks/{block_id}`.
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("block_id", id)?;
    let body = &call.body;
    let trash = trash_flag(workspace, body)?;
    let node = find(workspace, id)?;
    if workspace.is_below_trash(id) {
        return Err(below_archived());
    }
    if node.trashed && trash != Some(false) {
        return Err(archived());
    }
    let changed = match &node.kind {
        Kind::Block { kind, body: before } => {
            if let Some(named) = body.get("type").present() {
                named.one_of(&[*kind], BlockType::name)?;
            }
            if let Some(other) = other_type(body, *kind) {
                return Err(Refusal::invalid(format!(
                    "Block with ID {id} is of type {}, and cannot be updated as {}.",
                    kind.name(),
                    other.name()
                )));
            }
            body.only(&["type", kind.name(), "archived", "in_trash"])?;
            let content = body.get(kind.name()).present();
            let changed = content.map(|content| input::update(*kind, before, &content));
            let changed = changed.transpose()?;
            if let Some(changed) = &changed {
                apply::check_body(workspace, changed)?;
                check_row(workspace, node, changed)?;
                // A heading with children stays a toggle.
                let has_children = !node.children.is_empty();
                if has_children && !may_have_children(*kind, changed) {
                    return Err(no_children());
                }
            }
            changed
        }
        // Titles are changed through the pages and databases (documentation of the update of a block).
        Kind::Page(_) | Kind::Database(_) => {
            body.only(&["archived", "in_trash"])?;
            None
        }
    };
    check_trash_of_root(node, trash)?;

    workspace.now.0 += 1;
    if let Some(node) = workspace.nodes.get_mut(&id) {
        node.trashed = trash.unwrap_or(node.trashed);
        if let (Kind::Block { body, .. }, Some(changed)) = (&mut node.kind, changed) {
            **body = changed;
        }
    }
    workspace.touch(id);
    Ok(view::block(workspace, find(workspace, id)?))
}

fn other_type(body: &input::Field<'_>, kind: BlockType) -> Option<BlockType> {
    let others = BlockType::ALL
        .iter()
        .copied()
        .filter(|other| *other != kind);
    others
        .into_iter()
        .find(|other| !body.get(other.name()).is_absent())
}

/// Checks that a changed table row has as many cells as its table has columns.
fn check_row(workspace: &Workspace, node: &Node, body: &BlockBody) -> Outcome<()> {
    let is_row = matches!(
        node.kind,
        Kind::Block {
            kind: BlockType::TableRow,
            ..
        }
    );
    let table = node.parent.id().and_then(|id| workspace.nodes.get(&id));
    match table.map(|table| &table.kind) {
        Some(Kind::Block { body: table, .. })
            if is_row && body.cells.len() as u64 != table.table_width =>
        {
            Err(input::wrong_width())
        }
        _ => Ok(()),
    }
}

/// Checks that a page at the top level is not moved to the trash.
pub(super) fn check_trash_of_root(node: &Node, trash: Option<bool>) -> Outcome<()> {
    if trash == Some(true) && node.parent == Parent::Workspace {
        return Err(Refusal::invalid(
            "Archiving workspace level pages via API not supported.",
        ));
    }
    Ok(())
}

/// `DELETE /v1/blocks/{block_id}`. The block is moved to the trash.
pub(super) fn delete(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("block_id", id)?;
    call.query.only(&[])?;
    let node = find(workspace, id)?;
    check_editable(workspace, id)?;
    check_trash_of_root(node, Some(true))?;

    workspace.now.0 += 1;
    if let Some(node) = workspace.nodes.get_mut(&id) {
        node.trashed = true;
    }
    workspace.touch(id);
    Ok(view::block(workspace, find(workspace, id)?))
}
