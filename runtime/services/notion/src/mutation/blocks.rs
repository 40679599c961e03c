//! Mistakes in blocks.

use std::collections::BTreeSet;

use super::MutationKind as K;
use super::changes::Changes;
use super::{Edits, objects, places, text};
use crate::model::{
    BlockBody, BlockField, BlockType, Color, Id, Kind, LANGUAGES, Node, Parent, Target, Workspace,
};

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let mut parents = BTreeSet::new();
    for node in changes.live() {
        let Kind::Block { kind, body } = &node.kind else {
            continue;
        };
        if !changes.is_changed(node) {
            continue;
        }
        let place = places::node(changes.end, node);
        let block = Block {
            node,
            kind: *kind,
            body,
            place: &place,
        };
        content(changes.end, &block, edits);
        typed(&block, edits);
        settings(&block, edits);
        position(changes, &block, edits);
        match changes.start.nodes.get(&node.id) {
            None => {
                existence(&block, edits);
                parents.insert(node.parent.id());
            }
            Some(before) => stale(&block, before, edits),
        }
    }
    for id in parents.into_iter().flatten() {
        let Some(node) = changes.end.nodes.get(&id) else {
            continue;
        };
        if let Kind::Block { kind, body } = &node.kind
            && !(crate::api::may_have_children(*kind, body)
                && kind.may_contain(BlockType::Paragraph))
        {
            continue;
        }
        let (parent, place) = (objects::below(node), places::node(changes.end, node));
        let first = changes.end.live_children(node).next().map(|node| node.id);
        for (after, what) in [(None, "a last paragraph"), (first, "a second paragraph")] {
            edits.add(K::StrayBlock, place.as_str(), what, move |workspace| {
                objects::add_paragraph(workspace, parent, "Note to self", after);
            });
        }
    }
}

/// Block that the solution created or changed.
struct Block<'a, 'b> {
    node: &'a Node,
    kind: BlockType,
    body: &'a BlockBody,
    place: &'b str,
}

impl<'a> Block<'a, '_> {
    /// Adds a mutant whose block has another body.
    fn with_body(
        &self,
        edits: &mut Edits<'a>,
        kind: K,
        what: impl Into<String>,
        change: impl Fn(&mut BlockBody) + 'a,
    ) {
        let id = self.node.id;
        edits.add(kind, self.place, what, move |workspace| {
            if let Some(body) = body_mut(workspace, id) {
                change(body);
            }
        });
    }
}

fn body_mut(workspace: &mut Workspace, id: Id) -> Option<&mut BlockBody> {
    match &mut workspace.nodes.get_mut(&id)?.kind {
        Kind::Block { body, .. } => Some(body),
        Kind::Page(_) | Kind::Database(_) => None,
    }
}

/// Mistakes in the texts of a block.
fn content<'a>(workspace: &'a Workspace, block: &Block<'a, '_>, edits: &mut Edits<'a>) {
    let body = block.body;
    for (kind, what, text) in text::text_mistakes(workspace, &body.rich_text) {
        block.with_body(edits, kind, what, move |body| {
            body.rich_text.clone_from(&text)
        });
    }
    for (kind, what, text) in text::text_mistakes(workspace, &body.caption) {
        block.with_body(edits, kind, what, move |body| {
            body.caption.clone_from(&text)
        });
    }
    for (index, cell) in body.cells.iter().enumerate() {
        for (kind, what, text) in text::text_mistakes(workspace, cell) {
            block.with_body(edits, kind, what, move |body| {
                body.cells[index].clone_from(&text)
            });
        }
    }
    let pair = (1..body.cells.len()).find(|at| body.cells[*at] != body.cells[at - 1]);
    if let Some(at) = pair {
        block.with_body(edits, K::BlockOrder, "two cells swapped", move |body| {
            body.cells.swap(at - 1, at);
        });
    }
}

/// Types that are mistaken for each other.
fn other_types(kind: BlockType) -> &'static [BlockType] {
    use BlockType as B;
    match kind {
        B::Paragraph => &[B::BulletedListItem, B::Quote],
        B::BulletedListItem => &[B::NumberedListItem, B::ToDo],
        B::NumberedListItem => &[B::BulletedListItem],
        B::ToDo => &[B::BulletedListItem],
        B::Heading1 => &[B::Heading2],
        B::Heading2 => &[B::Heading3, B::Heading1],
        B::Heading3 => &[B::Heading2],
        B::Quote | B::Toggle => &[B::Paragraph],
        B::Callout => &[B::Quote],
        B::Code => &[B::Paragraph],
        _ => &[],
    }
}

/// Blocks with another type and the same text.
fn typed<'a>(block: &Block<'a, '_>, edits: &mut Edits<'a>) {
    let id = block.node.id;
    for other in other_types(block.kind) {
        let what = format!("{} is {}", block.kind.name(), other.name());
        let is_code = block.kind == BlockType::Code;
        edits.add(K::BlockType, block.place, what, move |workspace| {
            if let Some(node) = workspace.nodes.get_mut(&id)
                && let Kind::Block { kind, body } = &mut node.kind
            {
                *kind = *other;
                body.checked = false;
                body.icon = None;
                if is_code {
                    body.text.clear();
                    body.caption.clear();
                }
            }
        });
    }
}

/// Mistakes in the fields of a block that are no texts.
fn settings<'a>(block: &Block<'a, '_>, edits: &mut Edits<'a>) {
    let body = block.body;
    for field in block.kind.fields() {
        match field {
            BlockField::Color => {
                let (what, other) = if body.color == Color::default() {
                    ("in red", Color::parse("red"))
                } else {
                    ("without colour", Some(Color::default()))
                };
                if let Some(color) = other {
                    block.with_body(edits, K::Style, what, move |body| body.color = color);
                }
            }
            BlockField::Checked => {
                block.with_body(edits, K::Checkbox, "flipped", |body| body.checked ^= true);
            }
            BlockField::Icon => {
                let what = "another icon";
                let icon = crate::model::Icon::Emoji("🔧".to_owned());
                let icon = (body.icon.as_ref() != Some(&icon)).then_some(icon);
                block.with_body(edits, K::Icon, what, move |body| {
                    body.icon.clone_from(&icon)
                });
            }
            BlockField::Language => {
                let other = LANGUAGES.iter().find(|name| **name != body.text);
                if let Some(other) = other {
                    let what = format!("{:?} is {other:?}", body.text);
                    block.with_body(edits, K::BlockSetting, what, move |body| {
                        (*other).clone_into(&mut body.text);
                    });
                }
            }
            BlockField::Url | BlockField::Expression | BlockField::Name => {
                if let Some(other) = text::without_letter(&body.text) {
                    let what = format!("{:?} is {other:?}", body.text);
                    block.with_body(edits, K::BlockSetting, what, move |body| {
                        body.text.clone_from(&other);
                    });
                }
            }
            BlockField::ColumnHeader => {
                block.with_body(edits, K::BlockSetting, "column header", |body| {
                    body.column_header ^= true;
                });
            }
            BlockField::RowHeader => {
                block.with_body(edits, K::BlockSetting, "row header", |body| {
                    body.row_header ^= true;
                });
            }
            BlockField::Toggleable if block.node.children.is_empty() => {
                block.with_body(edits, K::BlockSetting, "toggle or not", |body| {
                    body.toggleable ^= true;
                });
            }
            BlockField::WidthRatio => {
                if let Some(ratio) = body.width_ratio {
                    let other = if ratio > 0.0 { ratio / 2.0 } else { 0.5 };
                    let what = format!("width {ratio} is {other}");
                    block.with_body(edits, K::BlockSetting, what, move |body| {
                        body.width_ratio = Some(other);
                    });
                }
            }
            BlockField::Source => {
                let other = body.source.as_ref().map(|source| source.url().to_owned());
                let other = other.and_then(|url| text::without_letter(&url));
                if let Some(url) = other {
                    let what = format!("another address, {url}");
                    block.with_body(edits, K::BlockSetting, what, move |body| {
                        body.source = Some(crate::model::FileSource::External(url.clone()));
                    });
                }
            }
            _ => {}
        }
    }
}

/// Blocks at another place among those of their page.
fn position<'a>(changes: &Changes<'a>, block: &Block<'a, '_>, edits: &mut Edits<'a>) {
    let end = changes.end;
    let (id, parent) = (block.node.id, block.node.parent);
    let Some(above) = parent.id().and_then(|id| end.nodes.get(&id)) else {
        return;
    };
    let siblings: Vec<&Node> = end.live_children(above).collect();
    let Some(at) = siblings.iter().position(|sibling| sibling.id == id) else {
        return;
    };
    if let Some(next) = siblings.get(at + 1)
        && next.kind != block.node.kind
    {
        let next = next.id;
        edits.add(
            K::BlockOrder,
            block.place,
            "after the next block",
            move |workspace| {
                objects::move_to(workspace, id, parent, Some(next));
            },
        );
    }
    if at > 0 && objects::may_contain(end, siblings[at - 1], block.node) {
        let into = Parent::Block(siblings[at - 1].id);
        if matches!(siblings[at - 1].kind, Kind::Block { .. }) {
            edits.add(
                K::Nesting,
                block.place,
                "below the block before it",
                move |workspace| {
                    objects::move_to(workspace, id, into, None);
                },
            );
        }
    }
    let around = above.parent.id().and_then(|id| end.nodes.get(&id));
    if let (Parent::Block(after), Some(around)) = (parent, around)
        && objects::may_contain(end, around, block.node)
    {
        let out = objects::below(around);
        edits.add(
            K::Nesting,
            block.place,
            "after the block above it",
            move |workspace| {
                objects::move_to(workspace, id, out, Some(after));
            },
        );
    }
}

/// Blocks that are missing or duplicated.
fn existence<'a>(block: &Block<'a, '_>, edits: &mut Edits<'a>) {
    let id = block.node.id;
    edits.add(K::LostBlock, block.place, "missing", move |workspace| {
        objects::remove(workspace, id);
    });
    edits.add(K::DoubledBlock, block.place, "twice", move |workspace| {
        objects::double(workspace, id);
    });
}

/// Blocks with the content of the starting state.
fn stale<'a>(block: &Block<'a, '_>, before: &'a Node, edits: &mut Edits<'a>) {
    let id = block.node.id;
    let is_same_type = matches!(before.kind, Kind::Block { kind, .. } if kind == block.kind);
    let is_target =
        |body: &BlockBody| matches!(body.target, Some(Target::Page(_) | Target::Database(_)));
    if !is_same_type || is_target(block.body) || before.kind == block.node.kind {
        return;
    }
    edits.add(
        K::Stale,
        block.place,
        "as it was at the start",
        move |workspace| {
            if let Some(node) = workspace.nodes.get_mut(&id) {
                node.kind = before.kind.clone();
            }
        },
    );
}
