//! Pages as Markdown, since version 2026-03-11.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use mcpmark_service::checkpoint;
use serde_json::{Value, json};

use super::{Call, apply, check_editable, pages, path_id};
use crate::input::{self, Field};
use crate::markdown::{self, Content, Item};
use crate::model::{BlockBody, BlockType, Icon, Id, Kind, Nesting, Parent, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::world::MAX_LEVELS;

/// Maximum number of new blocks of a request, and of bytes of the content after it (documentation of request limits).
const MAX_BLOCKS: usize = 1_000;
const MAX_CONTENT: usize = 500_000;
/// Maximum number of replacements of a request (OpenAPI document of the published server).
const MAX_UPDATES: usize = 100;

/// `GET /v1/pages/{page_id}/markdown`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("page_id", id)?;
    call.query.only(&["include_transcript"])?;
    if let Some(flag) = call.query.get("include_transcript").present() {
        flag.one_of(&["true", "false"], |name| name)?;
    }
    pages::find(workspace, id)?;
    shown(workspace, id)
}

fn shown(workspace: &Workspace, id: Id) -> Outcome {
    let items = items(workspace, id)?;
    let mut unknown = Vec::new();
    collect_unknown(&items, &mut unknown);
    Ok(json!({
        "object": "page_markdown",
        "id": id.to_string(),
        "markdown": markdown::print(workspace, &items),
        "truncated": false,
        "unknown_block_ids": unknown,
    }))
}

fn items(workspace: &Workspace, id: Id) -> Outcome<Vec<Item>> {
    checkpoint()?;
    let node = workspace.nodes.get(&id);
    let node = node.ok_or_else(|| Refusal::not_found(Noun::Page, id))?;
    Ok(markdown::children(workspace, node))
}

fn collect_unknown(items: &[Item], unknown: &mut Vec<Value>) {
    for item in items {
        if let Content::Opaque(id, _) = &item.content {
            unknown.push(json!(id.to_string()));
        }
        collect_unknown(&item.children, unknown);
    }
}

/// `PATCH /v1/pages/{page_id}/markdown`. The content is written as Markdown, changed as text and read again. Blocks
/// whose text is unchanged stay; a new block takes the place of a changed one of its type (chosen).
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("page_id", id)?;
    let kinds = [
        "replace_content",
        "update_content",
        "insert_content",
        "replace_content_range",
    ];
    let kind = call.body.get("type").one_of(&kinds, |name| name)?;
    call.body.only(&["type", kind])?;
    let change = call.body.get(kind);
    change.object()?;
    pages::find(workspace, id)?;
    check_editable(workspace, id)?;
    let before = items(workspace, id)?;
    let text = markdown::print(workspace, &before);
    let (after, may_delete) = match kind {
        "replace_content" => replaced(&change)?,
        "update_content" => updated(&change, text)?,
        "insert_content" => inserted(&change, &text)?,
        _ => range_replaced(&change, &text)?,
    };
    let after = markdown::parse(&after)?;
    Plan::check(workspace, id, &after, may_delete)?;

    workspace.now.0 += 1;
    rebuild(workspace, Parent::Page(id), after);
    workspace.touch(id);
    shown(workspace, id)
}

fn may_delete(change: &Field<'_>) -> Outcome<bool> {
    let flag = change.get("allow_deleting_content").opt_bool()?;
    Ok(flag.unwrap_or(false))
}

fn replaced(change: &Field<'_>) -> Outcome<(String, bool)> {
    change.only(&["new_str", "allow_deleting_content"])?;
    let text = change.get("new_str").string()?.to_owned();
    Ok((text, may_delete(change)?))
}

/// Replaces texts one after another. A text that does not occur, or several times without `replace_all_matches`, is
/// refused (chosen words).
fn updated(change: &Field<'_>, mut text: String) -> Outcome<(String, bool)> {
    change.only(&["content_updates", "allow_deleting_content"])?;
    for update in change.get("content_updates").items_within(MAX_UPDATES)? {
        checkpoint()?;
        update.only(&["old_str", "new_str", "replace_all_matches"])?;
        let old = update.get("old_str").string()?;
        let new = update.get("new_str").string()?;
        let all = update.get("replace_all_matches").opt_bool()?;
        if old.is_empty() {
            return Err(update.get("old_str").should("a non-empty string"));
        }
        let count = text.matches(old).count();
        if count == 0 {
            return Err(Refusal::invalid(format!(
                "No match found for old_str: {}",
                shortened(old)
            )));
        }
        if count > 1 && all != Some(true) {
            return Err(Refusal::invalid(format!(
                "Multiple matches found for old_str: {}",
                shortened(old)
            )));
        }
        let copies = count;
        let length = text.len() + copies.saturating_mul(new.len());
        if length > MAX_CONTENT.max(text.len()) {
            return Err(Refusal::invalid(format!(
                "The content would exceed {MAX_CONTENT} bytes."
            )));
        }
        text = text.replacen(old, new, copies);
    }
    Ok((text, may_delete(change)?))
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

fn inserted(change: &Field<'_>, text: &str) -> Outcome<(String, bool)> {
    change.only(&["content", "after", "position"])?;
    let content = change.get("content").string()?;
    let joined = |before: &str, after: &str| {
        let parts = [
            before.trim_end_matches('\n'),
            content,
            after.trim_start_matches('\n'),
        ];
        let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        (parts.join("\n"), false)
    };
    let position = change.get("position").present();
    match (change.get("after").present(), position) {
        (Some(_), Some(position)) => Err(position.should("not present")),
        (Some(after), None) => {
            let (_, end) = selection(text, after.string()?)?;
            // The content follows the line in which the selection ends.
            let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
            Ok(joined(&text[..end], &text[end..]))
        }
        (None, Some(position)) => {
            position.only(&["type"])?;
            let kind = position
                .get("type")
                .one_of(&["start", "end"], |name| name)?;
            if kind == "start" {
                Ok(joined("", text))
            } else {
                Ok(joined(text, ""))
            }
        }
        (None, None) => Ok(joined(text, "")),
    }
}

fn range_replaced(change: &Field<'_>, text: &str) -> Outcome<(String, bool)> {
    change.only(&["content", "content_range", "allow_deleting_content"])?;
    let content = change.get("content").string()?;
    let (start, end) = selection(text, change.get("content_range").string()?)?;
    let after = format!("{}{content}{}", &text[..start], &text[end..]);
    Ok((after, may_delete(change)?))
}

/// Returns the range of a selection of the form `start...end`, or of a text without an ellipsis.
fn selection(text: &str, selection: &str) -> Outcome<(usize, usize)> {
    let missing = || {
        Refusal::invalid(format!(
            "No match found for selection: {}",
            shortened(selection)
        ))
    };
    let (first, last) = match selection.split_once("...") {
        Some((first, last)) => (first, Some(last)),
        None => (selection, None),
    };
    if first.is_empty() {
        return Err(missing());
    }
    let start = text.find(first).ok_or_else(missing)?;
    let after = start + first.len();
    let end = match last {
        None => after,
        Some(last) => after + text[after..].find(last).ok_or_else(missing)? + last.len(),
    };
    Ok((start, end))
}

/// Check of new content against the page.
struct Plan {
    /// Child pages, databases and blocks without a form in Markdown that the new content has.
    kept: Vec<Id>,
    blocks: usize,
}

impl Plan {
    fn check(workspace: &Workspace, page: Id, items: &[Item], may_delete: bool) -> Outcome<()> {
        let mut plan = Self {
            kept: Vec::new(),
            blocks: 0,
        };
        let mut existing = HashMap::new();
        collect_existing(&self::items(workspace, page)?, &mut existing);
        plan.items(workspace, None, items, MAX_LEVELS, &existing)?;
        if plan.blocks > MAX_BLOCKS + existing.len() + count(&self::items(workspace, page)?) {
            return Err(Refusal::invalid(format!(
                "Requests may contain at most {MAX_BLOCKS} blocks."
            )));
        }
        let kept: HashSet<Id> = plan.kept.iter().copied().collect();
        if kept.len() != plan.kept.len() {
            return Err(Refusal::invalid(
                "The content contains the same page, database or block twice.",
            ));
        }
        let mut lost = existing
            .iter()
            .filter(|(id, is_child)| **is_child && !kept.contains(id));
        if !may_delete && lost.next().is_some() {
            return Err(Refusal::invalid(
                "The change would delete child pages or databases. Set allow_deleting_content to true to allow this.",
            ));
        }
        Ok(())
    }

    fn items(
        &mut self,
        workspace: &Workspace,
        above: Option<BlockType>,
        items: &[Item],
        levels: usize,
        existing: &HashMap<Id, bool>,
    ) -> Outcome<()> {
        for item in items {
            self.blocks += 1;
            if levels == 0 {
                return Err(too_deep());
            }
            let holder = above.unwrap_or(BlockType::Paragraph);
            match &item.content {
                Content::Block(kind, body) => {
                    if !holder.may_contain(*kind) {
                        return Err(input::misplaced(holder, *kind));
                    }
                    apply::check_body(workspace, body)?;
                    let mut texts = body.cells.iter().chain([&body.rich_text, &body.caption]);
                    if texts.any(|text| text.len() > input::MAX_ITEMS) {
                        return Err(Refusal::invalid(format!(
                            "A text may have at most {} pieces of rich text.",
                            input::MAX_ITEMS
                        )));
                    }
                    if let Some(Icon::Emoji(emoji)) = &body.icon {
                        let icon = json!({"emoji": emoji});
                        input::icon(&Field::root("markdown", Some(&icon)))?;
                    }
                    self.items(workspace, Some(*kind), &item.children, levels - 1, existing)?;
                }
                Content::Page(id) | Content::Database(id) | Content::Opaque(id, _) => {
                    if holder.nesting() != Nesting::Any || !existing.contains_key(id) {
                        return Err(Refusal::not_found(Noun::Block, *id));
                    }
                    if let Content::Opaque(..) = item.content
                        && levels < height(workspace, *id)
                    {
                        return Err(too_deep());
                    }
                    self.kept.push(*id);
                }
            }
        }
        Ok(())
    }
}

fn too_deep() -> Refusal {
    Refusal::invalid(format!("Blocks may have at most {MAX_LEVELS} levels."))
}

/// Returns the number of levels of a block and its children.
fn height(workspace: &Workspace, id: Id) -> usize {
    let children = workspace.nodes.get(&id).into_iter();
    let children = children.flat_map(|node| node.children.iter().copied());
    1 + children
        .map(|child| height(workspace, child))
        .max()
        .unwrap_or(0)
}

fn count(items: &[Item]) -> usize {
    items.iter().map(|item| 1 + count(&item.children)).sum()
}

/// Collects the objects to which tags may refer, with whether each is a page or database.
fn collect_existing(items: &[Item], existing: &mut HashMap<Id, bool>) {
    for item in items {
        match &item.content {
            Content::Page(id) | Content::Database(id) => drop(existing.insert(*id, true)),
            Content::Opaque(id, _) => drop(existing.insert(*id, false)),
            Content::Block(..) => collect_existing(&item.children, existing),
        }
    }
}

/// Blocks that a page or block had before a change.
#[derive(Default)]
struct Before {
    by_text: HashMap<String, VecDeque<Id>>,
    order: Vec<Id>,
}

fn before(workspace: &Workspace, parent: Id) -> Before {
    let mut all = Before::default();
    let Some(node) = workspace.nodes.get(&parent) else {
        return all;
    };
    let live = workspace.live_children(node);
    for (child, item) in live.zip(markdown::children(workspace, node)) {
        let text = markdown::print_one(workspace, &item);
        // Text that is read again can be written in another way, such as white space at the end of a line.
        let again = match markdown::parse(&text).as_deref() {
            Ok([item]) => markdown::print_one(workspace, item),
            _ => text,
        };
        all.by_text.entry(again).or_default().push_back(child.id);
        all.order.push(child.id);
    }
    all
}

/// Gives a page or block these children. What it had before and no longer has is moved to the trash.
fn rebuild(workspace: &mut Workspace, parent: Parent, items: Vec<Item>) {
    let Some(above) = parent.id() else {
        return;
    };
    let mut before = before(workspace, above);
    let mut used: HashSet<Id> = HashSet::new();
    // Unchanged blocks are found first, so that none of them is taken for a changed one.
    let mut found: Vec<(Item, Option<Id>)> = Vec::with_capacity(items.len());
    for item in items {
        let text = markdown::print_one(workspace, &item);
        let id = match &item.content {
            Content::Block(..) => before.by_text.get_mut(&text).and_then(VecDeque::pop_front),
            Content::Page(id) | Content::Database(id) | Content::Opaque(id, _) => Some(*id),
        };
        used.extend(id);
        found.push((item, id));
    }
    let mut changed: BTreeMap<BlockType, VecDeque<Id>> = BTreeMap::new();
    for id in before.order.iter().filter(|id| !used.contains(id)) {
        if let Some(Kind::Block { kind, body }) = workspace.nodes.get(id).map(|node| &node.kind)
            && !markdown::opaque(*kind, body)
        {
            changed.entry(*kind).or_default().push_back(*id);
        }
    }
    let mut order = Vec::with_capacity(found.len());
    for (item, id) in found {
        let id = match (id, item.content) {
            (Some(id), Content::Block(..)) => id,
            (Some(id), _) => {
                place(workspace, id, parent);
                id
            }
            (None, Content::Block(kind, body)) => {
                let old = changed.get_mut(&kind).and_then(VecDeque::pop_front);
                let id = old.unwrap_or_else(|| {
                    let content = Kind::Block {
                        kind,
                        body: body.clone(),
                    };
                    workspace.create(parent, content, None)
                });
                if old.is_some() {
                    write(workspace, id, kind, *body);
                }
                used.insert(id);
                rebuild(workspace, Parent::Block(id), item.children);
                id
            }
            // Other contents always have an id.
            (None, _) => continue,
        };
        order.push(id);
    }
    for id in before.order.iter().filter(|id| !used.contains(id)) {
        // An object that has moved to another place of the page is not lost.
        if let Some(node) = workspace.nodes.get_mut(id)
            && node.parent == parent
        {
            node.trashed = true;
        }
    }
    if order == before.order {
        return;
    }
    let Some(node) = workspace.nodes.get(&above) else {
        return;
    };
    let new: HashSet<Id> = order.iter().copied().collect();
    let trashed = node.children.iter().copied();
    let trashed: Vec<Id> = trashed.filter(|id| !new.contains(id)).collect();
    order.extend(trashed);
    if let Some(node) = workspace.nodes.get_mut(&above) {
        node.children = order;
    }
}

/// Changes the content of a block.
fn write(workspace: &mut Workspace, id: Id, kind: BlockType, new: BlockBody) {
    let stamp = workspace.stamp();
    if let Some(node) = workspace.nodes.get_mut(&id) {
        node.edited = stamp;
        node.kind = Kind::Block {
            kind,
            body: Box::new(new),
        };
    }
}

/// Moves an existing object of the page to a place in it.
fn place(workspace: &mut Workspace, id: Id, parent: Parent) {
    let Some(node) = workspace.nodes.get_mut(&id) else {
        return;
    };
    let from = node.parent;
    node.parent = parent;
    node.trashed = false;
    if from != parent
        && let Some(from) = from.id().and_then(|from| workspace.nodes.get_mut(&from))
    {
        from.children.retain(|child| *child != id);
    }
}
