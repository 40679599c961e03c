//! Pages, blocks, rows and comments of a workspace.

use std::collections::BTreeMap;

use mcpmark_guest::serde_json::{Map, Value};
use mcpmark_guest::{Found, Tree};

use crate::cells::Database;
use crate::text::{Span, Text};

/// Workspace of one tree.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(crate) name: String,
    pub(crate) bot: String,
    pub(crate) users: Vec<User>,
    pub(crate) top: Vec<String>,
    pub(crate) nodes: BTreeMap<String, Node>,
}

/// Person or bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
    /// E-mail address of a person.
    pub email: Option<String>,
}

/// Page, database, row or block.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub(crate) id: String,
    /// Place.
    pub parent: Parent,
    /// Content.
    pub kind: Kind,
    /// Icon as it is written in the document.
    pub icon: Option<Value>,
    /// Cover as it is written in the document.
    pub cover: Option<Value>,
    /// Creation, unless it is that of the page or database.
    pub created: Option<Stamp>,
    /// Last edit, unless it is the creation.
    pub edited: Option<Stamp>,
    /// Whether it was moved to the trash itself.
    pub trashed: bool,
    /// Comments of all discussions, in order.
    pub comments: Vec<Comment>,
    /// Ids of the blocks or rows below, in order, including those in the trash.
    pub children: Vec<String>,
}

/// Time and author of a creation or an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Time, in RFC 3339 and UTC.
    pub at: String,
    /// Id of the author.
    pub by: String,
}

/// Place of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// Top level of the workspace.
    Workspace,
    /// Page, database, row or block with this id.
    Node(String),
}

/// Content of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Page with its title.
    Page(Text),
    /// Database.
    Database(Schema),
    /// Row with its values, as they are written in the document.
    Row(Map<String, Value>),
    /// Block.
    Block {
        /// Type, such as `to_do`.
        kind: String,
        /// Text, which is empty if the type has none.
        text: Text,
        /// Other fields as they are written in the document, such as `checked`.
        fields: Map<String, Value>,
    },
}

/// Title, description and properties of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Title.
    pub title: Text,
    /// Description.
    pub description: Text,
    /// Whether the database is shown in its page.
    pub inline: bool,
    /// Properties, in order.
    pub properties: Vec<Property>,
}

/// Property of a database.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Id.
    pub id: String,
    /// Name.
    pub name: String,
    /// Type, such as `multi_select`.
    pub kind: String,
    /// Settings as they are written in the document, such as `options`.
    pub settings: Map<String, Value>,
}

/// Comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Id.
    pub id: String,
    /// Id of the discussion.
    pub discussion: String,
    /// Id of the author.
    pub by: String,
    /// Time, in RFC 3339.
    pub at: String,
    /// Text.
    pub text: Text,
}

impl Property {
    /// Returns the names of the options, in order.
    pub fn options(&self) -> Vec<&str> {
        let options = self.settings.get("options").and_then(Value::as_array);
        let names = options.into_iter().flatten();
        names.filter_map(|it| it["name"].as_str()).collect()
    }
}

impl Node {
    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the type of a block, or `page`, `database` or `row`.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            Kind::Page(_) => "page",
            Kind::Database(_) => "database",
            Kind::Row(_) => "row",
            Kind::Block { kind, .. } => kind,
        }
    }

    /// Returns the text of a block, or the title of a page or database. A row has its texts in its
    /// cells.
    pub fn text(&self) -> Option<&Text> {
        match &self.kind {
            Kind::Page(text) | Kind::Block { text, .. } => Some(text),
            Kind::Database(schema) => Some(&schema.title),
            Kind::Row(_) => None,
        }
    }

    /// Returns whether this is a block, and not a page, database or row.
    pub fn is_block(&self) -> bool {
        matches!(self.kind, Kind::Block { .. })
    }

    /// Returns whether a block has this field with the value true, such as `checked`.
    pub fn is_set(&self, field: &str) -> bool {
        match &self.kind {
            Kind::Block { fields, .. } => fields.get(field) == Some(&Value::Bool(true)),
            _ => false,
        }
    }
}

impl Workspace {
    /// Reads the workspace of a tree.
    pub fn read(tree: &Tree) -> Found<Self> {
        Found::new("the workspace", crate::read::workspace(tree))
    }

    /// Returns the name of the workspace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the id of the bot as which an agent acts.
    pub fn bot(&self) -> &str {
        &self.bot
    }

    /// Returns the users.
    pub fn users(&self) -> &[User] {
        &self.users
    }

    /// Returns the id of the user with a name.
    pub fn user(&self, name: &str) -> Found<String> {
        let user = self.users.iter().find(|it| it.name == name);
        let id = user.map(|it| it.id.clone());
        Found::new(format!("user {name:?}"), id.ok_or_else(missing))
    }

    /// Returns all pages, databases, rows and blocks, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    /// Returns the node with an id.
    pub fn node(&self, id: &str) -> Found<&Node> {
        Found::new(format!("node {id}"), self.nodes.get(id).ok_or_else(missing))
    }

    /// Returns whether a node and all nodes above it are outside of the trash.
    pub fn is_live(&self, id: &str) -> bool {
        let mut at = self.nodes.get(id);
        while let Some(node) = at {
            if node.trashed {
                return false;
            }
            at = match &node.parent {
                Parent::Workspace => return true,
                Parent::Node(parent) => self.nodes.get(parent),
            };
        }
        false
    }

    /// Returns the nodes directly below a node, in order, without those in the trash.
    pub fn children(&self, id: &str) -> Vec<&Node> {
        let children = self.nodes.get(id).map_or(&[][..], |node| &node.children);
        self.live(children)
    }

    /// Returns the pages and databases at the top level, in order, without those in the trash.
    pub fn top(&self) -> Vec<&Node> {
        self.live(&self.top)
    }

    fn live(&self, ids: &[String]) -> Vec<&Node> {
        let nodes = ids.iter().filter_map(|id| self.nodes.get(id));
        nodes.filter(|node| !node.trashed).collect()
    }

    /// Returns everything below a node in the order of reading, without what is in the trash, each
    /// with its level from 0.
    pub fn outline(&self, id: &str) -> Vec<(usize, &Node)> {
        let mut all = Vec::new();
        let mut waiting: Vec<(usize, &Node)> = Vec::new();
        waiting.extend(self.children(id).into_iter().rev().map(|it| (0, it)));
        while let Some((level, node)) = waiting.pop() {
            all.push((level, node));
            let below = self.children(&node.id).into_iter().rev();
            waiting.extend(below.map(|it| (level + 1, it)));
        }
        all
    }

    /// Returns a page by the titles that lead to it from the top level. Headings, columns and other
    /// blocks in between do not count, and rows and databases have titles too.
    pub fn page(&self, path: &[&str]) -> Found<&Node> {
        let mut nodes = self.top();
        let mut found = None;
        for title in path {
            let titled: Vec<&Node> = nodes
                .iter()
                .copied()
                .filter(|node| self.title(node).as_deref() == Some(*title))
                .collect();
            let [node] = titled.as_slice() else {
                let count = titled.len();
                let reason = format!("expected one page {title:?}, found {count}");
                return Found::new(format!("page {path:?}"), Err(reason));
            };
            found = Some(*node);
            nodes = self.titled_below(&node.id);
        }
        Found::new(format!("page {path:?}"), found.ok_or_else(missing))
    }

    /// Returns the nearest pages, databases and rows below a node.
    pub fn titled_below(&self, id: &str) -> Vec<&Node> {
        let mut all = Vec::new();
        for child in self.children(id) {
            match child.kind {
                Kind::Block { .. } => all.extend(self.titled_below(&child.id)),
                _ => all.push(child),
            }
        }
        all
    }

    /// Returns the database with a title.
    pub fn database(&self, title: &str) -> Found<Database<'_>> {
        let has_title = |node: &&Node| {
            matches!(node.kind, Kind::Database(_)) && self.title(node).as_deref() == Some(title)
        };
        let all: Vec<&Node> = self
            .nodes
            .values()
            .filter(|node| self.is_live(&node.id))
            .filter(has_title)
            .collect();
        let found = match all.as_slice() {
            [node] => Ok(Database {
                workspace: self,
                node,
            }),
            all => Err(format!("expected one of this title, found {}", all.len())),
        };
        Found::new(format!("database {title:?}"), found)
    }

    /// Returns the title of a page, database or row.
    pub fn title(&self, node: &Node) -> Option<String> {
        match &node.kind {
            Kind::Page(title) => Some(self.plain(title)),
            Kind::Database(schema) => Some(self.plain(&schema.title)),
            Kind::Row(values) => {
                let title = self.title_property(node)?;
                let text = Text::read(values.get(title), "the title").ok()?;
                Some(self.plain(&text))
            }
            Kind::Block { .. } => None,
        }
    }

    fn title_property(&self, row: &Node) -> Option<&str> {
        let Parent::Node(database) = &row.parent else {
            return None;
        };
        let Kind::Database(schema) = &self.nodes.get(database)?.kind else {
            return None;
        };
        let mut properties = schema.properties.iter();
        properties
            .find(|it| it.kind == "title")
            .map(|it| it.name.as_str())
    }

    /// Returns the characters of a text, with `@` and the names of users, and the titles of pages.
    pub fn plain(&self, text: &Text) -> String {
        text.characters(|span| match span {
            Span::User(id) => {
                let user = self.users.iter().find(|it| it.id == *id);
                format!("@{}", user.map_or("nobody", |it| &it.name))
            }
            Span::Page(id) | Span::Database(id) => self
                .nodes
                .get(id)
                .and_then(|node| self.title(node))
                .unwrap_or_default(),
            _ => String::new(),
        })
    }

    /// Returns the characters of the text of a node.
    pub fn text_of(&self, node: &Node) -> String {
        node.text().map(|text| self.plain(text)).unwrap_or_default()
    }

    /// Describes a node for messages, by the titles and texts that lead to it.
    pub fn describe(&self, id: &str) -> String {
        let mut names = Vec::new();
        let mut at = self.nodes.get(id);
        while let Some(node) = at {
            let name = self.title(node).unwrap_or_else(|| {
                let text: String = self.text_of(node).chars().take(40).collect();
                format!("{} {text:?}", node.type_name())
            });
            // A block without a text, such as a column, leads nowhere in particular.
            if node.id == id || !node.is_block() || !self.text_of(node).is_empty() {
                names.push(name);
            }
            at = match &node.parent {
                Parent::Workspace => None,
                Parent::Node(parent) => self.nodes.get(parent),
            };
        }
        names.reverse();
        names.join(" / ")
    }
}

pub(crate) fn missing() -> String {
    "there is none".to_owned()
}
