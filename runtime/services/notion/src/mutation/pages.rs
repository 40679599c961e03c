//! Mistakes in pages, and in databases as pages.

use super::MutationKind as K;
use super::changes::{Changes, is_page_or_database};
use super::{Edits, objects, places, text};
use crate::model::{Icon, Id, Kind, Node, Page, Parent, PropertyValue, RichText, TITLE, Workspace};

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    for node in changes.live() {
        let before = changes.start.nodes.get(&node.id);
        if matches!(node.kind, Kind::Block { .. }) || !changes.is_changed(node) {
            continue;
        }
        let place = places::page(changes.end, node.id);
        looks(node, before, &place, edits);
        if is_page_or_database(node) {
            titles(changes, node, before, &place, edits);
            position(changes, node, before, &place, edits);
        }
    }
    strays(changes, edits);
}

/// Mistakes in titles of pages, and in titles and descriptions of databases. Titles of rows are values.
fn titles<'a>(
    changes: &Changes<'a>,
    node: &'a Node,
    before: Option<&Node>,
    place: &str,
    edits: &mut Edits<'a>,
) {
    let id = node.id;
    match &node.kind {
        Kind::Page(page) => {
            let old = before.and_then(|before| match &before.kind {
                Kind::Page(page) => Some(title(page)),
                _ => None,
            });
            if old == Some(title(page)) {
                return;
            }
            for (kind, what, text) in text::title_mistakes(title(page)) {
                edits.add(kind, place, what, move |workspace| {
                    set_title(workspace, id, &text)
                });
            }
            if let Some(old) = old.map(<[RichText]>::to_vec) {
                edits.add(K::Stale, place, "title of the start", move |workspace| {
                    set_title(workspace, id, &old);
                });
            }
        }
        Kind::Database(database) => {
            let old = before.and_then(|before| match &before.kind {
                Kind::Database(database) => Some(database),
                _ => None,
            });
            if old.is_none_or(|old| old.title != database.title) {
                for (kind, what, text) in text::title_mistakes(&database.title) {
                    edits.add(kind, place, what, move |workspace| {
                        set_title(workspace, id, &text)
                    });
                }
            }
            if old.is_none_or(|old| old.description != database.description) {
                let place = format!("{place}: description");
                for (kind, what, text) in text::text_mistakes(changes.end, &database.description) {
                    edits.add(kind, place.as_str(), what, move |workspace| {
                        if let Some(database) = workspace.database_mut(id) {
                            database.description.clone_from(&text);
                        }
                    });
                }
            }
        }
        Kind::Block { .. } => {}
    }
}

fn title(page: &Page) -> &[RichText] {
    match page.values.get(TITLE) {
        Some(PropertyValue::Text(text)) => text,
        _ => &[],
    }
}

/// Sets the title of a page or database.
pub(super) fn set_title(workspace: &mut Workspace, id: Id, text: &[RichText]) {
    if let Some(database) = workspace.database_mut(id) {
        database.title = text.to_vec();
    } else if let Some(page) = workspace.page_mut(id) {
        let value = PropertyValue::Text(text.to_vec());
        page.values.insert(TITLE.to_owned(), value);
    }
}

/// Mistakes in icons and covers of pages, rows and databases.
fn looks<'a>(node: &'a Node, before: Option<&'a Node>, place: &str, edits: &mut Edits<'a>) {
    let of = |node: &'a Node| match &node.kind {
        Kind::Page(page) => (page.icon.as_ref(), page.cover.as_ref()),
        Kind::Database(database) => (database.icon.as_ref(), database.cover.as_ref()),
        Kind::Block { .. } => (None, None),
    };
    let (icon, cover) = of(node);
    let (old_icon, old_cover) = before.map_or((None, None), of);
    let id = node.id;
    if icon != old_icon {
        edits.add(
            K::Icon,
            place,
            "icon of the start, or none",
            move |workspace| {
                set_icon(workspace, id, old_icon.cloned());
            },
        );
        if icon.is_some() {
            edits.add(K::Icon, place, "another icon", move |workspace| {
                set_icon(workspace, id, Some(Icon::Emoji("🔧".to_owned())));
            });
        }
    }
    if cover != old_cover {
        edits.add(
            K::Icon,
            place,
            "cover of the start, or none",
            move |workspace| match workspace.nodes.get_mut(&id).map(|node| &mut node.kind) {
                Some(Kind::Page(page)) => page.cover = old_cover.cloned(),
                Some(Kind::Database(database)) => database.cover = old_cover.cloned(),
                _ => {}
            },
        );
    }
}

fn set_icon(workspace: &mut Workspace, id: Id, icon: Option<Icon>) {
    match workspace.nodes.get_mut(&id).map(|node| &mut node.kind) {
        Some(Kind::Page(page)) => page.icon = icon,
        Some(Kind::Database(database)) => database.icon = icon,
        _ => {}
    }
}

/// Pages and databases that are missing, duplicated, in the trash, or below another page.
fn position<'a>(
    changes: &Changes<'a>,
    node: &'a Node,
    before: Option<&'a Node>,
    place: &str,
    edits: &mut Edits<'a>,
) {
    let id = node.id;
    let is_page = matches!(node.kind, Kind::Page(_));
    match before {
        None => {
            if is_page {
                edits.add(K::LostPage, place, "missing", move |workspace| {
                    objects::remove(workspace, id);
                });
                edits.add(K::DoubledPage, place, "twice", move |workspace| {
                    objects::double(workspace, id);
                });
            }
            edits.add(K::Trashed, place, "in the trash", move |workspace| {
                objects::trash(workspace, id, true);
            });
        }
        Some(before) if before.parent != node.parent => {
            let parent = before.parent;
            let still_there = parent.id().is_none_or(|id| {
                changes.end.nodes.contains_key(&id) && !is_inside(changes.end, id, node.id)
            });
            if still_there && !matches!(parent, Parent::Database(_)) {
                edits.add(
                    K::Stale,
                    place,
                    "where it was at the start",
                    move |workspace| {
                        objects::move_to(workspace, id, parent, None);
                    },
                );
            }
        }
        Some(_) => return,
    }
    if let Some(other) = other_parent(changes, node) {
        let what = format!("below {:?}", places::page(changes.end, other));
        edits.add(K::WrongParent, place, what, move |workspace| {
            objects::move_to(workspace, id, Parent::Page(other), None);
        });
    }
}

/// Returns another page below which a page or database may have been put: one beside its parent, or beside itself.
pub(super) fn other_parent(changes: &Changes<'_>, node: &Node) -> Option<Id> {
    let end = changes.end;
    let candidates = changes.pages().map(|page| page.id).filter(|id| {
        end.page(*id).is_some() && node.parent != Parent::Page(*id) && !is_inside(end, *id, node.id)
    });
    let around = node.parent.id().and_then(|id| end.nodes.get(&id));
    let around = around.and_then(|parent| parent.parent.id());
    let is_near = |id: &Id| {
        let parent = end.nodes.get(id).and_then(|page| page.parent.id());
        parent == around || parent == node.parent.id()
    };
    let all: Vec<Id> = candidates.collect();
    all.iter().copied().find(is_near).or(all.first().copied())
}

/// Reports whether a node is another one or below it.
fn is_inside(workspace: &Workspace, id: Id, above: Id) -> bool {
    let mut next = Some(id);
    while let Some(id) = next {
        if id == above {
            return true;
        }
        next = workspace.nodes.get(&id).and_then(|node| node.parent.id());
    }
    false
}

/// Unwanted pages beside and below changed ones.
fn strays<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let changed = changes
        .pages()
        .filter(|node| changes.is_changed(node) && changes.end.page(node.id).is_some());
    let mut parents: Vec<Id> = changed.map(|node| node.id).collect();
    let first = changes.end.roots.iter().copied();
    let first = first.filter(|id| changes.end.page(*id).is_some());
    parents.extend(first.take(1));
    for id in parents {
        let place = places::page(changes.end, id);
        edits.add(
            K::StrayPage,
            place,
            "a page \"Stray\" added below it",
            move |workspace| {
                objects::add_page(workspace, Parent::Page(id), "Stray");
            },
        );
    }
}
