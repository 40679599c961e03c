//! Opening of worlds.

use std::collections::{BTreeMap, HashMap, HashSet};

use mcpmark_json::Unique;
use mcpmark_snapshot::{Blobs, Kind as NodeKind, Snapshot, Tree, TreePath};
use serde_json::Value;
use std::sync::Arc;

use super::document::Entry;
use super::{DATABASES, FORMAT, PAGES, WORKSPACE, WorldError};
use crate::model::{Id, IdSource, Kind, Node, Parent, Time, User, UserKind, Version, Workspace};

/// Settings of an opened world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Seed of new ids.
    pub seed: u64,
    /// Time at which the session starts, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
}

/// State of reading.
pub(super) struct Reader {
    pub(super) workspace: Workspace,
    /// Nodes whose place is known.
    pub(super) placed: HashSet<Id>,
    /// Places of pages and databases: the id, the parent, whether it is a database, and the error of the entry.
    pub(super) places: Vec<(Id, Parent, bool, WorldError)>,
}

/// Reads a world.
///
/// # Errors
///
/// Returns an error with the document and its field if the world is invalid.
pub fn read(
    tree: &Tree,
    blobs: &Arc<dyn Blobs>,
    opening: Opening,
) -> Result<Workspace, WorldError> {
    let state = Snapshot::new(tree.clone(), Arc::clone(blobs));
    let mut pages = Vec::new();
    let mut databases = Vec::new();
    let mut top = None;
    for (path, node) in tree.walk(&TreePath::root()) {
        if node.kind() == NodeKind::Directory {
            continue;
        }
        let file = path.as_str().to_owned();
        let parent = path
            .parent()
            .map(|parent| parent.as_str().to_owned())
            .unwrap_or_default();
        let document = || parse(&state, &path, &file);
        match parent.as_str() {
            "" if file == WORKSPACE => top = Some(document()?),
            PAGES if file.ends_with(".json") => pages.push((file.clone(), document()?)),
            DATABASES if file.ends_with(".json") => databases.push((file.clone(), document()?)),
            _ => {
                return Err(invalid(
                    &file,
                    format!(
                        "unknown file; expected {WORKSPACE}, {PAGES}/*.json or {DATABASES}/*.json"
                    ),
                ));
            }
        }
    }
    let top = top.ok_or(WorldError::Missing(WORKSPACE))?;
    let mut reader = Reader::new(&Entry::root(WORKSPACE, &top), opening)?;
    // Schemas come first, because rows are read by them and relations refer to them.
    for (file, value) in &databases {
        reader.database(&Entry::root(file, value))?;
    }
    for (file, value) in &pages {
        reader.page(&Entry::root(file, value))?;
    }
    for (file, value) in &databases {
        reader.rows(&Entry::root(file, value))?;
    }
    reader.place()?;
    for (file, value) in &databases {
        reader.check_relations(&Entry::root(file, value))?;
    }
    Ok(reader.workspace)
}

fn parse(state: &Snapshot, path: &TreePath, file: &str) -> Result<Value, WorldError> {
    let bytes = state.read(path).map_err(|source| WorldError::Read {
        file: file.to_owned(),
        source,
    })?;
    let Unique(value) =
        serde_json::from_slice(&bytes).map_err(|error| invalid(file, error.to_string()))?;
    Ok(value)
}

fn invalid(file: &str, problem: String) -> WorldError {
    WorldError::Invalid {
        file: file.to_owned(),
        place: String::new(),
        problem,
    }
}

impl Reader {
    fn new(entry: &Entry<'_>, opening: Opening) -> Result<Self, WorldError> {
        entry.object(&["format", "name", "bot", "users", "top"])?;
        let format = entry.need("format")?;
        if format.count()? != FORMAT {
            return Err(format.error(format!("expected {FORMAT}, found {}", format.value)));
        }
        let mut users: Vec<User> = Vec::new();
        for item in entry.list("users")? {
            let user = user(&item)?;
            if users.iter().any(|known| known.id == user.id) {
                return Err(item.error(format!("another user has the id {}", user.id)));
            }
            users.push(user);
        }
        let bot = entry.need("bot")?;
        let id = bot.id()?;
        if !users
            .iter()
            .any(|user| user.id == id && user.kind == UserKind::Bot)
        {
            return Err(bot.error(format!("no bot among the users has the id {id}")));
        }
        let workspace = Workspace {
            name: entry.need("name")?.string()?.to_owned(),
            users,
            bot: id,
            roots: Vec::new(),
            nodes: HashMap::new(),
            comments: BTreeMap::new(),
            ids: IdSource::new(opening.seed),
            now: Time(opening.clock),
            version: Version::default(),
        };
        let mut reader = Self {
            workspace,
            placed: HashSet::new(),
            places: Vec::new(),
        };
        for item in entry.list("top")? {
            match reader.child(&item, Parent::Workspace)? {
                Some(id) => reader.workspace.roots.push(id),
                None => return Err(item.error("expected {\"page\": id} or {\"database\": id}")),
            }
        }
        Ok(reader)
    }

    /// Adds a node with a new id.
    pub(super) fn add(&mut self, entry: &Entry<'_>, node: Node) -> Result<(), WorldError> {
        let id = node.id;
        match self.workspace.nodes.insert(id, node) {
            None => Ok(()),
            Some(_) => Err(entry.error(format!("the id {id} is used twice"))),
        }
    }

    /// Reads the id of a user.
    pub(super) fn user(&self, entry: &Entry<'_>) -> Result<Id, WorldError> {
        let id = entry.id()?;
        match self.workspace.user(id) {
            Some(_) => Ok(id),
            None => Err(entry.error(format!("no user has the id {id}"))),
        }
    }

    /// Gives each page and database its place.
    fn place(&mut self) -> Result<(), WorldError> {
        let say = |error: WorldError, text: String| match error {
            WorldError::Invalid { file, place, .. } => WorldError::Invalid {
                file,
                place,
                problem: text,
            },
            other => other,
        };
        for (id, parent, is_database, error) in std::mem::take(&mut self.places) {
            let noun = if is_database { "database" } else { "page" };
            let node = self.workspace.nodes.get_mut(&id);
            let node = node.filter(|node| match node.kind {
                Kind::Page(_) => !is_database,
                Kind::Database(_) => is_database,
                Kind::Block { .. } => false,
            });
            let Some(node) = node else {
                return Err(say(error, format!("no document describes the {noun} {id}")));
            };
            node.parent = parent;
            if let (Parent::Database(_), Kind::Database(database)) = (parent, &node.kind)
                && !database.sources.is_empty()
            {
                return Err(say(
                    error,
                    format!("the data source {id} has data sources itself"),
                ));
            }
            if !self.placed.insert(id) {
                return Err(say(error, format!("the {noun} {id} is in two places")));
            }
        }
        // What is below itself has a place as well, but cannot be reached from the top.
        let mut reached = 0;
        let mut open = self.workspace.roots.clone();
        while let Some(node) = open.pop().and_then(|id| self.workspace.nodes.get(&id)) {
            reached += 1;
            open.extend(&node.children);
            if let Kind::Database(database) = &node.kind {
                open.extend(&database.sources);
            }
        }
        if reached == self.workspace.nodes.len() {
            return Ok(());
        }
        let mut lost: Vec<&Node> = self.workspace.nodes.values().collect();
        lost.retain(|node| !matches!(node.kind, Kind::Block { .. }) && !self.is_reached(node));
        lost.sort_by_key(|node| node.id);
        let id = lost
            .first()
            .map(|node| node.id.to_string())
            .unwrap_or_default();
        Err(invalid(
            WORKSPACE,
            format!("the page or database {id} has no place below the top of the workspace"),
        ))
    }

    fn is_reached(&self, node: &Node) -> bool {
        let mut seen = HashSet::new();
        let mut id = node.id;
        while seen.insert(id) {
            match self
                .workspace
                .nodes
                .get(&id)
                .and_then(|node| node.parent.id())
            {
                Some(parent) => id = parent,
                None => return self.workspace.roots.contains(&id),
            }
        }
        false
    }
}

fn user(entry: &Entry<'_>) -> Result<User, WorldError> {
    entry.object(&["id", "name", "email", "bot", "avatar"])?;
    let kind = if entry.switch("bot")? {
        UserKind::Bot
    } else {
        UserKind::Person(entry.need("email")?.string()?.to_owned())
    };
    Ok(User {
        id: entry.need("id")?.id()?,
        name: entry.need("name")?.string()?.to_owned(),
        avatar: entry
            .get("avatar")
            .map(|it| it.string().map(str::to_owned))
            .transpose()?,
        kind,
    })
}
