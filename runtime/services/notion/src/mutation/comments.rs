//! Mistakes in comments.

use super::MutationKind as K;
use super::changes::Changes;
use super::{Edits, places, text};
use crate::model::{Comment, Id, Kind, RichText, Workspace};

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    for (on, comments) in &changes.end.comments {
        if changes.end.is_trashed(*on) {
            continue;
        }
        let before = changes.start.comments.get(on);
        let is_old = |comment: &Comment| {
            before.is_some_and(|all| all.iter().any(|other| other.id == comment.id))
        };
        for (index, comment) in comments.iter().enumerate() {
            if !is_old(comment) {
                mistakes(changes, *on, index, comment, edits);
            }
        }
    }
    for node in changes
        .pages()
        .filter(|node| changes.is_changed(node))
        .take(4)
    {
        let (id, place) = (node.id, places::page(changes.end, node.id));
        if matches!(node.kind, Kind::Page(_)) {
            edits.add(
                K::StrayComment,
                place,
                "a comment added",
                move |workspace| {
                    add(workspace, id, vec![RichText::plain("Is this right?")]);
                },
            );
        }
    }
}

fn mistakes<'a>(
    changes: &Changes<'a>,
    on: Id,
    index: usize,
    comment: &'a Comment,
    edits: &mut Edits<'a>,
) {
    let Some(node) = changes.end.nodes.get(&on) else {
        return;
    };
    let place = format!("{}: comment", places::node(changes.end, node));
    let mut change = |kind, what: &str, apply: Box<dyn Fn(&mut Workspace) + 'a>| {
        edits.add(kind, place.as_str(), what, apply);
    };
    let remove = move |workspace: &mut Workspace| {
        let mut all = workspace.comments.remove(&on).unwrap_or_default();
        if index < all.len() {
            all.remove(index);
        }
        if !all.is_empty() {
            workspace.comments.insert(on, all);
        }
    };
    change(K::Comment, "missing", Box::new(remove));
    change(
        K::Comment,
        "twice",
        Box::new(move |workspace| {
            let id = workspace.ids.next("comment", |_| false);
            let copy = Comment {
                id,
                ..comment.clone()
            };
            workspace.comments.entry(on).or_default().push(copy);
        }),
    );
    let is_reply = changes.end.comments.get(&on).is_some_and(|all| {
        let others = all.iter().filter(|other| other.id != comment.id);
        others
            .into_iter()
            .any(|other| other.discussion == comment.discussion)
    });
    if is_reply {
        change(
            K::Comment,
            "in a discussion of its own",
            Box::new(move |workspace| {
                let discussion = workspace.ids.next("discussion", |_| false);
                let all = workspace.comments.get_mut(&on);
                if let Some(comment) = all.and_then(|all| all.get_mut(index)) {
                    comment.discussion = discussion;
                }
            }),
        );
    }
    if let Some(other) = elsewhere(changes, on) {
        let what = format!("on {:?}", places::page(changes.end, other));
        change(
            K::Comment,
            &what,
            Box::new(move |workspace| {
                remove(workspace);
                let discussion = workspace.ids.next("discussion", |_| false);
                let moved = Comment {
                    discussion,
                    ..comment.clone()
                };
                workspace.comments.entry(other).or_default().push(moved);
            }),
        );
    }
    for (kind, what, text) in text::text_mistakes(changes.end, &comment.rich_text) {
        if text.is_empty() {
            continue;
        }
        change(
            kind,
            &what,
            Box::new(move |workspace| {
                let all = workspace.comments.get_mut(&on);
                if let Some(comment) = all.and_then(|all| all.get_mut(index)) {
                    comment.rich_text.clone_from(&text);
                }
            }),
        );
    }
}

/// Returns another page or row that can be mistaken for the place of a comment: the one that contains it, or one beside
/// it.
fn elsewhere(changes: &Changes<'_>, on: Id) -> Option<Id> {
    let end = changes.end;
    let is_page = |id: &Id| end.page(*id).is_some() && !end.is_trashed(*id);
    let mut parent = end.nodes.get(&on)?.parent.id();
    let beside = parent.and_then(|id| end.nodes.get(&id));
    let beside = beside.map_or(end.roots.as_slice(), |node| &node.children);
    if let Some(other) = beside.iter().find(|id| **id != on && is_page(id)) {
        return Some(*other);
    }
    while let Some(id) = parent {
        if is_page(&id) {
            return Some(id);
        }
        parent = end.nodes.get(&id)?.parent.id();
    }
    changes
        .pages()
        .map(|page| page.id)
        .find(|id| *id != on && is_page(id))
}

fn add(workspace: &mut Workspace, on: Id, rich_text: Vec<RichText>) {
    let comment = Comment {
        id: workspace.ids.next("comment", |_| false),
        discussion: workspace.ids.next("discussion", |_| false),
        created: workspace.stamp(),
        rich_text,
    };
    workspace.comments.entry(on).or_default().push(comment);
}
