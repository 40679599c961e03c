//! Differences between two workspaces, and which of them are allowed.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, Found, Verifier};

use crate::workspace::{Kind, Node, Parent, Workspace};

/// Maximum number of changes that a detail names.
const NAMED: usize = 3;

/// Difference of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Id of the node.
    pub id: String,
    /// Titles and texts that lead to the node.
    pub place: String,
    /// Part that differs.
    pub what: What,
}

/// Part of a node that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The node is new, and outside of the trash.
    Added,
    /// The node does not exist any more.
    Removed,
    /// The node was moved to the trash or restored.
    Trashed,
    /// The node is somewhere else.
    Moved,
    /// The nodes below it have another order.
    Order,
    /// The type of the block, its creation, icon or cover.
    Looks,
    /// Text of a block, or title of a page or database.
    Text,
    /// Field of a block, such as `checked`.
    Field(String),
    /// Value of a row under the property of this name.
    Value(String),
    /// Property of a database with this id, or its order among the others.
    Property(String),
    /// Description of a database, or whether it is shown in its page.
    Schema,
    /// Comments were added to those of the start, or the node is new and has some.
    Commented,
    /// Comments of the start are gone or different.
    Comments,
    /// Users, the name or the bot of the workspace.
    Workspace,
}

/// Differences that a task asks for.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    nodes: BTreeSet<String>,
    parts: Vec<(String, What)>,
    below: Vec<String>,
}

impl Allowed {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows a part of a node to differ.
    #[must_use]
    pub fn part(mut self, id: &str, what: What) -> Self {
        self.parts.push((id.to_owned(), what));
        self
    }

    /// Allows the value of a row under a property to differ.
    #[must_use]
    pub fn value(self, row: &str, property: &str) -> Self {
        self.part(row, What::Value(property.to_owned()))
    }

    /// Allows new comments on a node.
    #[must_use]
    pub fn comments(self, id: &str) -> Self {
        self.part(id, What::Commented)
    }

    /// Allows a node to be new. It must be judged by other checks.
    #[must_use]
    pub fn added(self, id: &str) -> Self {
        self.part(id, What::Added)
    }

    /// Allows everything about a node, but not about the nodes below it.
    #[must_use]
    pub fn node(mut self, id: &str) -> Self {
        self.nodes.insert(id.to_owned());
        self
    }

    /// Allows new blocks at any level below a node. They must be judged by other checks.
    #[must_use]
    pub fn below(mut self, id: &str) -> Self {
        self.below.push(id.to_owned());
        self
    }

    fn permits(&self, change: &Change, end: &Workspace) -> bool {
        let is_part = |(id, what): &(String, What)| *id == change.id && *what == change.what;
        self.nodes.contains(&change.id)
            || self.parts.iter().any(is_part)
            || (change.what == What::Added
                && end.nodes.get(&change.id).is_some_and(Node::is_block)
                && self.below.iter().any(|id| end.is_below(&change.id, id)))
    }
}

/// Adds the check that two workspaces differ only in what is allowed.
pub fn nothing_else_changed(
    task: &mut Verifier,
    start: &Workspace,
    end: &Found<Workspace>,
    allowed: &Allowed,
) -> bool {
    let condition = end.satisfies(|end| {
        let changes = end.changes_since(start);
        let others: Vec<&Change> = changes
            .iter()
            .filter(|change| !allowed.permits(change, end))
            .collect();
        let named = others.iter().take(NAMED);
        let named: Vec<String> = named
            .map(|it| format!("{:?} of {}", it.what, it.place))
            .collect();
        let more = others.len().saturating_sub(NAMED);
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Condition::when(
            others.is_empty(),
            format!("expected no other change, found {}{more}", named.join(", ")),
        )
    });
    task.check("nothing else changed", condition)
}

impl Workspace {
    /// Returns whether a node is below another one, at any level.
    pub fn is_below(&self, id: &str, above: &str) -> bool {
        let mut at = self.nodes.get(id);
        while let Some(node) = at {
            at = match &node.parent {
                Parent::Node(parent) if parent == above => return true,
                Parent::Node(parent) => self.nodes.get(parent),
                Parent::Workspace => None,
            };
        }
        false
    }

    /// Returns the differences from another workspace, by id of the node. Times of the last edit
    /// are no differences, and neither is a new node in the trash.
    pub fn changes_since(&self, start: &Self) -> Vec<Change> {
        let mut all = Vec::new();
        let head = |it: &Self| (it.name.clone(), it.bot.clone(), it.users.clone());
        if head(self) != head(start) {
            all.push(Change {
                id: String::new(),
                place: "the workspace".to_owned(),
                what: What::Workspace,
            });
        }
        if order(&start.top, &self.top) != order(&self.top, &start.top) {
            all.push(Change {
                id: String::new(),
                place: "the top level".to_owned(),
                what: What::Order,
            });
        }
        for (id, before) in &start.nodes {
            let parts = match self.nodes.get(id) {
                None => vec![What::Removed],
                Some(after) => differences(before, after),
            };
            all.extend(parts.into_iter().map(|what| Change {
                id: id.clone(),
                place: start.describe(id),
                what,
            }));
        }
        let added = self
            .nodes
            .keys()
            .filter(|id| !start.nodes.contains_key(*id));
        for id in added.filter(|id| self.is_live(id)) {
            let is_commented = self.nodes.get(id).is_some_and(|it| !it.comments.is_empty());
            let commented = is_commented.then_some(What::Commented);
            all.extend(
                [What::Added]
                    .into_iter()
                    .chain(commented)
                    .map(|what| Change {
                        id: id.clone(),
                        place: self.describe(id),
                        what,
                    }),
            );
        }
        all
    }
}

/// Returns the ids of a list that the other list has too, in order.
fn order<'a>(ids: &'a [String], other: &[String]) -> Vec<&'a String> {
    ids.iter().filter(|id| other.contains(id)).collect()
}

fn differences(before: &Node, after: &Node) -> Vec<What> {
    let mut all = Vec::new();
    let mut note = |differs: bool, what: What| {
        if differs {
            all.push(what);
        }
    };
    note(before.trashed != after.trashed, What::Trashed);
    note(before.parent != after.parent, What::Moved);
    note(
        order(&before.children, &after.children) != order(&after.children, &before.children),
        What::Order,
    );
    let looks = |it: &Node| (it.icon.clone(), it.cover.clone(), it.created.clone());
    let types = before.type_name() == after.type_name();
    note(looks(before) != looks(after) || !types, What::Looks);
    note(before.text() != after.text(), What::Text);
    let common = before.comments.len().min(after.comments.len());
    let kept = before.comments.len() == common && before.comments == after.comments[..common];
    note(!kept, What::Comments);
    note(after.comments.len() > common, What::Commented);
    match (&before.kind, &after.kind) {
        (Kind::Row(before), Kind::Row(after)) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let differs = before.get(name) != after.get(name);
                note(differs, What::Value(name.clone()));
            }
        }
        (Kind::Block { fields: before, .. }, Kind::Block { fields: after, .. }) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let differs = before.get(name) != after.get(name);
                note(differs, What::Field(name.clone()));
            }
        }
        (Kind::Database(before), Kind::Database(after)) => {
            let facts = |it: &crate::Schema| (it.description.clone(), it.inline);
            note(facts(before) != facts(after), What::Schema);
            let indexed = |all: &crate::Schema| -> BTreeMap<String, crate::Property> {
                let properties = all.properties.iter();
                properties.map(|it| (it.id.clone(), it.clone())).collect()
            };
            let (old, new) = (indexed(before), indexed(after));
            let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for id in ids {
                note(old.get(id) != new.get(id), What::Property(id.clone()));
            }
            let ids = |it: &crate::Schema| -> Vec<String> {
                it.properties.iter().map(|it| it.id.clone()).collect()
            };
            let (old, new) = (ids(before), ids(after));
            note(
                order(&old, &new) != order(&new, &old),
                What::Property("order".to_owned()),
            );
        }
        _ => {}
    }
    all
}
