//! Fields of blocks of documents, read and written. Fields with default values are left out.

use serde_json::{Map, Value, json};

use super::WorldError;
use super::document::Entry;
use super::text::{read_file, read_icon, read_text, write_file, write_icon, write_text};
use crate::model::{BlockBody, BlockField, BlockType, Color, LANGUAGES, Target};
use crate::view::number;

/// Returns the keys of a field.
fn keys_of(field: BlockField) -> &'static [&'static str] {
    match field {
        BlockField::RichText => &["text"],
        BlockField::Caption => &["caption"],
        BlockField::Color => &["color"],
        BlockField::Checked => &["checked"],
        BlockField::Toggleable => &["toggleable"],
        BlockField::Icon => &["icon"],
        BlockField::Language => &["language"],
        BlockField::Url => &["url"],
        BlockField::Expression => &["expression"],
        BlockField::Source => &["external", "hosted"],
        BlockField::Name => &["name"],
        BlockField::Target => &["page", "database"],
        BlockField::TableWidth => &["width"],
        BlockField::ColumnHeader => &["column_header"],
        BlockField::RowHeader => &["row_header"],
        BlockField::Cells => &["cells"],
        BlockField::SyncedFrom => &["original"],
        BlockField::WidthRatio => &["width"],
    }
}

pub(super) fn read_body(kind: BlockType, entry: &Entry<'_>) -> Result<BlockBody, WorldError> {
    let fields = kind.fields();
    let keys: Vec<&str> = fields
        .iter()
        .flat_map(|field| keys_of(*field))
        .copied()
        .collect();
    entry.object(&keys)?;
    let mut body = BlockBody::default();
    for field in fields {
        let value = entry.get(keys_of(*field)[0]);
        read_field(&mut body, *field, entry, value)?;
    }
    Ok(body)
}

fn read_field(
    body: &mut BlockBody,
    field: BlockField,
    entry: &Entry<'_>,
    value: Option<Entry<'_>>,
) -> Result<(), WorldError> {
    match (field, value) {
        (BlockField::RichText, Some(value)) => body.rich_text = read_text(&value)?,
        (BlockField::Caption, Some(value)) => body.caption = read_text(&value)?,
        (BlockField::Color, Some(value)) => body.color = value.named("a colour", Color::parse)?,
        (BlockField::Checked, Some(_)) => body.checked = entry.switch("checked")?,
        (BlockField::Toggleable, Some(_)) => body.toggleable = entry.switch("toggleable")?,
        (BlockField::Icon, Some(value)) => body.icon = Some(read_icon(&value)?),
        (BlockField::Language, value) => {
            body.text = match value {
                None => "plain text".to_owned(),
                Some(value) => value.named("a language of code blocks", |name| {
                    LANGUAGES.contains(&name).then(|| name.to_owned())
                })?,
            };
        }
        (BlockField::Url, _) => body.text = entry.need("url")?.string()?.to_owned(),
        (BlockField::Expression, _) => body.text = entry.need("expression")?.string()?.to_owned(),
        (BlockField::Name, Some(value)) => body.text = value.string()?.to_owned(),
        (BlockField::Source, _) => body.source = Some(read_file(entry, &["caption", "name"])?),
        (BlockField::Target, Some(page)) => body.target = Some(Target::Page(page.id()?)),
        (BlockField::Target, None) => {
            body.target = Some(Target::Database(entry.need("database")?.id()?));
        }
        (BlockField::TableWidth, _) => body.table_width = entry.need("width")?.count()?,
        (BlockField::ColumnHeader, Some(_)) => {
            body.column_header = entry.switch("column_header")?
        }
        (BlockField::RowHeader, Some(_)) => body.row_header = entry.switch("row_header")?,
        (BlockField::Cells, _) => {
            let cells = entry.need("cells")?.items()?;
            // A string is a cell with that text, and an empty array an empty cell.
            body.cells = cells.iter().map(read_text).collect::<Result<_, _>>()?;
        }
        (BlockField::SyncedFrom, Some(value)) => body.synced_from = Some(value.id()?),
        (BlockField::WidthRatio, Some(value)) => {
            let ratio = value.number()?;
            if !(0.0..=1.0).contains(&ratio) {
                return Err(value.wrong("a number from 0 to 1"));
            }
            body.width_ratio = Some(ratio);
        }
        (_, None) => {}
    }
    Ok(())
}

pub(super) fn write_body(kind: BlockType, body: &BlockBody) -> Value {
    let mut all = Map::new();
    for field in kind.fields() {
        let key = keys_of(*field)[0];
        match write_field(*field, body) {
            Some(Value::Object(object))
                if matches!(field, BlockField::Source | BlockField::Target) =>
            {
                all.extend(object);
            }
            Some(value) => {
                all.insert(key.to_owned(), value);
            }
            None => {}
        }
    }
    Value::Object(all)
}

fn write_field(field: BlockField, body: &BlockBody) -> Option<Value> {
    let switch = |on: bool| on.then(|| json!(true));
    let text = |text: &[_]| (!text.is_empty()).then(|| write_text(text));
    match field {
        BlockField::RichText => text(&body.rich_text),
        BlockField::Caption => text(&body.caption),
        BlockField::Color => (body.color != Color::default()).then(|| json!(body.color.name())),
        BlockField::Checked => switch(body.checked),
        BlockField::Toggleable => switch(body.toggleable),
        BlockField::Icon => body.icon.as_ref().map(write_icon),
        BlockField::Language => (body.text != "plain text").then(|| json!(body.text)),
        BlockField::Url | BlockField::Expression => Some(json!(body.text)),
        BlockField::Name => (!body.text.is_empty()).then(|| json!(body.text)),
        BlockField::Source => body.source.as_ref().map(|it| Value::Object(write_file(it))),
        BlockField::Target => match body.target? {
            Target::Page(id) => Some(json!({"page": id.to_string()})),
            Target::Database(id) => Some(json!({"database": id.to_string()})),
        },
        BlockField::TableWidth => Some(json!(body.table_width)),
        BlockField::ColumnHeader => switch(body.column_header),
        BlockField::RowHeader => switch(body.row_header),
        BlockField::Cells => Some(body.cells.iter().map(|cell| write_text(cell)).collect()),
        BlockField::SyncedFrom => body.synced_from.map(|id| json!(id.to_string())),
        BlockField::WidthRatio => body.width_ratio.map(number),
    }
}
