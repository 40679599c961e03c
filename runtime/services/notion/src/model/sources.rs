//! Data sources of databases.
//!
//! A node of the kind [`Kind::Database`] is a data source with its properties and rows. One with a place in the
//! workspace is also the database that contains it, so it has two ids: its own one as a database, and
//! [`Id::data_source`] as a data source. Other data sources of the same database are nodes below it, which have only
//! the id of a data source.

use super::{Database, Id, Kind, Node, Parent, Workspace};

impl Workspace {
    /// Returns the node and the content of the data source with this id.
    pub fn data_source(&self, id: Id) -> Option<(&Node, &Database)> {
        let further = self
            .database(id)
            .filter(|(node, _)| matches!(node.parent, Parent::Database(_)));
        let first = || {
            self.database(id.database())
                .filter(|(node, _)| !matches!(node.parent, Parent::Database(_)))
        };
        further.or_else(first)
    }

    /// Returns the id of a node as a data source, and the id of the database that contains it.
    pub fn data_source_ids(&self, node: Id) -> (Id, Id) {
        match self.nodes.get(&node).map(|node| node.parent) {
            Some(Parent::Database(database)) => (node, database),
            _ => (node.data_source(), node),
        }
    }

    /// Returns the node of the database that contains a data source.
    pub fn container(&self, node: Id) -> Option<&Node> {
        let (_, database) = self.data_source_ids(node);
        self.nodes.get(&database)
    }

    /// Reports whether a node is a data source that is not the first one of its database.
    pub fn is_further_source(&self, node: &Node) -> bool {
        matches!(node.kind, Kind::Database(_)) && matches!(node.parent, Parent::Database(_))
    }

    /// Adds a data source to a database. Returns the id of its node.
    pub fn create_data_source(&mut self, database: Id, content: Database) -> Id {
        let (id, stamp) = (self.new_id(), self.stamp());
        let node = Node {
            id,
            parent: Parent::Database(database),
            created: stamp,
            edited: stamp,
            trashed: false,
            children: Vec::new(),
            kind: Kind::Database(content),
        };
        self.nodes.insert(id, node);
        if let Some(database) = self.database_mut(database) {
            database.sources.push(id);
        }
        id
    }
}
