//! Checks of requests against the workspace, and changes that several requests make.

use crate::input::{Field, NewBlock, NewValue, OptionRef, value};
use crate::model::{
    BlockBody, BlockType, Color, Config, Id, Kind, Mention, Parent, Property, PropertyType,
    PropertyValue, RichText, SelectOption, Span, TITLE, Target, Workspace,
};
use crate::refusal::{Noun, Outcome, Refusal};

/// Checks that what rich text mentions exists.
pub(super) fn check_mentions(workspace: &Workspace, text: &[RichText]) -> Outcome<()> {
    for piece in text {
        let Span::Mention(mention) = &piece.span else {
            continue;
        };
        match mention {
            Mention::User(id) => check_user(workspace, *id)?,
            Mention::Page(id) => check_page(workspace, *id)?,
            Mention::Database(id) => check_database(workspace, *id)?,
            Mention::Date(_) => {}
        }
    }
    Ok(())
}

fn check_user(workspace: &Workspace, id: Id) -> Outcome<()> {
    let user = workspace.user(id);
    user.map(drop)
        .ok_or_else(|| Refusal::not_found(Noun::User, id))
}

fn check_page(workspace: &Workspace, id: Id) -> Outcome<()> {
    let page = workspace.page(id);
    page.map(drop)
        .ok_or_else(|| Refusal::not_found(Noun::Page, id))
}

fn check_database(workspace: &Workspace, id: Id) -> Outcome<()> {
    let database = workspace.database(id);
    database
        .map(drop)
        .ok_or_else(|| Refusal::not_found(Noun::Database, id))
}

/// Checks that what a block refers to exists.
pub(super) fn check_body(workspace: &Workspace, body: &BlockBody) -> Outcome<()> {
    check_mentions(workspace, &body.rich_text)?;
    check_mentions(workspace, &body.caption)?;
    for cell in &body.cells {
        check_mentions(workspace, cell)?;
    }
    match body.target {
        Some(Target::Page(id)) => check_page(workspace, id)?,
        Some(Target::Database(id)) => check_database(workspace, id)?,
        None => {}
    }
    if let Some(id) = body.synced_from {
        let is_original = workspace.nodes.get(&id).is_some_and(|node| {
            matches!(&node.kind, Kind::Block { kind: BlockType::SyncedBlock, body } if body.synced_from.is_none())
        });
        if !is_original {
            return Err(Refusal::not_found(Noun::Block, id));
        }
    }
    Ok(())
}

/// Checks that what new blocks refer to exists.
pub(super) fn check_blocks(workspace: &Workspace, blocks: &[NewBlock]) -> Outcome<()> {
    for block in blocks {
        check_body(workspace, &block.body)?;
        check_blocks(workspace, &block.children)?;
    }
    Ok(())
}

/// Adds new blocks below a parent, after a sibling or at the end. Returns the ids of the blocks at the top.
pub(super) fn add_blocks(
    workspace: &mut Workspace,
    parent: Parent,
    mut after: Option<Id>,
    blocks: Vec<NewBlock>,
) -> Vec<Id> {
    let is_in_middle = after.is_some();
    let mut ids = Vec::with_capacity(blocks.len());
    for block in blocks {
        let kind = Kind::Block {
            kind: block.kind,
            body: Box::new(block.body),
        };
        let id = workspace.create(parent, kind, after);
        if is_in_middle {
            after = Some(id);
        }
        add_blocks(workspace, Parent::Block(id), None, block.children);
        ids.push(id);
    }
    ids
}

/// Property and its new value.
pub(super) type Setting = (Property, NewValue);

/// Parses the values of a page, and checks what they refer to.
pub(super) fn settings(
    workspace: &Workspace,
    parent: Parent,
    field: &Field<'_>,
) -> Outcome<Vec<Setting>> {
    let database = match parent {
        Parent::Database(id) => workspace.database(id).map(|(_, database)| database),
        _ => None,
    };
    let title = Property {
        id: TITLE.to_owned(),
        name: TITLE.to_owned(),
        config: Config::Plain(PropertyType::Title),
    };
    let mut settings: Vec<Setting> = Vec::new();
    for key in field.object()?.keys() {
        let property = match database {
            Some(database) => database.property(key),
            // A page that is not a row has a title only. The schema of the tool also names `type` (chosen: ignored).
            None if key == TITLE => Some(&title),
            None if key == "type" => continue,
            None => None,
        };
        let property = property
            .ok_or_else(|| Refusal::invalid(format!("{key} is not a property that exists.")))?;
        let value = value(&field.get(key), property)?;
        check_value(workspace, property, &value)?;
        settings.retain(|(known, _)| known.id != property.id);
        settings.push((property.clone(), value));
    }
    Ok(settings)
}

fn check_value(workspace: &Workspace, property: &Property, value: &NewValue) -> Outcome<()> {
    let NewValue::Value(value) = value else {
        return Ok(());
    };
    match value {
        PropertyValue::Text(text) => check_mentions(workspace, text),
        PropertyValue::People(ids) => ids.iter().try_for_each(|id| check_user(workspace, *id)),
        PropertyValue::Relation(ids) => {
            let Config::Relation { database, .. } = &property.config else {
                return Ok(());
            };
            ids.iter()
                .try_for_each(|id| match workspace.nodes.get(id).map(|node| node.parent) {
                    Some(Parent::Database(parent)) if parent == *database => Ok(()),
                    Some(_) if workspace.page(*id).is_some() => Err(Refusal::invalid(format!(
                        "Page with ID {id} is not in the database of relation {}.",
                        property.name
                    ))),
                    _ => Err(Refusal::not_found(Noun::Page, *id)),
                })
        }
        _ => Ok(()),
    }
}

/// Sets values of a page. New options are added to the database.
pub(super) fn set(workspace: &mut Workspace, page: Id, settings: Vec<Setting>) {
    for (property, value) in settings {
        let value = match value {
            NewValue::Empty => None,
            NewValue::Value(value) => Some(value),
            NewValue::Option(option) => Some(PropertyValue::Option(resolve(
                workspace, page, &property, option,
            ))),
            NewValue::Options(options) => {
                let mut ids: Vec<String> = Vec::with_capacity(options.len());
                for option in options {
                    let id = resolve(workspace, page, &property, option);
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
                Some(PropertyValue::Options(ids))
            }
        };
        workspace.set_value(page, &property, value);
    }
}

/// Returns the id of an option, which is created if it is new.
fn resolve(workspace: &mut Workspace, page: Id, property: &Property, option: OptionRef) -> String {
    let (name, color) = match option {
        OptionRef::Existing(id) => return id,
        OptionRef::New(name, color) => (name, color),
    };
    let Some(database) = workspace.database_of(page).map(|(id, _)| id) else {
        return String::new();
    };
    let current = workspace
        .database(database)
        .and_then(|(_, it)| it.property(&property.id));
    // An earlier value of the same request may have created it.
    let known = current.and_then(|it| it.config.options().iter().find(|it| it.name == name));
    if let Some(known) = known {
        return known.id.clone();
    }
    let count = current.map_or(0, |it| it.config.options().len());
    let id = new_option_id(workspace, current_ids(workspace, database, &property.id));
    let option = SelectOption {
        id: id.clone(),
        name,
        color: color.unwrap_or_else(|| Color::of_option(count)),
    };
    let properties = workspace
        .database_mut(database)
        .map(|it| &mut it.properties);
    let found = properties.and_then(|all| all.iter_mut().find(|it| it.id == property.id));
    if let Some(options) = found.and_then(|it| it.config.options_mut()) {
        options.push(option);
    }
    id
}

fn current_ids(workspace: &Workspace, database: Id, property: &str) -> Vec<String> {
    let property = workspace
        .database(database)
        .and_then(|(_, it)| it.property(property));
    let options = property.map_or(&[][..], |it| it.config.options());
    options.iter().map(|option| option.id.clone()).collect()
}

/// Creates the id of an option that is not among those of its property.
pub(super) fn new_option_id(workspace: &mut Workspace, taken: Vec<String>) -> String {
    workspace
        .ids
        .next("option", |id| taken.contains(&id.to_string()))
        .to_string()
}
