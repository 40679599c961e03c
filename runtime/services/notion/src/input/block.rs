//! Blocks of requests.

use mcpmark_service::checkpoint;
use serde_json::Value;

use super::Field;
use super::text::{self, MAX_ITEMS};
use crate::model::{BlockBody, BlockField, BlockType, FileSource, LANGUAGES, Nesting, Target};
use crate::refusal::{Outcome, Refusal};

/// Maximum number of blocks of a request (documentation of request limits).
const MAX_BLOCKS: usize = 1_000;
/// Number of levels of blocks of a request: a block, and two levels below it.
const LEVELS: usize = 3;

/// Block to be created, with the blocks below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewBlock {
    /// Type.
    pub(crate) kind: BlockType,
    /// Fields.
    pub(crate) body: BlockBody,
    /// Children.
    pub(crate) children: Vec<NewBlock>,
}

/// Parses an array of blocks to be created.
pub(crate) fn children(field: &Field<'_>) -> Outcome<Vec<NewBlock>> {
    let mut room = MAX_BLOCKS;
    level(field, LEVELS, &mut room)
}

fn level(field: &Field<'_>, levels: usize, room: &mut usize) -> Outcome<Vec<NewBlock>> {
    let items = field.items_within(MAX_ITEMS)?;
    items.iter().map(|item| block(item, levels, room)).collect()
}

fn block(field: &Field<'_>, levels: usize, room: &mut usize) -> Outcome<NewBlock> {
    checkpoint()?;
    *room = room.checked_sub(1).ok_or_else(|| {
        Refusal::invalid(format!("Requests may contain at most {MAX_BLOCKS} blocks."))
    })?;
    let (kind, content) = typed(field)?;
    let mut keys: Vec<&str> = kind
        .fields()
        .iter()
        .flat_map(|it| keys_of(*it))
        .copied()
        .collect();
    if kind.nesting() != Nesting::Leaf && levels > 1 {
        keys.push("children");
    }
    content.only(&keys)?;
    let body = self::body(kind, &content)?;
    let below = content.get("children");
    let children = match below.value {
        None => Vec::new(),
        Some(_) => level(&below, levels - 1, room)?,
    };
    check_shape(kind, &body, &children, &below)?;
    Ok(NewBlock {
        kind,
        body,
        children,
    })
}

/// Returns the type of a block and the value under its name.
fn typed<'a>(field: &Field<'a>) -> Outcome<(BlockType, Field<'a>)> {
    field.object()?;
    let named = field.get("type");
    let named = match named.value {
        None => None,
        Some(_) => Some(named.one_of(BlockType::ALL, BlockType::name)?),
    };
    let candidates = match &named {
        Some(kind) => std::slice::from_ref(kind),
        None => BlockType::ALL,
    };
    let present = candidates
        .iter()
        .find(|kind| !field.get(kind.name()).is_absent());
    let Some(kind) = present else {
        let complaints: Vec<String> = candidates
            .iter()
            .map(|kind| field.get(kind.name()).complaint("defined"))
            .collect();
        return Err(field.should_one(&complaints));
    };
    field.only(&["object", "type", kind.name()])?;
    Ok((*kind, field.get(kind.name())))
}

fn keys_of(field: BlockField) -> &'static [&'static str] {
    match field {
        BlockField::RichText => &["rich_text"],
        BlockField::Caption => &["caption"],
        BlockField::Color => &["color"],
        BlockField::Checked => &["checked"],
        BlockField::Toggleable => &["is_toggleable"],
        BlockField::Icon => &["icon"],
        BlockField::Language => &["language"],
        BlockField::Url => &["url"],
        BlockField::Expression => &["expression"],
        BlockField::Source => &["type", "external"],
        BlockField::Name => &["name"],
        BlockField::Target => &["type", "page_id", "database_id"],
        BlockField::TableWidth => &["table_width"],
        BlockField::ColumnHeader => &["has_column_header"],
        BlockField::RowHeader => &["has_row_header"],
        BlockField::Cells => &["cells"],
        BlockField::SyncedFrom => &["synced_from"],
        BlockField::WidthRatio => &["width_ratio"],
    }
}

/// Parses all fields of a new block.
fn body(kind: BlockType, content: &Field<'_>) -> Outcome<BlockBody> {
    let mut body = BlockBody::default();
    for field in kind.fields() {
        set(&mut body, *field, content)?;
    }
    Ok(body)
}

/// Parses the fields of a changed block that are present.
pub(crate) fn update(kind: BlockType, body: &BlockBody, content: &Field<'_>) -> Outcome<BlockBody> {
    // The width of a table and the original of a copy are set when they are created (documentation of the block object).
    let is_fixed =
        |field: &BlockField| matches!(field, BlockField::TableWidth | BlockField::SyncedFrom);
    let fields: Vec<BlockField> = kind
        .fields()
        .iter()
        .copied()
        .filter(|field| !is_fixed(field))
        .collect();
    let keys: Vec<&str> = fields
        .iter()
        .flat_map(|field| keys_of(*field))
        .copied()
        .collect();
    content.only(&keys)?;
    let mut body = body.clone();
    for field in fields {
        if keys_of(field)
            .iter()
            .any(|key| !content.get(key).is_absent())
        {
            set(&mut body, field, content)?;
        }
    }
    Ok(body)
}

fn set(body: &mut BlockBody, field: BlockField, content: &Field<'_>) -> Outcome<()> {
    let value = content.get(keys_of(field)[0]);
    match field {
        BlockField::RichText => body.rich_text = text::rich_text(&value)?,
        BlockField::Caption => {
            if let Some(value) = value.present() {
                body.caption = text::rich_text(&value)?;
            }
        }
        BlockField::Color => body.color = text::color(&value)?.unwrap_or(body.color),
        BlockField::Checked => body.checked = value.opt_bool()?.unwrap_or(body.checked),
        BlockField::Toggleable => body.toggleable = value.opt_bool()?.unwrap_or(body.toggleable),
        BlockField::Icon => {
            if let Some(value) = value.present() {
                body.icon = text::icon(&value)?;
            }
        }
        BlockField::Language => value
            .one_of(LANGUAGES, |name| name)?
            .clone_into(&mut body.text),
        BlockField::Url => body.text = text::url(&value)?,
        BlockField::Expression => value.string_within(1_000)?.clone_into(&mut body.text),
        BlockField::Source => {
            let external = content.get("external");
            external.only(&["url"])?;
            body.source = Some(FileSource::External(text::url(&external.get("url"))?));
        }
        BlockField::Name => {
            if let Some(name) = value.opt_string()? {
                name.clone_into(&mut body.text);
            }
        }
        BlockField::Target => body.target = Some(target(content)?),
        BlockField::TableWidth => body.table_width = width(&value)?,
        BlockField::ColumnHeader => {
            body.column_header = value.opt_bool()?.unwrap_or(body.column_header);
        }
        BlockField::RowHeader => body.row_header = value.opt_bool()?.unwrap_or(body.row_header),
        BlockField::Cells => {
            let cells = value.items_within(MAX_ITEMS)?;
            body.cells = cells.iter().map(text::rich_text).collect::<Outcome<_>>()?;
        }
        BlockField::WidthRatio => {
            if let Some(value) = value.present() {
                body.width_ratio = Some(ratio(&value)?);
            }
        }
        BlockField::SyncedFrom => {
            body.synced_from = match value.value {
                None => return Err(value.should("defined")),
                Some(Value::Null) => None,
                Some(_) => {
                    value.only(&["type", "block_id"])?;
                    Some(value.get("block_id").id()?)
                }
            };
        }
    }
    Ok(())
}

fn target(content: &Field<'_>) -> Outcome<Target> {
    if let Some(page) = content.get("page_id").present() {
        return Ok(Target::Page(page.id()?));
    }
    if let Some(database) = content.get("database_id").present() {
        return Ok(Target::Database(database.id()?));
    }
    let complaints = ["page_id", "database_id"].map(|key| content.get(key).complaint("defined"));
    Err(content.should_one(&complaints))
}

fn width(field: &Field<'_>) -> Outcome<u64> {
    let number = field.value.and_then(Value::as_u64);
    match number.filter(|width| (1..=100).contains(width)) {
        Some(width) => Ok(width),
        None if field.is_absent() => Err(field.should("defined")),
        None => Err(field.should("a number between 1 and 100")),
    }
}

/// Parses the share of a column in the width of its list (documentation of the block object).
fn ratio(field: &Field<'_>) -> Outcome<f64> {
    let ratio = field.number()?;
    if (0.0..=1.0).contains(&ratio) {
        Ok(ratio)
    } else {
        Err(field.should("a number between 0 and 1"))
    }
}

/// Checks which blocks are below a new block. The shapes are documented (table, column list and column); the texts of
/// the errors follow the general form.
fn check_shape(
    kind: BlockType,
    body: &BlockBody,
    children: &[NewBlock],
    below: &Field<'_>,
) -> Outcome<()> {
    let least = match kind {
        BlockType::Table | BlockType::Column => 1,
        BlockType::ColumnList => 2,
        _ => 0,
    };
    if children.len() < least {
        return Err(if below.is_absent() {
            below.should("defined")
        } else {
            below.too_short(least, children.len())
        });
    }
    for child in children {
        if !kind.may_contain(child.kind) {
            return Err(misplaced(kind, child.kind));
        }
        if kind == BlockType::Table && child.body.cells.len() as u64 != body.table_width {
            return Err(wrong_width());
        }
    }
    if !children.is_empty() && !crate::api::may_have_children(kind, body) {
        return Err(below.should("not present"));
    }
    Ok(())
}

/// Returns the error of a block below one that cannot contain it.
pub(crate) fn misplaced(parent: BlockType, child: BlockType) -> Refusal {
    Refusal::invalid(format!(
        "Block of type {} cannot be a child of a block of type {}.",
        child.name(),
        parent.name()
    ))
}

/// Returns the error of a table row with another number of cells than its table.
pub(crate) fn wrong_width() -> Refusal {
    Refusal::invalid("Number of cells in table row must match the table width of the parent table")
}
