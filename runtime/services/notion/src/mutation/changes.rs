//! Differences between the starting and the final workspace.

use std::collections::HashSet;

use crate::model::{Database, Id, Kind, Node, Page, Parent, Property, PropertyValue, Workspace};

/// Starting and final workspace of a solution.
pub(super) struct Changes<'a> {
    pub(super) start: &'a Workspace,
    pub(super) end: &'a Workspace,
    /// Pages, databases, rows and blocks of the final workspace that are not in the trash, from top to bottom.
    live: Vec<&'a Node>,
}

/// Changed value of a property of a row.
pub(super) struct ChangedValue<'a> {
    pub(super) row: Id,
    pub(super) property: &'a Property,
    pub(super) before: Option<&'a PropertyValue>,
    pub(super) after: Option<&'a PropertyValue>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(start: &'a Workspace, end: &'a Workspace) -> Self {
        let mut live = Vec::with_capacity(end.nodes.len());
        let mut open: Vec<Id> = end.roots.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            if let Some(node) = end.nodes.get(&id).filter(|node| !node.trashed) {
                live.push(node);
                open.extend(node.children.iter().rev());
            }
        }
        Self { start, end, live }
    }

    /// Returns the nodes that are not in the trash, from top to bottom.
    pub(super) fn live(&self) -> impl Iterator<Item = &'a Node> {
        self.live.iter().copied()
    }

    /// Reports whether the solution created a node.
    pub(super) fn is_new(&self, id: Id) -> bool {
        !self.start.nodes.contains_key(&id)
    }

    /// Reports whether the solution created a node or changed its content, its place, or whether it is in the trash.
    pub(super) fn is_changed(&self, node: &Node) -> bool {
        match self.start.nodes.get(&node.id) {
            None => true,
            Some(before) => {
                before.kind != node.kind
                    || before.parent != node.parent
                    || before.trashed != node.trashed
            }
        }
    }

    /// Returns the pages and databases, without rows, that are not in the trash.
    pub(super) fn pages(&self) -> impl Iterator<Item = &'a Node> {
        self.live().filter(|node| is_page_or_database(node))
    }

    /// Returns the rows of databases that are not in the trash.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'a Node, &'a Page)> {
        let workspace = self.end;
        let rows = self
            .live()
            .filter(|node| matches!(node.parent, Parent::Database(_)));
        rows.filter_map(|node| workspace.page(node.id))
    }

    /// Returns the databases that are not in the trash.
    pub(super) fn databases(&self) -> impl Iterator<Item = (&'a Node, &'a Database)> {
        let workspace = self.end;
        self.live().filter_map(|node| workspace.database(node.id))
    }

    /// Returns the values of rows that the solution set, changed or removed.
    pub(super) fn values(&self) -> Vec<ChangedValue<'a>> {
        let mut values = Vec::new();
        for (node, page) in self.rows() {
            let Some((_, database)) = self.end.database_of(node.id) else {
                continue;
            };
            let before = self.start.page(node.id).map(|(_, page)| page);
            for property in &database.properties {
                let after = page.values.get(&property.id);
                let before = before.and_then(|page| page.values.get(&property.id));
                if before != after {
                    values.push(ChangedValue {
                        row: node.id,
                        property,
                        before,
                        after,
                    });
                }
            }
        }
        values
    }

    /// Returns the nodes that the solution moved to the trash, or that are missing, without those below them.
    pub(super) fn removed(&self) -> Vec<&'a Node> {
        let live: HashSet<Id> = self.live.iter().map(|node| node.id).collect();
        let was_live = |node: &Node| !self.start.is_trashed(node.id);
        let mut removed: Vec<&Node> = self.start.nodes.values().collect();
        removed.retain(|node| {
            let parent = node.parent.id();
            !live.contains(&node.id)
                && was_live(node)
                && parent.is_none_or(|parent| live.contains(&parent))
        });
        removed.sort_by_key(|node| node.id);
        removed
    }
}

/// Reports whether a node is a database or a page that is not a row.
pub(super) fn is_page_or_database(node: &Node) -> bool {
    match node.kind {
        Kind::Page(_) => !matches!(node.parent, Parent::Database(_)),
        Kind::Database(_) => true,
        Kind::Block { .. } => false,
    }
}
