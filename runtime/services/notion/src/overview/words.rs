//! Values and texts as a person reads them.

use crate::cell::Cell;
use crate::model::{
    BlockBody, BlockType, Config, Id, Kind, Node, Page, Property, PropertyType, PropertyValue,
    Target, Workspace,
};

/// Returns the value of a property of a row as text.
pub(super) fn value(
    workspace: &Workspace,
    node: &Node,
    page: &Page,
    property: &Property,
) -> String {
    match (&property.config, page.values.get(&property.id)) {
        (_, Some(PropertyValue::Files(files))) => {
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            return names.join(", ");
        }
        (
            Config::UniqueId {
                prefix: Some(prefix),
            },
            Some(PropertyValue::Serial(number)),
        ) => {
            return format!("{prefix}-{number}");
        }
        (Config::Number("percent"), Some(PropertyValue::Number(number))) => {
            return format!("{} %", number * 100.0);
        }
        _ => {}
    }
    if property.config.kind() == PropertyType::Button {
        return String::new();
    }
    cell(workspace, &Cell::of(workspace, node, page, property))
}

fn cell(workspace: &Workspace, value: &Cell) -> String {
    match value {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.replace('\n', " "),
        Cell::Number(number) => number.to_string(),
        Cell::Option { name, .. } => name.clone(),
        Cell::Options(names) => names.join(", "),
        Cell::Date(date) => date.plain(),
        Cell::Time(time) => time.minute().replace(":00.000Z", "Z"),
        Cell::Ids(ids) => {
            let names: Vec<String> = ids.iter().map(|id| name(workspace, *id)).collect();
            names.join(", ")
        }
        Cell::Files(count) => count.to_string(),
        Cell::Checkbox(true) => "☑".to_owned(),
        Cell::Checkbox(false) => "☐".to_owned(),
        Cell::Array(cells) => {
            let texts = cells.iter().map(|value| cell(workspace, value));
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            texts.join(", ")
        }
    }
}

/// Returns the name of a user, or the title of a page.
fn name(workspace: &Workspace, id: Id) -> String {
    match workspace.user(id) {
        Some(user) => user.name.clone(),
        None => super::title(workspace, id),
    }
}

/// Returns the text of a block on one line, without the blocks below it, or `None` if it has no text.
pub(super) fn block(workspace: &Workspace, node: &Node) -> Option<String> {
    let (kind, body) = match &node.kind {
        Kind::Block { kind, body } => (*kind, body),
        Kind::Page(_) | Kind::Database(_) => return Some(super::title(workspace, node.id)),
    };
    let mut parts = Vec::new();
    parts.push(workspace.plain(&body.rich_text));
    parts.extend(body.cells.iter().map(|cell| workspace.plain(cell)));
    parts.push(workspace.plain(&body.caption));
    parts.extend(details(workspace, kind, body));
    parts.retain(|part| !part.is_empty());
    let separator = if kind == BlockType::TableRow {
        " | "
    } else {
        "\n"
    };
    (!parts.is_empty()).then(|| parts.join(separator))
}

/// Returns the parts of a block that are no rich text.
fn details(workspace: &Workspace, kind: BlockType, body: &BlockBody) -> Vec<String> {
    let mut parts = Vec::new();
    if matches!(
        kind,
        BlockType::Bookmark | BlockType::Embed | BlockType::Equation | BlockType::File
    ) {
        parts.push(body.text.clone());
    }
    if let Some(source) = &body.source {
        parts.push(source.url().to_owned());
    }
    if let Some(Target::Page(id) | Target::Database(id)) = body.target {
        parts.push(super::title(workspace, id));
    }
    parts
}
