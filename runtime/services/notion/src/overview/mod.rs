//! Overview of a workspace for people: the tree of pages, and databases as tables.

mod place;
mod words;

use serde_json::{Value, json};

pub use self::place::text_at;
use crate::model::{Database, Icon, Id, Kind, Node, PropertyType, Workspace};

/// Overview of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Name of the workspace.
    pub name: String,
    /// Number of people and bots.
    pub users: usize,
    /// Pages and databases without rows, from top to bottom. Those in the trash come with what is below them left out.
    pub tree: Vec<Entry>,
    /// Databases that are not in the trash, from top to bottom.
    pub tables: Vec<Table>,
}

/// Page or database in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Number of pages and databases above it.
    pub level: usize,
    /// Emoji of the page, or none.
    pub icon: Option<String>,
    /// Title.
    pub title: String,
    /// Whether it is a database.
    pub is_database: bool,
    /// Whether it is in the trash.
    pub is_trashed: bool,
    /// Number of blocks of a page, without pages and databases, or of rows of a database.
    pub size: usize,
    /// Number of comments on the page and its blocks.
    pub comments: usize,
}

/// Database as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Titles from the top to the database.
    pub path: Vec<String>,
    /// Names of the properties, with the title first.
    pub columns: Vec<Column>,
    /// Rows that are not in the trash, each with as many cells as `columns`.
    pub rows: Vec<Vec<String>>,
}

/// Property of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Name of the type.
    pub kind: &'static str,
}

impl Overview {
    /// Creates the overview of a workspace.
    #[must_use]
    pub fn new(workspace: &Workspace) -> Self {
        let mut overview = Self {
            name: workspace.name.clone(),
            users: workspace.users.len(),
            tree: Vec::new(),
            tables: Vec::new(),
        };
        for id in &workspace.roots {
            overview.visit(workspace, *id, &mut Vec::new());
        }
        overview
    }

    fn visit(&mut self, workspace: &Workspace, id: Id, above: &mut Vec<String>) {
        let Some(node) = workspace.nodes.get(&id) else {
            return;
        };
        let title = title(workspace, id);
        let content = Content::of(workspace, node);
        let (icon, database) = match &node.kind {
            Kind::Page(page) => (&page.icon, None),
            Kind::Database(database) => (&database.icon, Some(database)),
            Kind::Block { .. } => return,
        };
        self.tree.push(Entry {
            level: above.len(),
            icon: match icon {
                Some(Icon::Emoji(emoji)) => Some(emoji.clone()),
                _ => None,
            },
            title: title.clone(),
            is_database: database.is_some(),
            is_trashed: node.trashed,
            size: content.size,
            comments: content.comments,
        });
        if node.trashed {
            return;
        }
        above.push(title);
        if let Some(database) = database {
            self.tables.push(table(workspace, node, database, above));
        }
        for id in content.pages {
            self.visit(workspace, id, above);
        }
        for id in database.map_or(&[][..], |database| &database.sources) {
            self.visit(workspace, *id, above);
        }
        above.pop();
    }

    /// Returns the overview as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let tree = self.tree.iter().map(|entry| {
            let kind = if entry.is_database {
                "database"
            } else {
                "page"
            };
            let size = if entry.is_database { "rows" } else { "blocks" };
            json!({
                "level": entry.level,
                "kind": kind,
                "title": entry.title,
                "icon": entry.icon,
                size: entry.size,
                "comments": entry.comments,
                "trashed": entry.is_trashed,
            })
        });
        let tables = self.tables.iter().map(|table| {
            let columns = table.columns.iter();
            let columns = columns.map(|column| json!({"name": column.name, "type": column.kind}));
            json!({
                "path": table.path,
                "properties": columns.collect::<Value>(),
                "rows": table.rows,
            })
        });
        json!({
            "name": self.name,
            "users": self.users,
            "tree": tree.collect::<Value>(),
            "databases": tables.collect::<Value>(),
        })
    }
}

/// Returns the title of a page or database, or the word that the service shows if there is none.
fn title(workspace: &Workspace, id: Id) -> String {
    match workspace.title(id) {
        title if title.is_empty() => "Untitled".to_owned(),
        title => title,
    }
}

/// Content of a page or database.
#[derive(Default)]
struct Content {
    size: usize,
    comments: usize,
    /// Pages and databases in it, also those inside blocks and rows.
    pages: Vec<Id>,
}

impl Content {
    fn of(workspace: &Workspace, node: &Node) -> Self {
        let mut content = Self {
            comments: workspace.comments.get(&node.id).map_or(0, Vec::len),
            ..Self::default()
        };
        let mut open: Vec<Id> = node.children.iter().rev().copied().collect();
        while let Some(child) = open.pop().and_then(|id| workspace.nodes.get(&id)) {
            let is_row =
                matches!(node.kind, Kind::Database(_)) && child.parent.id() == Some(node.id);
            match child.kind {
                Kind::Page(_) if is_row && !child.trashed => content.size += 1,
                Kind::Block { .. } if !child.trashed => {
                    // Blocks of a row are not counted in its database.
                    content.size += usize::from(matches!(node.kind, Kind::Page(_)));
                }
                Kind::Page(_) | Kind::Database(_) if !is_row => {
                    content.pages.push(child.id);
                    continue;
                }
                _ => continue,
            }
            content.comments += workspace.comments.get(&child.id).map_or(0, Vec::len);
            open.extend(child.children.iter().rev());
        }
        content
    }
}

fn table(workspace: &Workspace, node: &Node, database: &Database, path: &[String]) -> Table {
    let mut properties: Vec<_> = database.properties.iter().collect();
    properties.sort_by_key(|property| property.config.kind() != PropertyType::Title);
    let rows = workspace.live_children(node).filter_map(|row| {
        let (node, page) = workspace.page(row.id)?;
        let cells = properties.iter();
        let cells = cells.map(|property| words::value(workspace, node, page, property));
        Some(cells.collect())
    });
    Table {
        path: path.to_vec(),
        rows: rows.collect(),
        columns: properties
            .iter()
            .map(|property| Column {
                name: property.name.clone(),
                kind: property.config.kind().name(),
            })
            .collect(),
    }
}
