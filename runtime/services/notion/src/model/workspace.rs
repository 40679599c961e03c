//! Workspace: a tree of pages, databases and blocks, with users and comments.

use std::collections::{BTreeMap, HashMap};

use super::{
    BlockBody, BlockType, Config, FileSource, Icon, Id, IdSource, Mention, Property, PropertyValue,
    RichText, Span, TITLE, Time, Values, Version,
};

/// Person or bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Id.
    pub id: Id,
    /// Name.
    pub name: String,
    /// Address of the picture.
    pub avatar: Option<String>,
    /// Person or bot.
    pub kind: UserKind,
}

/// Kind of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserKind {
    /// Person with an e-mail address.
    Person(String),
    /// Integration.
    Bot,
}

/// Time and author of a creation or an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Time.
    pub time: Time,
    /// Author.
    pub by: Id,
}

/// Place of a page, database or block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// Top level of the workspace.
    Workspace,
    /// Page.
    Page(Id),
    /// Database, of which the page is a row.
    Database(Id),
    /// Block.
    Block(Id),
}

impl Parent {
    /// Returns the id of the parent, if it is not the workspace.
    pub fn id(self) -> Option<Id> {
        match self {
            Self::Workspace => None,
            Self::Page(id) | Self::Database(id) | Self::Block(id) => Some(id),
        }
    }
}

/// Page, database or block.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Id.
    pub id: Id,
    /// Place.
    pub parent: Parent,
    /// Creation.
    pub created: Stamp,
    /// Last edit.
    pub edited: Stamp,
    /// Whether it was moved to the trash itself. What is below a node in the trash is not marked.
    pub trashed: bool,
    /// Blocks of a page or block, in order, or rows of a database in the order of their creation. Nodes in the trash
    /// keep their position.
    pub children: Vec<Id>,
    /// Content.
    pub kind: Kind,
}

/// Content of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Page.
    Page(Page),
    /// Database.
    Database(Database),
    /// Block.
    Block {
        /// Type.
        kind: BlockType,
        /// Values of its fields.
        body: Box<BlockBody>,
    },
}

/// Page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// Icon.
    pub icon: Option<Icon>,
    /// Image above the title.
    pub cover: Option<FileSource>,
    /// Values of the properties, which are those of the database if the page is a row, and otherwise only the title.
    pub values: Values,
}

/// Database.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Database {
    /// Icon.
    pub icon: Option<Icon>,
    /// Image above the title.
    pub cover: Option<FileSource>,
    /// Title.
    pub title: Vec<RichText>,
    /// Description.
    pub description: Vec<RichText>,
    /// Whether the database is shown in its page, and not as a page of its own.
    pub inline: bool,
    /// Properties, in order.
    pub properties: Vec<Property>,
    /// Nodes of the other data sources of the database, in the order of their creation.
    pub sources: Vec<Id>,
}

impl Database {
    /// Returns the property with this id or, if there is none, this name.
    pub fn property(&self, key: &str) -> Option<&Property> {
        let by_id = self.properties.iter().find(|property| property.id == key);
        by_id.or_else(|| self.properties.iter().find(|property| property.name == key))
    }

    /// Returns the index of the property that [`property`](Self::property) returns.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        let id = &self.property(key)?.id;
        self.properties
            .iter()
            .position(|property| property.id == *id)
    }
}

/// Comment of a discussion on a page or block.
#[derive(Debug, Clone, PartialEq)]
pub struct Comment {
    /// Id.
    pub id: Id,
    /// Id of the discussion.
    pub discussion: Id,
    /// Creation.
    pub created: Stamp,
    /// Text.
    pub rich_text: Vec<RichText>,
}

/// Workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Name.
    pub name: String,
    /// Users, in the order of the API.
    pub users: Vec<User>,
    /// Bot as which requests are made.
    pub bot: Id,
    /// Pages and databases at the top level, in order.
    pub roots: Vec<Id>,
    /// All pages, databases and blocks.
    pub nodes: HashMap<Id, Node>,
    /// Comments by the page or block on which they are, in the order of their creation.
    pub comments: BTreeMap<Id, Vec<Comment>>,
    /// Source of new ids.
    pub ids: IdSource,
    /// Current time.
    pub now: Time,
    /// Version of the API in which objects are shown. The engine sets it for each request.
    pub version: Version,
}

impl Workspace {
    /// Returns the user with this id.
    pub fn user(&self, id: Id) -> Option<&User> {
        self.users.iter().find(|user| user.id == id)
    }

    /// Returns the page with this id.
    pub fn page(&self, id: Id) -> Option<(&Node, &Page)> {
        match self.nodes.get(&id)? {
            node @ Node {
                kind: Kind::Page(page),
                ..
            } => Some((node, page)),
            _ => None,
        }
    }

    /// Returns the page with this id for a change.
    pub fn page_mut(&mut self, id: Id) -> Option<&mut Page> {
        match &mut self.nodes.get_mut(&id)?.kind {
            Kind::Page(page) => Some(page),
            _ => None,
        }
    }

    /// Returns the database with this id.
    pub fn database(&self, id: Id) -> Option<(&Node, &Database)> {
        match self.nodes.get(&id)? {
            node @ Node {
                kind: Kind::Database(database),
                ..
            } => Some((node, database)),
            _ => None,
        }
    }

    /// Returns the database with this id for a change.
    pub fn database_mut(&mut self, id: Id) -> Option<&mut Database> {
        match &mut self.nodes.get_mut(&id)?.kind {
            Kind::Database(database) => Some(database),
            _ => None,
        }
    }

    /// Returns the database of which a page is a row.
    pub fn database_of(&self, page: Id) -> Option<(Id, &Database)> {
        match self.nodes.get(&page)?.parent {
            Parent::Database(id) => Some((id, self.database(id)?.1)),
            _ => None,
        }
    }

    /// Creates the id of a page, database or block.
    pub fn new_id(&mut self) -> Id {
        let nodes = &self.nodes;
        self.ids.next("block", |id| nodes.contains_key(&id))
    }

    /// Returns the stamp of a change by the bot now.
    pub fn stamp(&self) -> Stamp {
        Stamp {
            time: self.now,
            by: self.bot,
        }
    }

    /// Marks a node as edited now, and the page or database that contains it if it is a block.
    pub fn touch(&mut self, id: Id) {
        let stamp = self.stamp();
        let mut next = Some(id);
        let mut is_first = true;
        while let Some(node) = next.and_then(|id| self.nodes.get_mut(&id)) {
            let is_block = matches!(node.kind, Kind::Block { .. });
            // Blocks around a changed block are not edited.
            if is_first || !is_block {
                node.edited = stamp;
            }
            is_first = false;
            next = node.parent.id().filter(|_| is_block);
        }
    }

    /// Reports whether a node or one above it is in the trash.
    pub fn is_trashed(&self, id: Id) -> bool {
        self.nodes.get(&id).is_some_and(|node| node.trashed) || self.is_below_trash(id)
    }

    /// Reports whether a node above this one is in the trash.
    pub fn is_below_trash(&self, id: Id) -> bool {
        let mut next = self.nodes.get(&id).and_then(|node| node.parent.id());
        while let Some(node) = next.and_then(|id| self.nodes.get(&id)) {
            if node.trashed {
                return true;
            }
            next = node.parent.id();
        }
        false
    }

    /// Returns the children of a node that are not in the trash.
    pub fn live_children<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = &'a Node> {
        let nodes = node.children.iter().filter_map(|id| self.nodes.get(id));
        nodes.filter(|child| !child.trashed)
    }

    /// Returns the title of a page or database as text.
    pub fn title(&self, id: Id) -> String {
        match self.nodes.get(&id).map(|node| &node.kind) {
            Some(Kind::Page(page)) => match page.values.get(TITLE) {
                Some(PropertyValue::Text(text)) => self.plain(text),
                _ => String::new(),
            },
            Some(Kind::Database(database)) => self.plain(&database.title),
            _ => String::new(),
        }
    }

    /// Returns the text of rich text without style.
    pub fn plain(&self, text: &[RichText]) -> String {
        text.iter().map(|piece| self.plain_piece(piece)).collect()
    }

    /// Returns the text of one piece of rich text. Titles that are mentioned are not resolved further than one level,
    /// so that titles that mention each other have an end.
    pub fn plain_piece(&self, piece: &RichText) -> String {
        match &piece.span {
            Span::Text { content, .. } => content.clone(),
            Span::Equation(expression) => expression.clone(),
            Span::Mention(Mention::User(id)) => match self.user(*id) {
                Some(user) => format!("@{}", user.name),
                None => "@Anonymous".to_owned(),
            },
            Span::Mention(Mention::Page(id) | Mention::Database(id)) => self.mentioned_title(*id),
            Span::Mention(Mention::Date(date)) => date.plain(),
        }
    }

    fn mentioned_title(&self, id: Id) -> String {
        let text = match self.nodes.get(&id).map(|node| &node.kind) {
            Some(Kind::Page(page)) => match page.values.get(TITLE) {
                Some(PropertyValue::Text(text)) => text.as_slice(),
                _ => &[],
            },
            Some(Kind::Database(database)) => &database.title,
            _ => &[],
        };
        let mut title = String::new();
        for piece in text {
            match &piece.span {
                Span::Text { content, .. } | Span::Equation(content) => title.push_str(content),
                Span::Mention(Mention::Page(_) | Mention::Database(_)) => title.push('…'),
                Span::Mention(_) => title.push_str(&self.plain_piece(piece)),
            }
        }
        if title.is_empty() {
            "Untitled".to_owned()
        } else {
            title
        }
    }

    /// Creates a page, database or block now, after a sibling or at the end. Returns its id.
    pub fn create(&mut self, parent: Parent, kind: Kind, after: Option<Id>) -> Id {
        let (id, stamp) = (self.new_id(), self.stamp());
        let node = Node {
            id,
            parent,
            created: stamp,
            edited: stamp,
            trashed: false,
            children: Vec::new(),
            kind,
        };
        self.insert(node, after);
        id
    }

    /// Adds a page, database or block below its parent, after a sibling or at the end.
    pub fn insert(&mut self, node: Node, after: Option<Id>) {
        let (id, parent) = (node.id, node.parent.id());
        self.nodes.insert(id, node);
        let siblings = match parent {
            None => &mut self.roots,
            Some(parent) => match self.nodes.get_mut(&parent) {
                Some(parent) => &mut parent.children,
                None => return,
            },
        };
        let at = after.and_then(|after| siblings.iter().position(|sibling| *sibling == after));
        match at {
            Some(at) => siblings.insert(at + 1, id),
            None => siblings.push(id),
        }
    }

    /// Sets or clears a value of a page. If a two-way relation changes, so does the other side.
    pub fn set_value(&mut self, page: Id, property: &Property, value: Option<PropertyValue>) {
        let Some(values) = self.page_mut(page).map(|page| &mut page.values) else {
            return;
        };
        let before = match value.clone() {
            Some(value) => values.insert(property.id.clone(), value),
            None => values.remove(&property.id),
        };
        if let Config::Relation {
            synced: Some(other),
            ..
        } = &property.config
        {
            let ids = |value: &Option<PropertyValue>| match value {
                Some(PropertyValue::Relation(ids)) => ids.clone(),
                _ => Vec::new(),
            };
            let (old, new) = (ids(&before), ids(&value));
            for id in old.iter().filter(|id| !new.contains(id)) {
                self.change_relation(*id, other, |ids| ids.retain(|id| *id != page));
            }
            for id in new.iter().filter(|id| !old.contains(id)) {
                self.change_relation(*id, other, |ids| ids.push(page));
            }
        }
    }

    fn change_relation(&mut self, page: Id, property: &str, change: impl FnOnce(&mut Vec<Id>)) {
        let Some(values) = self.page_mut(page).map(|page| &mut page.values) else {
            return;
        };
        let mut ids = match values.remove(property) {
            Some(PropertyValue::Relation(ids)) => ids,
            _ => Vec::new(),
        };
        change(&mut ids);
        if !ids.is_empty() {
            values.insert(property.to_owned(), PropertyValue::Relation(ids));
        }
    }
}
