//! Changes of whole objects of a workspace, after which it is still a valid world.

use crate::api::schema::{Change, change};
use crate::model::{
    BlockBody, BlockType, Config, Id, Kind, Node, Page, Parent, Property, PropertyValue, RichText,
    TITLE, Values, Workspace,
};

/// Maximum number of levels of blocks that a mutant may have.
const LEVELS: usize = crate::world::MAX_LEVELS;

/// Moves a node to the trash, or back.
pub(super) fn trash(workspace: &mut Workspace, id: Id, trashed: bool) {
    if let Some(node) = workspace.nodes.get_mut(&id) {
        node.trashed = trashed;
    }
}

/// Removes a node with everything below it, as if it had never been created.
pub(super) fn remove(workspace: &mut Workspace, id: Id) {
    let Some(node) = workspace.nodes.get(&id) else {
        return;
    };
    let (parent, children) = (node.parent, node.children.clone());
    for child in children {
        remove(workspace, child);
    }
    unlink(workspace, id);
    remove_relations_to(workspace, id);
    siblings(workspace, parent, |siblings| {
        siblings.retain(|sibling| *sibling != id);
    });
    workspace.nodes.remove(&id);
    workspace.comments.remove(&id);
}

/// Removes a row from all relations of other rows.
fn unlink(workspace: &mut Workspace, id: Id) {
    let Some((own, database)) = workspace.database_of(id) else {
        return;
    };
    for property in database.properties.clone() {
        workspace.set_value(id, &property, None);
    }
    let databases = workspace
        .nodes
        .values()
        .filter_map(|node| match &node.kind {
            Kind::Database(database) => Some(&database.properties),
            _ => None,
        });
    let leads_here = |property: &&Property| matches!(&property.config, Config::Relation { database, .. } if *database == own);
    let relations: Vec<String> = databases
        .flatten()
        .filter(leads_here)
        .map(|property| property.id.clone())
        .collect();
    for node in workspace.nodes.values_mut() {
        let Kind::Page(page) = &mut node.kind else {
            continue;
        };
        for relation in &relations {
            if let Some(PropertyValue::Relation(ids)) = page.values.get_mut(relation) {
                ids.retain(|other| *other != id);
                if ids.is_empty() {
                    page.values.remove(relation);
                }
            }
        }
    }
}

/// Removes the relations of other databases that lead to a database.
fn remove_relations_to(workspace: &mut Workspace, id: Id) {
    if workspace.database(id).is_none() {
        return;
    }
    let mut relations: Vec<(Id, Vec<Change>)> = Vec::new();
    for node in workspace.nodes.values().filter(|node| node.id != id) {
        let Kind::Database(database) = &node.kind else {
            continue;
        };
        let leads_here = |property: &&Property| matches!(&property.config, Config::Relation { database, .. } if *database == id);
        let found = database.properties.iter().filter(leads_here);
        let found = found.map(|property| Change::Remove(property.id.clone()));
        relations.push((node.id, found.collect()));
    }
    for (database, changes) in relations {
        if !changes.is_empty() {
            change(workspace, database, changes);
        }
    }
}

/// Changes the children of a parent.
pub(super) fn siblings(
    workspace: &mut Workspace,
    parent: Parent,
    change: impl FnOnce(&mut Vec<Id>),
) {
    match parent.id() {
        None => change(&mut workspace.roots),
        Some(id) => {
            if let Some(node) = workspace.nodes.get_mut(&id) {
                change(&mut node.children);
            }
        }
    }
}

/// Moves a node below another parent, after a sibling or at the end.
pub(super) fn move_to(workspace: &mut Workspace, id: Id, parent: Parent, after: Option<Id>) {
    let Some(node) = workspace.nodes.get_mut(&id) else {
        return;
    };
    let before = std::mem::replace(&mut node.parent, parent);
    siblings(workspace, before, |siblings| {
        siblings.retain(|sibling| *sibling != id);
    });
    siblings(workspace, parent, |siblings| {
        let at = after.and_then(|after| siblings.iter().position(|sibling| *sibling == after));
        siblings.insert(at.map_or(siblings.len(), |at| at + 1), id);
    });
}

/// Adds a copy of a node, with everything below it, after the node. Comments are not copied.
pub(super) fn double(workspace: &mut Workspace, id: Id) {
    let Some(parent) = workspace.nodes.get(&id).map(|node| node.parent) else {
        return;
    };
    let copied = copy(workspace, id, parent, Some(id));
    if let (Some(copied), Parent::Database(_)) = (copied, parent) {
        relate_copy(workspace, id, copied);
    }
}

fn copy(workspace: &mut Workspace, id: Id, parent: Parent, after: Option<Id>) -> Option<Id> {
    let mut node = workspace.nodes.get(&id)?.clone();
    let children = std::mem::take(&mut node.children);
    let is_database = matches!(node.kind, Kind::Database(_));
    node.id = workspace.new_id();
    node.parent = parent;
    let (copied, kind) = (node.id, node.kind.clone());
    if let Kind::Page(page) = &mut node.kind {
        // Both sides of relations are set later.
        page.values
            .retain(|_, value| !matches!(value, PropertyValue::Relation(_)));
    }
    workspace.insert(node, after);
    // A copy of a database would need another side for each of its relations, and its rows belong to it.
    for child in children.into_iter().filter(|_| !is_database) {
        let is_copied = workspace
            .nodes
            .get(&child)
            .is_some_and(|node| !node.trashed && !matches!(node.kind, Kind::Database(_)));
        if is_copied {
            let below = match kind {
                Kind::Page(_) => Parent::Page(copied),
                _ => Parent::Block(copied),
            };
            copy(workspace, child, below, None);
        }
    }
    Some(copied)
}

/// Sets the relations of a copied row to those of the original, and gives the copy a number of its own.
fn relate_copy(workspace: &mut Workspace, original: Id, copied: Id) {
    let Some((database, properties)) = workspace
        .database_of(original)
        .map(|(id, database)| (id, database.properties.clone()))
    else {
        return;
    };
    let values = match workspace.page(original) {
        Some((_, page)) => page.values.clone(),
        None => return,
    };
    for property in &properties {
        match values.get(&property.id) {
            Some(value @ PropertyValue::Relation(_)) => {
                workspace.set_value(copied, property, Some(value.clone()));
            }
            Some(PropertyValue::Serial(_)) => {
                let next = next_serial(workspace, database, &property.id);
                workspace.set_value(copied, property, Some(PropertyValue::Serial(next)));
            }
            _ => {}
        }
    }
}

fn next_serial(workspace: &Workspace, database: Id, property: &str) -> u64 {
    let rows = workspace
        .nodes
        .get(&database)
        .map_or(&[][..], |node| &node.children);
    let pages = rows.iter().filter_map(|id| workspace.page(*id));
    let numbers = pages.filter_map(|(_, page)| match page.values.get(property) {
        Some(PropertyValue::Serial(number)) => Some(*number),
        _ => None,
    });
    numbers.max().unwrap_or(0) + 1
}

/// Adds a paragraph.
pub(super) fn add_paragraph(
    workspace: &mut Workspace,
    parent: Parent,
    text: &str,
    after: Option<Id>,
) {
    let body = BlockBody {
        rich_text: vec![RichText::plain(text)],
        ..BlockBody::default()
    };
    let kind = Kind::Block {
        kind: BlockType::Paragraph,
        body: Box::new(body),
    };
    workspace.create(parent, kind, after);
}

/// Adds a page or row with a title.
pub(super) fn add_page(workspace: &mut Workspace, parent: Parent, title: &str) {
    let title = PropertyValue::Text(vec![RichText::plain(title)]);
    let page = Page {
        values: Values::from([(TITLE.to_owned(), title)]),
        ..Page::default()
    };
    workspace.create(parent, Kind::Page(page), None);
}

/// Reports whether a node may contain another one, also with regard to the levels of blocks.
pub(super) fn may_contain(workspace: &Workspace, parent: &Node, child: &Node) -> bool {
    let child_kind = match &child.kind {
        Kind::Block { kind, .. } => *kind,
        // A page or database may be where a paragraph may be.
        Kind::Page(_) | Kind::Database(_) => BlockType::Paragraph,
    };
    match &parent.kind {
        Kind::Page(_) => BlockType::Paragraph.may_contain(child_kind),
        Kind::Database(_) => false,
        Kind::Block { kind, body } => {
            let above = levels_above(workspace, parent) + 1;
            crate::api::may_have_children(*kind, body)
                && kind.may_contain(child_kind)
                && above + levels_below(workspace, child) <= LEVELS
        }
    }
}

fn levels_above(workspace: &Workspace, node: &Node) -> usize {
    let mut levels = 0;
    let mut next = node.parent.id();
    while let Some(node) = next.and_then(|id| workspace.nodes.get(&id)) {
        if !matches!(node.kind, Kind::Block { .. }) {
            break;
        }
        levels += 1;
        next = node.parent.id();
    }
    levels
}

/// Returns the number of levels of blocks of a node, with its own.
fn levels_below(workspace: &Workspace, node: &Node) -> usize {
    if !matches!(node.kind, Kind::Block { .. }) {
        return 1;
    }
    let children = node
        .children
        .iter()
        .filter_map(|id| workspace.nodes.get(id));
    1 + children
        .map(|child| levels_below(workspace, child))
        .max()
        .unwrap_or(0)
}

/// Returns the place below a node.
pub(super) fn below(node: &Node) -> Parent {
    match node.kind {
        Kind::Page(_) => Parent::Page(node.id),
        Kind::Database(_) => Parent::Database(node.id),
        Kind::Block { .. } => Parent::Block(node.id),
    }
}
