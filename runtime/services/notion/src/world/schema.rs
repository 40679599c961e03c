//! Properties of databases in documents, read and written.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::WorldError;
use super::document::Entry;
use crate::formula::{Formula, FormulaError};
use crate::model::{
    Color, Config, Property, PropertyType, Rollup, RollupFunction, SelectOption, StatusGroup,
    TITLE, UNSUPPORTED_TYPES, number_format,
};

/// Reads the properties of a database.
pub(super) fn read_properties(entry: &Entry<'_>) -> Result<Vec<Property>, WorldError> {
    let mut properties: Vec<Property> = Vec::new();
    for item in entry.need("properties")?.items()? {
        let property = read_property(&item)?;
        for known in &properties {
            if known.id == property.id || known.name == property.name {
                return Err(item.error("another property has the same id or name"));
            }
        }
        properties.push(property);
    }
    for (property, item) in properties.iter().zip(entry.need("properties")?.items()?) {
        if let Config::Formula(formula) = &property.config {
            let is_known =
                |name: &str| properties.iter().any(|it| it.id == name || it.name == name);
            if let Some(name) = formula
                .properties()
                .into_iter()
                .find(|name| !is_known(name))
            {
                let error = FormulaError::Property(name.to_owned());
                return Err(item.need("expression")?.error(error.to_string()));
            }
        }
    }
    match properties
        .iter()
        .filter(|it| it.config.kind() == PropertyType::Title)
        .count()
    {
        1 => Ok(properties),
        found => Err(entry.error(format!(
            "expected one property of type title, found {found}"
        ))),
    }
}

fn read_property(entry: &Entry<'_>) -> Result<Property, WorldError> {
    let kind = entry.need("type")?;
    if UNSUPPORTED_TYPES.contains(&kind.string()?) {
        return Err(kind.error(format!(
            "properties of type {} are not supported",
            kind.string()?
        )));
    }
    let kind = kind.named("a type of properties", PropertyType::parse)?;
    let id = entry.need("id")?;
    if (id.string()? == TITLE) != (kind == PropertyType::Title) {
        return Err(id.error("the id of the title is \"title\", and no other property has it"));
    }
    Ok(Property {
        id: id.string()?.to_owned(),
        name: entry.need("name")?.string()?.to_owned(),
        config: read_config(entry, kind)?,
    })
}

fn read_config(entry: &Entry<'_>, kind: PropertyType) -> Result<Config, WorldError> {
    let only = |keys: &[&str]| {
        let keys: Vec<&str> = ["id", "name", "type"].iter().chain(keys).copied().collect();
        entry.object(&keys).map(drop)
    };
    Ok(match kind {
        PropertyType::Number => {
            only(&["format"])?;
            let format = entry.get("format");
            Config::Number(match format {
                Some(format) => format.named("a format of numbers", number_format)?,
                None => "number",
            })
        }
        PropertyType::Select | PropertyType::MultiSelect => {
            only(&["options"])?;
            let options = read_options(entry)?;
            match kind {
                PropertyType::Select => Config::Select(options),
                _ => Config::MultiSelect(options),
            }
        }
        PropertyType::Status => {
            only(&["options", "groups"])?;
            let options = read_options(entry)?;
            let groups = entry.list("groups")?;
            let groups = groups.iter().map(|group| read_group(group, &options));
            let groups = groups.collect::<Result<_, _>>()?;
            Config::Status { options, groups }
        }
        PropertyType::Relation => {
            only(&["database", "synced"])?;
            let synced = entry.get("synced").map(|it| it.string().map(str::to_owned));
            Config::Relation {
                database: entry.need("database")?.id()?,
                synced: synced.transpose()?,
            }
        }
        PropertyType::Formula => {
            only(&["expression"])?;
            let expression = entry.need("expression")?;
            let formula = Formula::parse(expression.string()?);
            Config::Formula(formula.map_err(|error| expression.error(error.to_string()))?)
        }
        PropertyType::Rollup => {
            only(&["relation", "property", "function"])?;
            Config::Rollup(Rollup {
                relation: entry.need("relation")?.string()?.to_owned(),
                property: entry.need("property")?.string()?.to_owned(),
                function: entry
                    .need("function")?
                    .named("a function of rollups", RollupFunction::parse)?,
            })
        }
        PropertyType::UniqueId => {
            only(&["prefix"])?;
            let prefix = entry.get("prefix").map(|it| it.string().map(str::to_owned));
            Config::UniqueId {
                prefix: prefix.transpose()?,
            }
        }
        kind => {
            only(&[])?;
            Config::Plain(kind)
        }
    })
}

fn read_options(entry: &Entry<'_>) -> Result<Vec<SelectOption>, WorldError> {
    let mut options: Vec<SelectOption> = Vec::new();
    let mut known = HashSet::new();
    for item in entry.list("options")? {
        item.object(&["id", "name", "color"])?;
        let option = SelectOption {
            id: item.need("id")?.string()?.to_owned(),
            name: item.need("name")?.string()?.to_owned(),
            color: read_color(&item)?,
        };
        let is_new =
            known.insert(option.name.clone()) && options.iter().all(|other| other.id != option.id);
        if !is_new {
            return Err(item.error("another option has the same id or name"));
        }
        options.push(option);
    }
    Ok(options)
}

fn read_color(entry: &Entry<'_>) -> Result<Color, WorldError> {
    entry.get("color").map_or(Ok(Color::default()), |color| {
        color.named("a colour of options", Color::parse_option)
    })
}

fn read_group(entry: &Entry<'_>, options: &[SelectOption]) -> Result<StatusGroup, WorldError> {
    entry.object(&["id", "name", "color", "options"])?;
    let mut ids = Vec::new();
    for item in entry.list("options")? {
        let name = item.string()?;
        let option = options.iter().find(|option| option.name == name);
        let option = option.ok_or_else(|| item.error(format!("there is no option {name:?}")))?;
        ids.push(option.id.clone());
    }
    Ok(StatusGroup {
        id: entry.need("id")?.string()?.to_owned(),
        name: entry.need("name")?.string()?.to_owned(),
        color: read_color(entry)?,
        options: ids,
    })
}

/// Returns the entry of a property.
pub(super) fn write_property(property: &Property) -> Value {
    let mut all = Map::new();
    let mut add = |key: &str, value: Value| {
        all.insert(key.to_owned(), value);
    };
    add("id", json!(property.id));
    add("name", json!(property.name));
    add("type", json!(property.config.kind().name()));
    match &property.config {
        Config::Plain(_) | Config::Number("number") => {}
        Config::Number(format) => add("format", json!(format)),
        Config::Select(options) | Config::MultiSelect(options) => {
            add("options", write_options(options));
        }
        Config::Status { options, groups } => {
            add("options", write_options(options));
            let group = |group: &StatusGroup| {
                let options = group.options.iter();
                let names = options
                    .filter_map(|id| property.config.option(id))
                    .map(|it| &it.name);
                let mut entry = Map::new();
                entry.insert("id".to_owned(), json!(group.id));
                entry.insert("name".to_owned(), json!(group.name));
                write_color(&mut entry, group.color);
                entry.insert("options".to_owned(), json!(names.collect::<Vec<_>>()));
                Value::Object(entry)
            };
            add("groups", groups.iter().map(group).collect());
        }
        Config::Relation { database, synced } => {
            add("database", json!(database.to_string()));
            if let Some(synced) = synced {
                add("synced", json!(synced));
            }
        }
        Config::Formula(formula) => add("expression", json!(formula.expression())),
        Config::Rollup(rollup) => {
            add("relation", json!(rollup.relation));
            add("property", json!(rollup.property));
            add("function", json!(rollup.function.name()));
        }
        Config::UniqueId { prefix } => {
            if let Some(prefix) = prefix {
                add("prefix", json!(prefix));
            }
        }
    }
    Value::Object(all)
}

fn write_options(options: &[SelectOption]) -> Value {
    let option = |option: &SelectOption| {
        let mut entry = Map::new();
        entry.insert("id".to_owned(), json!(option.id));
        entry.insert("name".to_owned(), json!(option.name));
        write_color(&mut entry, option.color);
        Value::Object(entry)
    };
    options.iter().map(option).collect()
}

fn write_color(entry: &mut Map<String, Value>, color: Color) {
    if color != Color::default() {
        entry.insert("color".to_owned(), json!(color.name()));
    }
}
