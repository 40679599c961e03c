//! Pages with their blocks and comments, read from documents.

use super::document::Entry;
use super::read::Reader;
use super::text::{read_file, read_icon, read_text};
use super::{MAX_LEVELS, WorldError, block::read_body};
use crate::model::{
    BlockType, Comment, Id, Kind, Node, Page, Parent, PropertyValue, Stamp, TITLE, Values,
};

/// Keys of the document of a page.
const PAGE: [&str; 9] = [
    "id", "title", "icon", "cover", "created", "edited", "trashed", "blocks", "comments",
];

/// Keys of a block, apart from that of its type.
const BLOCK: [&str; 6] = ["id", "created", "edited", "trashed", "blocks", "comments"];

impl Reader {
    /// Reads the document of a page. Its place is found later.
    pub(super) fn page(&mut self, entry: &Entry<'_>) -> Result<(), WorldError> {
        entry.object(&PAGE)?;
        let id = entry.need("id")?.id()?;
        let mut values = Values::new();
        if let Some(title) = entry.get("title") {
            values.insert(TITLE.to_owned(), PropertyValue::Text(read_text(&title)?));
        }
        self.page_node(entry, id, None, values, None)
    }

    /// Adds a page. `created` is the stamp that it has unless the entry says otherwise, for a row.
    pub(super) fn page_node(
        &mut self,
        entry: &Entry<'_>,
        id: Id,
        parent: Option<Parent>,
        values: Values,
        created: Option<Stamp>,
    ) -> Result<(), WorldError> {
        let (created, edited) = self.stamps(entry, created)?;
        let icon = entry.get("icon").map(|icon| read_icon(&icon)).transpose()?;
        let cover = entry
            .get("cover")
            .map(|cover| read_file(&cover, &[]))
            .transpose()?;
        let node = Node {
            id,
            parent: parent.unwrap_or(Parent::Workspace),
            created,
            edited,
            trashed: entry.switch("trashed")?,
            children: Vec::new(),
            kind: Kind::Page(Page {
                icon,
                cover,
                values,
            }),
        };
        self.add(entry, node)?;
        if parent.is_some() {
            self.placed.insert(id);
        }
        self.comments(entry, id)?;
        self.blocks(entry, (id, None), Parent::Page(id), created, MAX_LEVELS)
    }

    /// Reads the stamps of an entry. One that is left out is the default, or that of the creation.
    pub(super) fn stamps(
        &self,
        entry: &Entry<'_>,
        default: Option<Stamp>,
    ) -> Result<(Stamp, Stamp), WorldError> {
        let created = match (entry.get("created"), default) {
            (Some(created), _) => self.stamp(&created)?,
            (None, Some(default)) => default,
            (None, None) => self.stamp(&entry.need("created")?)?,
        };
        let edited = entry
            .get("edited")
            .map(|edited| self.stamp(&edited))
            .transpose()?;
        Ok((created, edited.unwrap_or(created)))
    }

    fn stamp(&self, entry: &Entry<'_>) -> Result<Stamp, WorldError> {
        entry.object(&["at", "by"])?;
        let time = entry.need("at")?.time()?;
        let by = self.user(&entry.need("by")?)?;
        Ok(Stamp { time, by })
    }

    /// Reads the blocks below a page or block. `above` is the id of that node, and the type if it is a block.
    fn blocks(
        &mut self,
        entry: &Entry<'_>,
        above: (Id, Option<BlockType>),
        parent: Parent,
        created: Stamp,
        levels: usize,
    ) -> Result<(), WorldError> {
        let (above, kind) = above;
        for item in entry.list("blocks")? {
            if levels == 0 {
                return Err(item.error(format!("blocks have more than {MAX_LEVELS} levels")));
            }
            let id = match self.child(&item, parent)? {
                Some(id) => id,
                None => self.block(&item, kind, parent, created, levels)?,
            };
            if let Some(node) = self.workspace.nodes.get_mut(&above) {
                node.children.push(id);
            }
        }
        Ok(())
    }

    /// Reads the place of a page or database among blocks.
    pub(super) fn child(
        &mut self,
        entry: &Entry<'_>,
        parent: Parent,
    ) -> Result<Option<Id>, WorldError> {
        for key in ["page", "database"] {
            if let Some(id) = entry.get(key) {
                entry.object(&[key])?;
                let id = id.id()?;
                self.places
                    .push((id, parent, key == "database", entry.error("")));
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn block(
        &mut self,
        entry: &Entry<'_>,
        above: Option<BlockType>,
        parent: Parent,
        default: Stamp,
        levels: usize,
    ) -> Result<Id, WorldError> {
        let types: Vec<&str> = entry
            .keys()?
            .into_iter()
            .filter(|key| !BLOCK.contains(key))
            .collect();
        let [name] = types.as_slice() else {
            return Err(entry.error(format!(
                "expected one type of block, \"page\" or \"database\", found {}",
                types.len()
            )));
        };
        let kind = BlockType::parse(name)
            .ok_or_else(|| entry.error(format!("expected a type of block, found {name:?}")))?;
        let holder = above.unwrap_or(BlockType::Paragraph);
        if !holder.may_contain(kind) {
            let holder = above.map_or("page", BlockType::name);
            return Err(entry.error(format!("a {holder} cannot contain a {name}")));
        }
        let body = read_body(kind, &entry.need(name)?)?;
        let id = entry.need("id")?.id()?;
        let (created, edited) = self.stamps(entry, Some(default))?;
        if let Some(Kind::Block { body: table, .. }) = parent
            .id()
            .and_then(|id| self.workspace.nodes.get(&id))
            .map(|node| &node.kind)
            && kind == BlockType::TableRow
            && body.cells.len() as u64 != table.table_width
        {
            return Err(entry.error(format!(
                "the row has {} cells, but its table has {} columns",
                body.cells.len(),
                table.table_width
            )));
        }
        let can_have_children = crate::api::may_have_children(kind, &body);
        if !can_have_children && entry.get("blocks").is_some() {
            return Err(entry.error("the block cannot have blocks below it"));
        }
        let node = Node {
            id,
            parent,
            created,
            edited,
            trashed: entry.switch("trashed")?,
            children: Vec::new(),
            kind: Kind::Block {
                kind,
                body: Box::new(body),
            },
        };
        self.add(entry, node)?;
        self.placed.insert(id);
        self.comments(entry, id)?;
        self.blocks(
            entry,
            (id, Some(kind)),
            Parent::Block(id),
            default,
            levels - 1,
        )?;
        Ok(id)
    }

    fn comments(&mut self, entry: &Entry<'_>, on: Id) -> Result<(), WorldError> {
        let mut comments = Vec::new();
        for item in entry.list("comments")? {
            item.object(&["id", "discussion", "created", "text"])?;
            comments.push(Comment {
                id: item.need("id")?.id()?,
                discussion: item.need("discussion")?.id()?,
                created: self.stamp(&item.need("created")?)?,
                rich_text: item
                    .get("text")
                    .map_or(Ok(Vec::new()), |text| read_text(&text))?,
            });
        }
        if !comments.is_empty() {
            self.workspace.comments.insert(on, comments);
        }
        Ok(())
    }
}
