//! Comments.

use super::paging::Paging;
use super::{Call, apply, check_editable};
use crate::input::{self};
use crate::model::{Comment, Id, Kind, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// `GET /v1/comments`.
pub(super) fn list(workspace: &Workspace, call: &Call<'_>) -> Outcome {
    call.query
        .only(&["block_id", "start_cursor", "page_size"])?;
    let id = call.query.get("block_id").id()?;
    let paging = Paging::parse(&call.query)?;
    let target = workspace
        .nodes
        .get(&id)
        .ok_or_else(|| Refusal::not_found(Noun::Block, id))?;
    let comments = workspace
        .comments
        .get(&id)
        .map_or(Vec::new(), |all| all.iter().collect());
    let (comments, next) = paging.page(comments, |comment: &&Comment| comment.id)?;
    let shown = comments
        .into_iter()
        .map(|comment| view::comment(workspace, target, comment));
    Ok(view::list(shown.collect(), next, "comment"))
}

/// `POST /v1/comments`.
pub(super) fn create(workspace: &mut Workspace, call: &Call<'_>) -> Outcome {
    let body = &call.body;
    body.only(&["parent", "discussion_id", "rich_text"])?;
    let (target, discussion) = match (
        body.get("parent").present(),
        body.get("discussion_id").present(),
    ) {
        (Some(parent), None) => {
            parent.only(&["type", "page_id"])?;
            let id = parent.get("page_id").id()?;
            match workspace.page(id) {
                Some(_) => (id, None),
                None => return Err(Refusal::not_found(Noun::Page, id)),
            }
        }
        (None, Some(discussion)) => {
            let id = discussion.id()?;
            let target = target_of(workspace, id);
            let target = target.ok_or_else(|| Refusal::not_found(Noun::Discussion, id))?;
            (target, Some(id))
        }
        (Some(_), Some(discussion)) => return Err(discussion.should("not present")),
        (None, None) => {
            let keys = ["parent", "discussion_id"];
            return Err(body.should_one(&keys.map(|key| body.get(key).complaint("defined"))));
        }
    };
    let rich_text = input::rich_text(&body.get("rich_text"))?;
    apply::check_mentions(workspace, &rich_text)?;
    check_editable(workspace, target)?;

    workspace.now.0 += 1;
    let comment = Comment {
        id: new_id(workspace),
        discussion: discussion.unwrap_or_else(|| new_id(workspace)),
        created: workspace.stamp(),
        rich_text,
    };
    workspace
        .comments
        .entry(target)
        .or_default()
        .push(comment.clone());
    match workspace.nodes.get(&target) {
        Some(node) => Ok(view::comment(workspace, node, &comment)),
        None => Err(Refusal::not_found(Noun::Block, target)),
    }
}

/// Returns the page or block of a discussion.
fn target_of(workspace: &Workspace, discussion: Id) -> Option<Id> {
    let has = |comments: &[Comment]| comments.iter().any(|it| it.discussion == discussion);
    let (target, _) = workspace
        .comments
        .iter()
        .find(|(_, comments)| has(comments))?;
    let is_known = |node: &crate::model::Node| !matches!(node.kind, Kind::Database(_));
    workspace
        .nodes
        .get(target)
        .filter(|node| is_known(node))
        .map(|_| *target)
}

fn new_id(workspace: &mut Workspace) -> Id {
    let comments = &workspace.comments;
    workspace.ids.next("comment", |id| {
        let has = |it: &Comment| it.id == id || it.discussion == id;
        comments.values().flatten().any(has)
    })
}
