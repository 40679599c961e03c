//! Moves of pages, since version 2025-09-03.

use super::{Call, check_editable, pages, path_id};
use crate::model::{
    Config, Id, Kind, Parent, Property, PropertyType, PropertyValue, TITLE, Values, Workspace,
};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// `POST /v1/pages/{page_id}/move`. A page that changes its database keeps its title, and the values of properties
/// whose names and types are equal on both sides, except options and relations (chosen).
pub(super) fn page(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("page_id", id)?;
    call.body.only(&["parent"])?;
    let to = pages::parent(workspace, &call.body.get("parent"))?;
    let (node, _) = pages::find(workspace, id)?;
    let from = node.parent;
    check_editable(workspace, id)?;
    pages::check_parent(workspace, to)?;
    if contains(workspace, id, to) {
        return Err(Refusal::invalid(format!(
            "Page with ID {id} cannot be moved below itself."
        )));
    }

    workspace.now.0 += 1;
    if from != to {
        let kept = kept_values(workspace, id, to);
        clear(workspace, id);
        unlink(workspace, id, from);
        let serial = pages::serial(workspace, to);
        let place = match to {
            Parent::Workspace => Some(&mut workspace.roots),
            Parent::Page(above) | Parent::Database(above) | Parent::Block(above) => workspace
                .nodes
                .get_mut(&above)
                .map(|node| &mut node.children),
        };
        if let Some(place) = place {
            place.push(id);
        }
        if let Some(node) = workspace.nodes.get_mut(&id) {
            node.parent = to;
        }
        if let Some(page) = workspace.page_mut(id) {
            page.values = kept;
            page.values.extend(serial);
        }
        for above in [from, to] {
            if let Parent::Page(above) = above {
                workspace.touch(above);
            }
        }
    }
    workspace.touch(id);
    match workspace.page(id) {
        Some((node, page)) => Ok(view::page(workspace, node, page, &[])),
        None => Err(Refusal::not_found(Noun::Page, id)),
    }
}

/// Reports whether a place is a page or below it.
fn contains(workspace: &Workspace, page: Id, place: Parent) -> bool {
    let mut next = place.id();
    while let Some(id) = next {
        if id == page {
            return true;
        }
        next = workspace.nodes.get(&id).and_then(|node| node.parent.id());
    }
    false
}

fn properties(workspace: &Workspace, place: Parent) -> Vec<Property> {
    match place {
        Parent::Database(id) => workspace
            .database(id)
            .map_or(Vec::new(), |(_, database)| database.properties.clone()),
        _ => vec![Property {
            id: TITLE.to_owned(),
            name: TITLE.to_owned(),
            config: Config::Plain(PropertyType::Title),
        }],
    }
}

/// Returns the values that a page has at its new place.
fn kept_values(workspace: &Workspace, page: Id, to: Parent) -> Values {
    let Some((node, page)) = workspace.page(page) else {
        return Values::new();
    };
    let (before, after) = (
        properties(workspace, node.parent),
        properties(workspace, to),
    );
    let mut kept = Values::new();
    for old in before {
        let Some(value) = page.values.get(&old.id) else {
            continue;
        };
        let kind = old.config.kind();
        let depends_on_database = matches!(
            value,
            PropertyValue::Option(_)
                | PropertyValue::Options(_)
                | PropertyValue::Relation(_)
                | PropertyValue::Serial(_)
        );
        let same = after.iter().find(|new| {
            let both_titles = old.id == TITLE && new.id == TITLE;
            let equal = new.name == old.name && new.config.kind() == kind && !depends_on_database;
            both_titles || equal
        });
        if let Some(new) = same {
            kept.insert(new.id.clone(), value.clone());
        }
    }
    kept
}

/// Clears the relations of a page, and those of other pages to it, because only rows of the related database may be in
/// a relation.
fn clear(workspace: &mut Workspace, page: Id) {
    let Some((database, content)) = workspace.database_of(page) else {
        return;
    };
    let own: Vec<Property> = content
        .properties
        .iter()
        .filter(|it| matches!(it.config, Config::Relation { .. }))
        .cloned()
        .collect();
    for property in own {
        workspace.set_value(page, &property, None);
    }
    let mut others: Vec<(Id, Property)> = Vec::new();
    for node in workspace.nodes.values() {
        let Kind::Database(content) = &node.kind else {
            continue;
        };
        for property in &content.properties {
            if matches!(&property.config, Config::Relation { database: it, .. } if *it == database)
            {
                let rows = node.children.iter().copied();
                others.extend(rows.map(|row| (row, property.clone())));
            }
        }
    }
    for (row, property) in others {
        let value = workspace
            .page(row)
            .and_then(|(_, it)| it.values.get(&property.id));
        if let Some(PropertyValue::Relation(ids)) = value
            && ids.contains(&page)
        {
            let rest: Vec<Id> = ids.iter().copied().filter(|id| *id != page).collect();
            let rest = (!rest.is_empty()).then_some(PropertyValue::Relation(rest));
            workspace.set_value(row, &property, rest);
        }
    }
}

/// Removes a page from the children of its parent.
fn unlink(workspace: &mut Workspace, page: Id, from: Parent) {
    let siblings = match from.id() {
        None => Some(&mut workspace.roots),
        Some(id) => workspace.nodes.get_mut(&id).map(|node| &mut node.children),
    };
    if let Some(siblings) = siblings {
        siblings.retain(|id| *id != page);
    }
}
