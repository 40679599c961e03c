//! Databases with their rows, read from documents.

use std::collections::HashSet;
use std::hash::Hash;

use super::WorldError;
use super::document::Entry;
use super::read::Reader;
use super::schema::read_properties;
use super::text::{read_date, read_file, read_icon, read_named_file, read_text};
use crate::model::{
    Config, Database, Id, Kind, Node, Parent, Property, PropertyType, PropertyValue, Values,
    Verification,
};

/// Keys of the document of a database.
const DATABASE: [&str; 12] = [
    "id",
    "title",
    "description",
    "icon",
    "cover",
    "inline",
    "created",
    "edited",
    "trashed",
    "properties",
    "sources",
    "rows",
];

/// Keys of a row.
const ROW: [&str; 9] = [
    "id", "values", "icon", "cover", "created", "edited", "trashed", "blocks", "comments",
];

impl Reader {
    /// Reads the document of a database without its rows.
    pub(super) fn database(&mut self, entry: &Entry<'_>) -> Result<(), WorldError> {
        entry.object(&DATABASE)?;
        let (created, edited) = self.stamps(entry, None)?;
        let text = |key: &str| {
            entry
                .get(key)
                .map_or(Ok(Vec::new()), |text| read_text(&text))
        };
        let id = entry.need("id")?.id()?;
        let sources = entry.list("sources")?;
        let database = Database {
            icon: entry.get("icon").map(|icon| read_icon(&icon)).transpose()?,
            cover: entry
                .get("cover")
                .map(|cover| read_file(&cover, &[]))
                .transpose()?,
            title: text("title")?,
            description: text("description")?,
            inline: entry.switch("inline")?,
            properties: read_properties(entry)?,
            sources: sources.iter().map(Entry::id).collect::<Result<_, _>>()?,
        };
        for (source, item) in database.sources.iter().zip(&sources) {
            self.places
                .push((*source, Parent::Database(id), true, item.error("")));
        }
        let node = Node {
            id,
            parent: Parent::Workspace,
            created,
            edited,
            trashed: entry.switch("trashed")?,
            children: Vec::new(),
            kind: Kind::Database(database),
        };
        self.add(entry, node)
    }

    /// Reads the rows of the document of a database.
    pub(super) fn rows(&mut self, entry: &Entry<'_>) -> Result<(), WorldError> {
        let id = entry.need("id")?.id()?;
        let Some((node, database)) = self.workspace.database(id) else {
            return Ok(());
        };
        let (created, properties) = (node.created, database.properties.clone());
        for item in entry.list("rows")? {
            item.object(&ROW)?;
            let row = item.need("id")?.id()?;
            let mut values = Values::new();
            if let Some(all) = item.get("values") {
                for key in all.keys()? {
                    let value = all.need(key)?;
                    let property = properties.iter().find(|property| property.name == key);
                    let property = property
                        .ok_or_else(|| value.error("the database has no property of this name"))?;
                    values.insert(property.id.clone(), self.value(&value, property)?);
                }
            }
            self.page_node(
                &item,
                row,
                Some(Parent::Database(id)),
                values,
                Some(created),
            )?;
            if let Some(node) = self.workspace.nodes.get_mut(&id) {
                node.children.push(row);
            }
        }
        Ok(())
    }

    fn value(&self, entry: &Entry<'_>, property: &Property) -> Result<PropertyValue, WorldError> {
        let config = &property.config;
        let option = |entry: &Entry<'_>| {
            entry.named("the name of an option", |name| {
                let option = config.options().iter().find(|option| option.name == name)?;
                Some(option.id.clone())
            })
        };
        Ok(match config.kind() {
            PropertyType::Title | PropertyType::RichText => PropertyValue::Text(read_text(entry)?),
            PropertyType::Number => PropertyValue::Number(entry.number()?),
            PropertyType::Select | PropertyType::Status => PropertyValue::Option(option(entry)?),
            PropertyType::MultiSelect => PropertyValue::Options(several(entry, option)?),
            PropertyType::Date => PropertyValue::Date(read_date(entry)?),
            PropertyType::People => PropertyValue::People(several(entry, |it| self.user(it))?),
            PropertyType::Files => PropertyValue::Files(several(entry, read_named_file)?),
            PropertyType::Checkbox => match entry.value.as_bool() {
                Some(true) => PropertyValue::Checked,
                _ => return Err(entry.error("expected true; a box without a check is left out")),
            },
            PropertyType::Url | PropertyType::Email | PropertyType::PhoneNumber => {
                PropertyValue::Line(entry.string()?.to_owned())
            }
            PropertyType::Relation => PropertyValue::Relation(several(entry, |it| it.id())?),
            PropertyType::UniqueId => PropertyValue::Serial(entry.count()?),
            PropertyType::Verification => {
                entry.object(&["by", "date"])?;
                PropertyValue::Verification(Verification {
                    by: self.user(&entry.need("by")?)?,
                    date: read_date(&entry.need("date")?)?,
                })
            }
            kind => {
                return Err(entry.error(format!(
                    "values of type {} are computed, and not written in a world",
                    kind.name()
                )));
            }
        })
    }

    /// Checks the relations and rollups of a database, when all rows are known.
    pub(super) fn check_relations(&self, entry: &Entry<'_>) -> Result<(), WorldError> {
        let id = entry.need("id")?.id()?;
        let Some((node, database)) = self.workspace.database(id) else {
            return Ok(());
        };
        let items = entry.need("properties")?.items()?;
        for (property, item) in database.properties.iter().zip(items) {
            match &property.config {
                Config::Relation {
                    database: other,
                    synced,
                } => {
                    let Some((_, other)) = self.workspace.database(*other) else {
                        return Err(
                            item.error(format!("no document describes the database {other}"))
                        );
                    };
                    if let Some(synced) = synced {
                        let mirrors = other.property(synced).is_some_and(|it| {
                            it.config
                                == Config::Relation {
                                    database: id,
                                    synced: Some(property.id.clone()),
                                }
                        });
                        if !mirrors {
                            return Err(item.error(format!(
                                "property {synced:?} of the related database is not the other side of this relation"
                            )));
                        }
                    }
                }
                Config::Rollup(rollup) => {
                    let relation = database.property(&rollup.relation).map(|it| &it.config);
                    let related = match relation {
                        Some(Config::Relation { database, .. }) => {
                            self.workspace.database(*database)
                        }
                        _ => return Err(item.error("\"relation\" is not the id of a relation")),
                    };
                    let target =
                        related.and_then(|(_, related)| related.property(&rollup.property));
                    if target.is_none_or(|it| it.config.kind() == PropertyType::Rollup) {
                        return Err(item.error(
                            "\"property\" is not the id of a property of the related database that can be summarised",
                        ));
                    }
                }
                _ => {}
            }
        }
        for (row, item) in node.children.iter().zip(entry.list("rows")?) {
            self.check_row(*row, &database.properties, &item)?;
        }
        Ok(())
    }

    fn check_row(
        &self,
        row: Id,
        properties: &[Property],
        entry: &Entry<'_>,
    ) -> Result<(), WorldError> {
        let Some((_, page)) = self.workspace.page(row) else {
            return Ok(());
        };
        for property in properties {
            let Config::Relation { database, synced } = &property.config else {
                continue;
            };
            let Some(PropertyValue::Relation(ids)) = page.values.get(&property.id) else {
                continue;
            };
            for id in ids {
                let other = self.workspace.page(*id);
                let other = other.filter(|(node, _)| node.parent == Parent::Database(*database));
                let Some((_, other)) = other else {
                    return Err(entry.error(format!(
                        "{}: expected a row of the related database, found {id}",
                        property.name
                    )));
                };
                if let Some(synced) = synced {
                    let back = match other.values.get(synced) {
                        Some(PropertyValue::Relation(back)) => back.contains(&row),
                        _ => false,
                    };
                    if !back {
                        return Err(entry.error(format!(
                            "{}: the row {id} does not have this row on its side of the relation",
                            property.name
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

fn several<T: Clone + Eq + Hash>(
    entry: &Entry<'_>,
    read: impl Fn(&Entry<'_>) -> Result<T, WorldError>,
) -> Result<Vec<T>, WorldError> {
    let mut values = Vec::new();
    let mut known = HashSet::new();
    for item in entry.items()? {
        let value = read(&item)?;
        if !known.insert(value.clone()) {
            return Err(item.error("the value is repeated"));
        }
        values.push(value);
    }
    if values.is_empty() {
        return Err(entry.error("an empty value is left out"));
    }
    Ok(values)
}
