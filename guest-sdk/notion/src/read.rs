//! Reading of the documents of a tree.

use std::collections::BTreeSet;

use mcpmark_guest::Tree;
use mcpmark_guest::jiff::Timestamp;
use mcpmark_guest::serde_json::{self, Map, Value};

use crate::shape::Object;
use crate::text::Text;
use crate::workspace::{Comment, Kind, Node, Parent, Property, Schema, Stamp, User, Workspace};

const STAMPS: [&str; 3] = ["created", "edited", "trashed"];
const CONTENT: [&str; 2] = ["comments", "blocks"];

/// Keys of the fields of blocks, in the order in which the service writes them.
const FIELDS: [&str; 19] = [
    "caption",
    "text",
    "icon",
    "checked",
    "toggleable",
    "color",
    "language",
    "url",
    "expression",
    "external",
    "hosted",
    "name",
    "page",
    "database",
    "width",
    "column_header",
    "row_header",
    "cells",
    "original",
];

/// Keys of an option of a property.
const OPTION: &[&str] = &["id", "name", "color"];

/// Keys of a group of options.
const GROUP: &[&str] = &["id", "name", "color", "options"];

/// Keys of the settings of properties, in the order in which the service writes them.
const SETTINGS: [&str; 12] = [
    "id", "name", "type", "format", "options", "groups", "relation", "database", "synced",
    "property", "function", "prefix",
];

/// Reads all documents of a tree.
pub(crate) fn workspace(tree: &Tree) -> Result<Workspace, String> {
    let mut reading = Reading::default();
    // Documents name users.
    document(&mut reading, tree, "workspace.json")?;
    let entries = tree.walk("");
    for entry in entries.get()? {
        let path = entry.path.as_str();
        match entry.kind {
            mcpmark_guest::Kind::Directory if ["pages", "databases"].contains(&path) => continue,
            mcpmark_guest::Kind::File => {}
            _ => return Err(format!("{path}: expected no such entry in a workspace")),
        }
        if path != "workspace.json" {
            document(&mut reading, tree, path)?;
        }
    }
    reading.finish()
}

fn document(reading: &mut Reading, tree: &Tree, path: &str) -> Result<(), String> {
    let text = tree.file(path).text();
    let text = text.get()?;
    let value: Value = serde_json::from_str(text).map_err(|it| format!("{path}: {it}"))?;
    if format!("{value:#}\n") != *text {
        return Err(format!("{path}: not in the layout of the service"));
    }
    reading.document(path, &value)
}

#[derive(Default)]
struct Reading {
    workspace: Workspace,
    /// Ids of the users.
    users: BTreeSet<String>,
    /// Pages and databases that a place names, each once.
    placed: BTreeSet<String>,
    /// Places of documents: node, and the node above it.
    places: Vec<(String, Parent)>,
}

impl Reading {
    fn document(&mut self, path: &str, value: &Value) -> Result<(), String> {
        if path == "workspace.json" {
            return self.top(path, value);
        }
        let (directory, name) = path.split_once('/').unwrap_or(("", path));
        let id = match directory {
            "pages" => self.page(path, value)?,
            "databases" => self.database(path, value)?,
            _ => return Err(format!("{path}: expected no such file in a workspace")),
        };
        if format!("{id}.json") != name {
            return Err(format!("{path}: the document has the id {id}"));
        }
        Ok(())
    }

    fn top(&mut self, path: &str, value: &Value) -> Result<(), String> {
        let all = Object::read(value, path, &["format", "name", "bot", "users", "top"])?;
        all.string("name")?.clone_into(&mut self.workspace.name);
        all.string("bot")?.clone_into(&mut self.workspace.bot);
        if all.map.get("format").and_then(Value::as_u64) != Some(1) {
            return Err(format!("{path}: expected format 1"));
        }
        for user in all.list("users")? {
            let user = Object::read(user, path, &["id", "name", "email", "bot", "avatar"])?;
            self.users.insert(user.string("id")?.to_owned());
            self.workspace.users.push(User {
                id: user.string("id")?.to_owned(),
                name: user.string("name")?.to_owned(),
                email: match user.map.get("email") {
                    None => None,
                    Some(_) => Some(user.string("email")?.to_owned()),
                },
            });
        }
        for item in all.list("top")? {
            let id = self.place(item, path, Parent::Workspace)?;
            let id = id.ok_or_else(|| format!("{path}: expected a place"))?;
            self.workspace.top.push(id);
        }
        Ok(())
    }

    /// Reads the place of a page or database. Returns `None` for a block.
    fn place(
        &mut self,
        value: &Value,
        path: &str,
        parent: Parent,
    ) -> Result<Option<String>, String> {
        let object = Object::open(value, path)?;
        let Some((key @ ("page" | "database"), id)) =
            object.map.iter().next().map(|(key, id)| (key.as_str(), id))
        else {
            return Ok(None);
        };
        let id = id.as_str().filter(|_| object.map.len() == 1);
        let id = id.ok_or_else(|| format!("{path}: expected the id of a {key}"))?;
        if !self.placed.insert(id.to_owned()) {
            return Err(format!("{path}: {id} is in two places"));
        }
        self.places.push((id.to_owned(), parent));
        Ok(Some(id.to_owned()))
    }

    fn page(&mut self, path: &str, value: &Value) -> Result<String, String> {
        let keys = [&["id", "title", "icon", "cover"][..], &STAMPS, &CONTENT].concat();
        let object = Object::read(value, path, &keys)?;
        let title = Text::read(object.map.get("title"), path)?;
        self.node(object, Parent::Workspace, Kind::Page(title))
    }

    fn database(&mut self, path: &str, value: &Value) -> Result<String, String> {
        let head = ["id", "title", "description", "icon", "cover", "inline"];
        let keys = [&head[..], &STAMPS, &["properties", "rows"]].concat();
        let object = Object::read(value, path, &keys)?;
        let mut properties = Vec::new();
        for item in object.list("properties")? {
            let item = Object::read(item, path, &SETTINGS)?;
            for (list, keys) in [("options", OPTION), ("groups", GROUP)] {
                for option in item.list(list)? {
                    Object::read(option, path, keys)?.string("id")?;
                }
            }
            let mut settings = Map::new();
            for (key, value) in item.map.iter().skip(3) {
                settings.insert(key.clone(), value.clone());
            }
            properties.push(Property {
                id: item.string("id")?.to_owned(),
                name: item.string("name")?.to_owned(),
                kind: item.string("type")?.to_owned(),
                settings,
            });
        }
        let names: Vec<String> = properties.iter().map(|it| it.name.clone()).collect();
        let distinct = |of: fn(&Property) -> &String| -> BTreeSet<&String> {
            properties.iter().map(of).collect()
        };
        let (ids, titles) = (distinct(|it| &it.id), distinct(|it| &it.name));
        if ids.len().min(titles.len()) < properties.len() {
            return Err(format!("{path}: two properties have the same id or name"));
        }
        let schema = Schema {
            title: Text::read(object.map.get("title"), path)?,
            description: Text::read(object.map.get("description"), path)?,
            inline: object.is_set("inline")?,
            properties,
        };
        let id = self.node(object, Parent::Workspace, Kind::Database(schema))?;
        let mut rows = Vec::new();
        for item in object.list("rows")? {
            let keys = [&["id", "values", "icon", "cover"][..], &STAMPS, &CONTENT].concat();
            let row = Object::read(item, path, &keys)?;
            let values = match row.map.get("values") {
                None => Map::new(),
                Some(values) => {
                    let known: Vec<&str> = names.iter().map(String::as_str).collect();
                    Object::read(values, path, &known)?.map.clone()
                }
            };
            rows.push(self.node(row, Parent::Node(id.clone()), Kind::Row(values))?);
        }
        self.workspace
            .nodes
            .get_mut(&id)
            .ok_or("the database was read")?
            .children = rows;
        Ok(id)
    }

    fn node(&mut self, object: Object<'_>, parent: Parent, kind: Kind) -> Result<String, String> {
        let place = object.place;
        let id = object.string("id")?.to_owned();
        let created = self.stamp(object, "created")?;
        let edited = self.stamp(object, "edited")?;
        let mut comments = Vec::new();
        for comment in object.list("comments")? {
            let keys = ["id", "discussion", "created", "text"];
            let comment = Object::read(comment, place, &keys)?;
            let Some(Stamp { at, by }) = self.stamp(comment, "created")? else {
                return Err(format!("{place}: a comment was not created"));
            };
            comments.push(Comment {
                id: comment.string("id")?.to_owned(),
                discussion: comment.string("discussion")?.to_owned(),
                by,
                at,
                text: Text::read(comment.map.get("text"), place)?,
            });
        }
        let node = Node {
            id: id.clone(),
            parent,
            kind,
            icon: object.map.get("icon").cloned(),
            cover: object.map.get("cover").cloned(),
            created,
            edited,
            trashed: object.is_set("trashed")?,
            comments,
            children: Vec::new(),
        };
        if self.workspace.nodes.insert(id.clone(), node).is_some() {
            return Err(format!("{place}: {id} is there twice"));
        }
        let mut children = Vec::new();
        for item in object.list("blocks")? {
            let parent = Parent::Node(id.clone());
            children.push(match self.place(item, place, parent.clone())? {
                Some(id) => id,
                None => self.block(item, place, parent)?,
            });
        }
        if let Some(node) = self.workspace.nodes.get_mut(&id) {
            node.children = children;
        }
        Ok(id)
    }

    /// Reads the time and the author of a creation or an edit.
    fn stamp(&self, object: Object<'_>, key: &str) -> Result<Option<Stamp>, String> {
        let Some(value) = object.map.get(key) else {
            return Ok(None);
        };
        let stamp = Object::read(value, object.place, &["at", "by"])?;
        let (at, by) = (stamp.string("at")?, stamp.string("by")?);
        if !self.users.contains(by) {
            return Err(format!("{}: {key} by {by}, who is no user", object.place));
        }
        if at.parse::<Timestamp>().is_err() {
            return Err(format!(
                "{}: {key} at {at:?}, which is no time",
                object.place
            ));
        }
        let (at, by) = (at.to_owned(), by.to_owned());
        Ok(Some(Stamp { at, by }))
    }

    fn block(&mut self, value: &Value, path: &str, parent: Parent) -> Result<String, String> {
        let kind = Object::open(value, path)?.map.keys().nth(1);
        let kind = kind.ok_or_else(|| format!("{path}: expected a type of block"))?;
        let keys = [&["id", kind.as_str()][..], &STAMPS, &CONTENT].concat();
        let object = Object::read(value, path, &keys)?;
        let body = Object::read(&object.map[kind.as_str()], path, &FIELDS)?;
        let mut fields = body.map.clone();
        fields.remove("text");
        let kind = Kind::Block {
            kind: kind.clone(),
            text: Text::read(body.map.get("text"), path)?,
            fields,
        };
        // Blocks have neither an icon nor a cover beside their fields.
        self.node(object, parent, kind)
    }

    fn finish(mut self) -> Result<Workspace, String> {
        let nodes = &mut self.workspace.nodes;
        for (id, parent) in self.places {
            let node = nodes.get_mut(&id).ok_or(format!("{id} has no document"))?;
            node.parent = parent;
        }
        for (id, node) in nodes {
            let is_document = matches!(node.kind, Kind::Page(_) | Kind::Database(_));
            if is_document != self.placed.contains(id) {
                return Err(format!("the document {id} has no place of its own"));
            }
        }
        Ok(self.workspace)
    }
}
