//! Unwanted changes of parts that the solution left unchanged.

use super::MutationKind as K;
use super::changes::{Changes, is_page_or_database};
use super::{Edits, PER_KIND, objects, pages, places, some, text, values};
use crate::model::{Kind, Node, Parent, PropertyValue, TITLE};

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let unchanged: Vec<&Node> = changes
        .live()
        .filter(|node| !changes.is_changed(node))
        .collect();
    let (blocks, objects): (Vec<&Node>, Vec<&Node>) = unchanged
        .into_iter()
        .partition(|node| matches!(node.kind, Kind::Block { .. }));
    let (pages, rows): (Vec<&Node>, Vec<&Node>) = objects
        .into_iter()
        .partition(|node| is_page_or_database(node));
    for node in some(blocks, PER_KIND / 3) {
        block(changes, node, edits);
    }
    for node in some(rows, PER_KIND / 3) {
        row(changes, node, edits);
    }
    for node in some(pages, PER_KIND / 3) {
        page(changes, node, edits);
    }
}

fn deleted<'a>(node: &Node, place: &str, edits: &mut Edits<'a>) {
    let id = node.id;
    edits.add(K::DeleteInput, place, "in the trash", move |workspace| {
        objects::trash(workspace, id, true);
    });
}

fn block<'a>(changes: &Changes<'a>, node: &'a Node, edits: &mut Edits<'a>) {
    let (end, id, parent) = (changes.end, node.id, node.parent);
    let Kind::Block { body, .. } = &node.kind else {
        return;
    };
    let place = places::node(end, node);
    if let Some((_, what, text)) = text::text_mistakes(end, &body.rich_text).into_iter().next() {
        edits.add(K::EditInput, place.as_str(), what, move |workspace| {
            if let Some(Kind::Block { body, .. }) =
                workspace.nodes.get_mut(&id).map(|node| &mut node.kind)
            {
                body.rich_text.clone_from(&text);
            }
        });
    }
    deleted(node, &place, edits);
    let above = parent.id().and_then(|id| end.nodes.get(&id));
    let siblings = above.into_iter().flat_map(|above| end.live_children(above));
    let next = siblings.skip_while(|sibling| sibling.id != id).nth(1);
    if let Some(next) = next.filter(|next| next.kind != node.kind) {
        let next = next.id;
        edits.add(
            K::MoveInput,
            place,
            "after the next block",
            move |workspace| {
                objects::move_to(workspace, id, parent, Some(next));
            },
        );
    }
}

fn row<'a>(changes: &Changes<'a>, node: &'a Node, edits: &mut Edits<'a>) {
    let (end, id) = (changes.end, node.id);
    let (Some((_, database)), Some((_, page))) = (end.database_of(id), end.page(id)) else {
        return;
    };
    deleted(node, &places::page(end, id), edits);
    let changed = database.properties.iter().find_map(|property| {
        let value = page.values.get(&property.id)?;
        let mistakes = values::mistakes(end, id, property, Some(value));
        let (_, what, other) = mistakes.into_iter().next()?;
        Some((property, what, other))
    });
    if let Some((property, what, other)) = changed {
        let place = places::property(end, id, property);
        edits.add(K::EditInput, place, what, move |workspace| {
            workspace.set_value(id, property, other.clone());
        });
    }
}

fn page<'a>(changes: &Changes<'a>, node: &'a Node, edits: &mut Edits<'a>) {
    let (end, id) = (changes.end, node.id);
    let place = places::page(end, id);
    let title = match &node.kind {
        Kind::Page(page) => match page.values.get(TITLE) {
            Some(PropertyValue::Text(title)) => title.as_slice(),
            _ => &[],
        },
        Kind::Database(database) => &database.title,
        Kind::Block { .. } => return,
    };
    if let Some((_, what, text)) = text::title_mistakes(title).into_iter().next() {
        edits.add(K::EditInput, place.as_str(), what, move |workspace| {
            pages::set_title(workspace, id, &text);
        });
    }
    // The API moves neither pages nor databases of the top level to the trash.
    if node.parent != Parent::Workspace {
        deleted(node, &place, edits);
    }
    if let Some(other) = pages::other_parent(changes, node) {
        let what = format!("below {:?}", places::page(end, other));
        edits.add(K::MoveInput, place, what, move |workspace| {
            objects::move_to(workspace, id, Parent::Page(other), None);
        });
    }
}
