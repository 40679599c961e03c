//! The canonical documents of a workspace.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::block::write_body;
use super::schema::write_property;
use super::text::{write_date, write_file, write_icon, write_named_file, write_text};
use super::{DATABASES, FORMAT, PAGES, WORKSPACE};
use crate::model::{
    Config, Database, FileSource, Icon, Id, Kind, Node, Page, Parent, PropertyType, PropertyValue,
    Stamp, TITLE, Time, User, UserKind, Workspace,
};
use crate::view::number;

/// Returns the documents of a workspace, each with its path.
pub fn write(workspace: &Workspace) -> Vec<(String, Vec<u8>)> {
    let mut documents = vec![(WORKSPACE.to_owned(), bytes(&top(workspace)))];
    let nodes = workspace.nodes.values();
    documents.extend(nodes.filter_map(|node| document(workspace, node)));
    documents.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    documents
}

/// Returns the documents in which a changed workspace differs from the workspace before. `None` means that the
/// document no longer exists. The cost grows with the size of these documents, not with that of the workspace's.
pub(crate) fn changes(before: &Workspace, after: &Workspace) -> Vec<(String, Option<Vec<u8>>)> {
    let mut homes = BTreeSet::new();
    let ids = before.nodes.keys().chain(after.nodes.keys());
    for id in ids {
        if before.nodes.get(id) != after.nodes.get(id) {
            homes.extend([before, after].map(|workspace| home(workspace, *id)));
        }
    }
    for id in before.comments.keys().chain(after.comments.keys()) {
        if before.comments.get(id) != after.comments.get(id) {
            homes.extend([before, after].map(|workspace| home(workspace, *id)));
        }
    }
    let mut documents = Vec::new();
    if top(before) != top(after) {
        documents.push((WORKSPACE.to_owned(), Some(bytes(&top(after)))));
    }
    for id in homes.into_iter().flatten() {
        let content = |workspace: &Workspace| document(workspace, workspace.nodes.get(&id)?);
        match (content(before), content(after)) {
            (_, Some((path, content))) => documents.push((path, Some(content))),
            (Some((path, _)), None) => documents.push((path, None)),
            (None, None) => {}
        }
    }
    documents
}

/// Returns the page or database whose document describes a node.
fn home(workspace: &Workspace, id: Id) -> Option<Id> {
    let mut node = workspace.nodes.get(&id)?;
    loop {
        let is_row = matches!(node.parent, Parent::Database(_));
        match node.kind {
            Kind::Database(_) => return Some(node.id),
            Kind::Page(_) if !is_row => return Some(node.id),
            Kind::Page(_) | Kind::Block { .. } => {
                node = workspace.nodes.get(&node.parent.id()?)?;
            }
        }
    }
}

/// Returns the document of a page that is not a row, or of a database, with its path.
fn document(workspace: &Workspace, node: &Node) -> Option<(String, Vec<u8>)> {
    let (directory, value) = match &node.kind {
        Kind::Page(_) if matches!(node.parent, Parent::Database(_)) => return None,
        Kind::Page(page) => (PAGES, self::page(workspace, node, page)),
        Kind::Database(database) => (DATABASES, self::database(workspace, node, database)),
        Kind::Block { .. } => return None,
    };
    Some((format!("{directory}/{}.json", node.id), bytes(&value)))
}

fn bytes(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// Object under construction.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn add(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn add_some(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value);
        }
    }

    fn add_list(&mut self, key: &str, values: Vec<Value>) {
        if !values.is_empty() {
            self.add(key, values);
        }
    }

    fn finish(self) -> Value {
        Value::Object(self.0)
    }
}

fn top(workspace: &Workspace) -> Value {
    let mut all = Object::default();
    all.add("format", FORMAT);
    all.add("name", workspace.name.as_str());
    all.add("bot", workspace.bot.to_string());
    all.add(
        "users",
        workspace.users.iter().map(user).collect::<Vec<_>>(),
    );
    let places = workspace
        .roots
        .iter()
        .filter_map(|id| place(workspace, *id));
    all.add("top", places.collect::<Vec<_>>());
    all.finish()
}

fn user(user: &User) -> Value {
    let mut all = Object::default();
    all.add("id", user.id.to_string());
    all.add("name", user.name.as_str());
    match &user.kind {
        UserKind::Person(email) => all.add("email", email.as_str()),
        UserKind::Bot => all.add("bot", true),
    }
    all.add_some("avatar", user.avatar.as_ref().map(|url| json!(url)));
    all.finish()
}

/// Returns the place of a page or database that is not a row.
fn place(workspace: &Workspace, id: Id) -> Option<Value> {
    match workspace.nodes.get(&id)?.kind {
        Kind::Page(_) => Some(json!({"page": id.to_string()})),
        Kind::Database(_) => Some(json!({"database": id.to_string()})),
        Kind::Block { .. } => None,
    }
}

fn stamp(stamp: Stamp) -> Value {
    json!({"at": second(stamp.time), "by": stamp.by.to_string()})
}

fn second(time: Time) -> String {
    time.second().replace(".000Z", "Z")
}

/// Adds the stamps that are not the default ones.
fn add_stamps(all: &mut Object, node: &Node, default: Option<Stamp>) {
    if default != Some(node.created) {
        all.add("created", stamp(node.created));
    }
    if node.edited != node.created {
        all.add("edited", stamp(node.edited));
    }
    if node.trashed {
        all.add("trashed", true);
    }
}

fn add_looks(all: &mut Object, icon: Option<&Icon>, cover: Option<&FileSource>) {
    all.add_some("icon", icon.map(write_icon));
    all.add_some("cover", cover.map(|cover| Value::Object(write_file(cover))));
}

fn page(workspace: &Workspace, node: &Node, page: &Page) -> Value {
    let mut all = Object::default();
    all.add("id", node.id.to_string());
    if let Some(PropertyValue::Text(title)) = page.values.get(TITLE) {
        all.add("title", write_text(title));
    }
    add_looks(&mut all, page.icon.as_ref(), page.cover.as_ref());
    add_stamps(&mut all, node, None);
    add_content(workspace, &mut all, node, node.created);
    all.finish()
}

/// Adds the comments and blocks of a page or block. `default` is the stamp of blocks that say nothing else.
fn add_content(workspace: &Workspace, all: &mut Object, node: &Node, default: Stamp) {
    let comments = workspace
        .comments
        .get(&node.id)
        .map_or(&[][..], Vec::as_slice);
    let comments = comments.iter().map(|comment| {
        let mut all = Object::default();
        all.add("id", comment.id.to_string());
        all.add("discussion", comment.discussion.to_string());
        all.add("created", stamp(comment.created));
        if !comment.rich_text.is_empty() {
            all.add("text", write_text(&comment.rich_text));
        }
        all.finish()
    });
    all.add_list("comments", comments.collect());
    let children = node.children.iter().filter_map(|id| {
        let child = workspace.nodes.get(id)?;
        place(workspace, *id).or_else(|| block(workspace, child, default))
    });
    all.add_list("blocks", children.collect());
}

fn block(workspace: &Workspace, node: &Node, default: Stamp) -> Option<Value> {
    let Kind::Block { kind, body } = &node.kind else {
        return None;
    };
    let mut all = Object::default();
    all.add("id", node.id.to_string());
    all.add(kind.name(), write_body(*kind, body));
    add_stamps(&mut all, node, Some(default));
    add_content(workspace, &mut all, node, default);
    Some(all.finish())
}

fn database(workspace: &Workspace, node: &Node, database: &Database) -> Value {
    let mut all = Object::default();
    all.add("id", node.id.to_string());
    for (key, text) in [
        ("title", &database.title),
        ("description", &database.description),
    ] {
        if !text.is_empty() {
            all.add(key, write_text(text));
        }
    }
    add_looks(&mut all, database.icon.as_ref(), database.cover.as_ref());
    if database.inline {
        all.add("inline", true);
    }
    add_stamps(&mut all, node, None);
    all.add(
        "properties",
        database
            .properties
            .iter()
            .map(write_property)
            .collect::<Vec<_>>(),
    );
    let sources = database.sources.iter().map(|id| json!(id.to_string()));
    all.add_list("sources", sources.collect());
    let rows = node.children.iter().filter_map(|id| workspace.page(*id));
    let rows = rows.map(|(row, page)| self::row(workspace, row, page, (node, database)));
    all.add_list("rows", rows.collect());
    all.finish()
}

fn row(workspace: &Workspace, node: &Node, page: &Page, database: (&Node, &Database)) -> Value {
    let (above, database) = database;
    let mut all = Object::default();
    all.add("id", node.id.to_string());
    let mut values = Object::default();
    for property in &database.properties {
        if let Some(value) = page.values.get(&property.id) {
            values.add_some(&property.name, self::value(&property.config, value));
        }
    }
    if !values.0.is_empty() {
        all.add("values", values.finish());
    }
    add_looks(&mut all, page.icon.as_ref(), page.cover.as_ref());
    add_stamps(&mut all, node, Some(above.created));
    add_content(workspace, &mut all, node, node.created);
    all.finish()
}

fn value(config: &Config, value: &PropertyValue) -> Option<Value> {
    let ids = |ids: &[Id]| {
        ids.iter()
            .map(|id| json!(id.to_string()))
            .collect::<Value>()
    };
    let name = |id: &String| config.option(id).map(|option| json!(option.name));
    Some(match value {
        PropertyValue::Text(text) => write_text(text),
        PropertyValue::Number(it) => number(*it),
        PropertyValue::Option(id) => name(id)?,
        PropertyValue::Options(ids) => ids.iter().filter_map(name).collect(),
        PropertyValue::Date(date) => write_date(date),
        PropertyValue::People(people) => ids(people),
        PropertyValue::Files(files) => files.iter().map(write_named_file).collect(),
        PropertyValue::Checked if config.kind() == PropertyType::Checkbox => json!(true),
        PropertyValue::Checked => return None,
        PropertyValue::Line(text) => json!(text),
        PropertyValue::Relation(pages) => ids(pages),
        PropertyValue::Serial(it) => json!(it),
        PropertyValue::Verification(it) => {
            json!({"by": it.by.to_string(), "date": write_date(&it.date)})
        }
    })
}
