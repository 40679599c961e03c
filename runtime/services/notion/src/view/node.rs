//! Users, pages, databases, blocks, comments and lists of responses.

use serde_json::{Map, Value, json};

use super::text::{cover, file, icon, rich_text, url};
use super::{number, property, schema};
use crate::model::{
    BlockBody, BlockField, BlockType, Comment, Database, Id, Kind, Node, Page, Parent,
    PropertyValue, TITLE, Target, User, UserKind, Workspace,
};

/// Returns a user. The keys are those of the documentation of the user object.
pub(crate) fn user(workspace: &Workspace, user: &User) -> Value {
    let (kind, details) = match &user.kind {
        UserKind::Person(email) => ("person", json!({"email": email})),
        UserKind::Bot => (
            "bot",
            json!({
                "owner": {"type": "workspace", "workspace": true},
                "workspace_name": workspace.name,
            }),
        ),
    };
    json!({
        "object": "user",
        "id": user.id.to_string(),
        "name": user.name,
        "avatar_url": user.avatar,
        "type": kind,
        kind: details,
    })
}

/// Returns a reference to a user.
pub(crate) fn partial_user(id: Id) -> Value {
    json!({"object": "user", "id": id.to_string()})
}

pub(super) fn parent(workspace: &Workspace, parent: Parent) -> Value {
    match parent {
        Parent::Database(node) if workspace.version.has_data_sources() => {
            let (source, database) = workspace.data_source_ids(node);
            json!({
                "type": "data_source_id",
                "data_source_id": source.to_string(),
                "database_id": database.to_string(),
            })
        }
        Parent::Workspace => json!({"type": "workspace", "workspace": true}),
        Parent::Page(id) => json!({"type": "page_id", "page_id": id.to_string()}),
        Parent::Database(id) => json!({"type": "database_id", "database_id": id.to_string()}),
        Parent::Block(id) => json!({"type": "block_id", "block_id": id.to_string()}),
    }
}

/// Returns a page. If `only` is not empty, it has only the properties with these ids.
pub(crate) fn page(workspace: &Workspace, node: &Node, page: &Page, only: &[String]) -> Value {
    let mut properties = Map::new();
    let is_shown = |id: &str| only.is_empty() || only.iter().any(|key| key == id);
    match workspace.database_of(node.id) {
        Some((_, database)) => {
            for it in database.properties.iter().filter(|it| is_shown(&it.id)) {
                let value = property::with_id(workspace, node, page, it);
                properties.insert(it.name.clone(), value);
            }
        }
        None if is_shown(TITLE) => {
            let title = match page.values.get(TITLE) {
                Some(PropertyValue::Text(text)) => rich_text(workspace, text),
                _ => json!([]),
            };
            let value = json!({"id": TITLE, "type": "title", "title": title});
            properties.insert(TITLE.to_owned(), value);
        }
        None => {}
    }
    let is_trashed = workspace.is_trashed(node.id);
    let mut all = json!({
        "object": "page",
        "id": node.id.to_string(),
        "created_time": node.created.time.minute(),
        "last_edited_time": node.edited.time.minute(),
        "created_by": partial_user(node.created.by),
        "last_edited_by": partial_user(node.edited.by),
        "cover": cover(page.cover.as_ref(), workspace.now),
        "icon": icon(page.icon.as_ref(), workspace.now),
        "parent": parent(workspace, node.parent),
        "archived": is_trashed,
        "in_trash": is_trashed,
        "is_locked": false,
        "properties": properties,
        "url": url(workspace, node.id),
        "public_url": null,
    });
    if !workspace.version.has_data_sources() {
        remove(&mut all, "is_locked");
    }
    for_version(workspace, all)
}

/// Removes a field without changing the order of the others.
fn remove(object: &mut Value, key: &str) {
    if let Some(object) = object.as_object_mut() {
        object.shift_remove(key);
    }
}

/// Removes the field that an object no longer has in the version of the request.
pub(super) fn for_version(workspace: &Workspace, mut object: Value) -> Value {
    if !workspace.version.has_archived() {
        remove(&mut object, "archived");
    }
    object
}

/// Returns a database.
pub(crate) fn database(workspace: &Workspace, node: &Node, database: &Database) -> Value {
    if workspace.version.has_data_sources() {
        return super::source::container(workspace, node, database);
    }
    let mut properties = Map::new();
    for it in &database.properties {
        properties.insert(it.name.clone(), schema::property(workspace, database, it));
    }
    let is_trashed = workspace.is_trashed(node.id);
    json!({
        "object": "database",
        "id": node.id.to_string(),
        "cover": cover(database.cover.as_ref(), workspace.now),
        "icon": icon(database.icon.as_ref(), workspace.now),
        "created_time": node.created.time.minute(),
        "created_by": partial_user(node.created.by),
        "last_edited_by": partial_user(node.edited.by),
        "last_edited_time": node.edited.time.minute(),
        "title": rich_text(workspace, &database.title),
        "description": rich_text(workspace, &database.description),
        "is_inline": database.inline,
        "properties": properties,
        "parent": parent(workspace, node.parent),
        "url": url(workspace, node.id),
        "public_url": null,
        "archived": is_trashed,
        "in_trash": is_trashed,
    })
}

/// Returns a block. Pages and databases are blocks as well.
pub(crate) fn block(workspace: &Workspace, node: &Node) -> Value {
    let (name, details) = match &node.kind {
        Kind::Page(_) => ("child_page", json!({"title": workspace.title(node.id)})),
        Kind::Database(_) => ("child_database", json!({"title": workspace.title(node.id)})),
        Kind::Block { kind, body } => (kind.name(), Value::Object(fields(workspace, *kind, body))),
    };
    // Rows of a database are not its blocks.
    let has_children =
        !matches!(node.kind, Kind::Database(_)) && workspace.live_children(node).next().is_some();
    let is_trashed = workspace.is_trashed(node.id);
    let all = json!({
        "object": "block",
        "id": node.id.to_string(),
        "parent": parent(workspace, node.parent),
        "created_time": node.created.time.minute(),
        "last_edited_time": node.edited.time.minute(),
        "created_by": partial_user(node.created.by),
        "last_edited_by": partial_user(node.edited.by),
        "has_children": has_children,
        "archived": is_trashed,
        "in_trash": is_trashed,
        "type": name,
        name: details,
    });
    for_version(workspace, all)
}

fn fields(workspace: &Workspace, kind: BlockType, body: &BlockBody) -> Map<String, Value> {
    let mut all = Map::new();
    let mut add = |key: &str, value: Value| {
        all.insert(key.to_owned(), value);
    };
    for field in kind.fields() {
        match field {
            BlockField::RichText => add("rich_text", rich_text(workspace, &body.rich_text)),
            BlockField::Caption => add("caption", rich_text(workspace, &body.caption)),
            BlockField::Color => add("color", json!(body.color.name())),
            BlockField::Checked => add("checked", json!(body.checked)),
            BlockField::Toggleable => add("is_toggleable", json!(body.toggleable)),
            BlockField::Icon => add("icon", icon(body.icon.as_ref(), workspace.now)),
            BlockField::Language => add("language", json!(body.text)),
            BlockField::Url => add("url", json!(body.text)),
            BlockField::Expression => add("expression", json!(body.text)),
            BlockField::Source => {
                if let Some(source) = &body.source {
                    let (kind, value) = file(source, workspace.now);
                    add("type", json!(kind));
                    add(kind, value);
                }
            }
            BlockField::Name => add("name", json!(body.text)),
            BlockField::Target => match body.target {
                Some(Target::Page(id)) => {
                    add("type", json!("page_id"));
                    add("page_id", json!(id.to_string()));
                }
                Some(Target::Database(id)) => {
                    add("type", json!("database_id"));
                    add("database_id", json!(id.to_string()));
                }
                None => {}
            },
            BlockField::TableWidth => add("table_width", json!(body.table_width)),
            BlockField::WidthRatio => {
                if let Some(ratio) = body.width_ratio {
                    add("width_ratio", number(ratio));
                }
            }
            BlockField::ColumnHeader => add("has_column_header", json!(body.column_header)),
            BlockField::RowHeader => add("has_row_header", json!(body.row_header)),
            BlockField::Cells => {
                let cells = body.cells.iter().map(|cell| rich_text(workspace, cell));
                add("cells", cells.collect());
            }
            BlockField::SyncedFrom => {
                let original = body
                    .synced_from
                    .map(|id| json!({"type": "block_id", "block_id": id.to_string()}));
                add("synced_from", json!(original));
            }
        }
    }
    all
}

/// Returns a comment on a page or block.
pub(crate) fn comment(workspace: &Workspace, target: &Node, comment: &Comment) -> Value {
    let on = match target.kind {
        Kind::Block { .. } => Parent::Block(target.id),
        Kind::Page(_) | Kind::Database(_) => Parent::Page(target.id),
    };
    json!({
        "object": "comment",
        "id": comment.id.to_string(),
        "parent": parent(workspace, on),
        "discussion_id": comment.discussion.to_string(),
        "created_time": comment.created.time.minute(),
        "last_edited_time": comment.created.time.minute(),
        "created_by": partial_user(comment.created.by),
        "rich_text": rich_text(workspace, &comment.rich_text),
    })
}

/// Returns one page of a list. `kind` is the type of its results.
pub(crate) fn list(results: Vec<Value>, next: Option<String>, kind: &str) -> Value {
    json!({
        "object": "list",
        "results": results,
        "next_cursor": next,
        "has_more": next.is_some(),
        "type": kind,
        kind: {},
    })
}
