//! Schemas of databases in requests.

use serde_json::Value;

use super::Field;
use super::text;
use super::value::option_name;
use crate::formula::{Formula, MAX_BYTES};
use crate::model::{
    Color, Id, NUMBER_FORMATS, PropertyType, RollupFunction, UNSUPPORTED_TYPES, Version,
    number_format,
};
use crate::refusal::{Outcome, Refusal};

/// Maximum number of options of a property in a request, and maximum length of the name of a property.
const MAX_OPTIONS: usize = 100;
const MAX_NAME: usize = 2_000;

/// Type of a new or changed property. Other properties are not resolved yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NewConfig {
    /// Type without settings.
    Plain(PropertyType),
    /// Number.
    Number(&'static str),
    /// Select or multi-select, with its options. `None` keeps the options of a changed property.
    Options(PropertyType, Option<Vec<NewOption>>),
    /// Relation.
    Relation {
        /// Related database.
        database: Id,
        /// Whether the other side has a property as well.
        is_two_way: bool,
    },
    /// Formula.
    Formula(Formula),
    /// Rollup, with names or ids of properties.
    Rollup {
        /// Relation.
        relation: String,
        /// Property of the related database.
        property: String,
        /// Function.
        function: RollupFunction,
    },
    /// Unique id.
    UniqueId(Option<String>),
}

/// Option of a new or changed property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewOption {
    /// Id of an existing option.
    pub(crate) id: Option<String>,
    /// Name.
    pub(crate) name: Option<String>,
    /// Colour.
    pub(crate) color: Option<Color>,
}

/// Change of one property.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SchemaChange {
    /// Name or id of the property.
    pub(crate) key: String,
    /// Whether it is removed.
    pub(crate) is_removed: bool,
    /// New name.
    pub(crate) name: Option<String>,
    /// New type.
    pub(crate) config: Option<NewConfig>,
}

/// Parses the properties of a new database, in order.
pub(crate) fn new_schema(field: &Field<'_>, version: Version) -> Outcome<Vec<(String, NewConfig)>> {
    let mut properties = Vec::new();
    for key in field.object()?.keys() {
        let item = field.get(key);
        check_name(&item, key)?;
        properties.push((key.clone(), config(&item, version)?));
    }
    let titles = properties
        .iter()
        .filter(|(_, it)| *it == NewConfig::Plain(PropertyType::Title));
    match titles.count() {
        1 => Ok(properties),
        0 => Err(Refusal::invalid("Title is not provided")),
        _ => Err(Refusal::invalid(
            "Cannot have more than one title property.",
        )),
    }
}

/// Parses changes of the properties of a database, in order.
pub(crate) fn changed_schema(field: &Field<'_>, version: Version) -> Outcome<Vec<SchemaChange>> {
    let mut changes = Vec::new();
    for key in field.object()?.keys() {
        let item = field.get(key);
        let mut change = SchemaChange {
            key: key.clone(),
            is_removed: item.is_null(),
            name: None,
            config: None,
        };
        if !change.is_removed {
            let keys = item.object()?;
            if let Some(name) = item.get("name").opt_string()? {
                check_name(&item.get("name"), name)?;
                change.name = Some(name.to_owned());
            }
            if keys
                .keys()
                .any(|key| !matches!(key.as_str(), "name" | "id" | "description"))
            {
                change.config = Some(config(&item, version)?);
            }
        }
        changes.push(change);
    }
    Ok(changes)
}

fn check_name(field: &Field<'_>, name: &str) -> Outcome<()> {
    let length = name.encode_utf16().count();
    if length > MAX_NAME {
        return Err(field.too_long(MAX_NAME, length));
    }
    if name.is_empty() {
        return Err(Refusal::invalid("Property names must not be empty."));
    }
    Ok(())
}

fn config(field: &Field<'_>, version: Version) -> Outcome<NewConfig> {
    let object = field.object()?;
    if let Some(name) = UNSUPPORTED_TYPES
        .iter()
        .find(|name| object.contains_key(**name))
    {
        return Err(Refusal::invalid(format!(
            "Properties of type {name} are not supported by this workspace."
        )));
    }
    let kind = PropertyType::ALL
        .iter()
        .find(|kind| object.contains_key(kind.name()));
    let Some(kind) = kind.copied() else {
        let complaints: Vec<String> = PropertyType::ALL
            .iter()
            .map(|kind| field.get(kind.name()).complaint("defined"))
            .collect();
        return Err(field.should_one(&complaints));
    };
    field.only(&["id", "name", "type", "description", kind.name()])?;
    let inner = field.get(kind.name());
    inner.object()?;
    match kind {
        PropertyType::Number => {
            inner.only(&["format"])?;
            let format = inner.get("format");
            if format.is_absent() {
                return Ok(NewConfig::Number("number"));
            }
            let name = format.one_of(NUMBER_FORMATS, |name| name)?;
            Ok(NewConfig::Number(number_format(name).unwrap_or("number")))
        }
        PropertyType::Select | PropertyType::MultiSelect => {
            inner.only(&["options"])?;
            let given = inner.get("options").present();
            let given = given.map(|given| options(&given, kind)).transpose()?;
            Ok(NewConfig::Options(kind, given))
        }
        // Documentation of the update of a database: a status can neither be created nor changed.
        PropertyType::Status => Err(Refusal::invalid(
            "Creating or updating a status property is not supported by the API.",
        )),
        PropertyType::Relation => relation(&inner, version),
        PropertyType::Formula => formula(&inner),
        PropertyType::Rollup => rollup(&inner),
        PropertyType::UniqueId => {
            inner.only(&["prefix"])?;
            let prefix = inner.get("prefix");
            match prefix.value {
                None | Some(Value::Null) => Ok(NewConfig::UniqueId(None)),
                Some(_) => Ok(NewConfig::UniqueId(Some(
                    prefix.string_within(20)?.to_owned(),
                ))),
            }
        }
        PropertyType::Button => Err(Refusal::invalid(
            "Creating or updating a button property is not supported by the API.",
        )),
        // Sources are silent about the words of this error (chosen).
        PropertyType::Verification => Err(Refusal::invalid(
            "Creating or updating a verification property is not supported by the API.",
        )),
        kind => {
            inner.only(&[])?;
            Ok(NewConfig::Plain(kind))
        }
    }
}

fn options(field: &Field<'_>, kind: PropertyType) -> Outcome<Vec<NewOption>> {
    let mut options: Vec<NewOption> = Vec::new();
    for item in field.items_within(MAX_OPTIONS)? {
        item.only(&["id", "name", "color", "description"])?;
        let id = item.get("id").opt_string()?.map(str::to_owned);
        let name = item.get("name");
        let name = match (name.value, &id) {
            (None, Some(_)) => None,
            _ => Some(option_name(&name, kind)?.to_owned()),
        };
        let is_known = |it: &NewOption| it.name.is_some() && it.name == name;
        if options.iter().any(is_known) {
            return Err(Refusal::invalid(format!(
                "Duplicate option name: {}",
                name.unwrap_or_default()
            )));
        }
        let color = text::option_color(&item.get("color"))?;
        options.push(NewOption { id, name, color });
    }
    Ok(options)
}

/// Parses a relation. Since version 2025-09-03, it has the id of a data source, which is not resolved yet.
fn relation(field: &Field<'_>, version: Version) -> Outcome<NewConfig> {
    let key = if version.has_data_sources() {
        "data_source_id"
    } else {
        "database_id"
    };
    field.only(&[key, "type", "single_property", "dual_property"])?;
    let database = field.get(key).id()?;
    let has = |key: &str| !field.get(key).is_absent();
    if !has("single_property") && !has("dual_property") {
        let keys = ["single_property", "dual_property"];
        return Err(field.should_one(&keys.map(|key| field.get(key).complaint("defined"))));
    }
    Ok(NewConfig::Relation {
        database,
        is_two_way: has("dual_property"),
    })
}

/// Parses a formula. The words of its errors are chosen.
fn formula(field: &Field<'_>) -> Outcome<NewConfig> {
    field.only(&["expression"])?;
    let expression = field.get("expression").string_within(MAX_BYTES)?;
    match Formula::parse(expression) {
        Ok(formula) => Ok(NewConfig::Formula(formula)),
        Err(error) => Err(Refusal::invalid(format!(
            "Type error with formula: {error}."
        ))),
    }
}

fn rollup(field: &Field<'_>) -> Outcome<NewConfig> {
    field.only(&[
        "relation_property_name",
        "relation_property_id",
        "rollup_property_name",
        "rollup_property_id",
        "function",
    ])?;
    let key = |name: &str, id: &str| {
        let keys = [field.get(name), field.get(id)];
        match keys.iter().find(|key| !key.is_absent()) {
            Some(key) => key.string().map(str::to_owned),
            None => Err(field.should_one(&keys.map(|key| key.complaint("defined")))),
        }
    };
    Ok(NewConfig::Rollup {
        relation: key("relation_property_name", "relation_property_id")?,
        property: key("rollup_property_name", "rollup_property_id")?,
        function: field
            .get("function")
            .one_of(RollupFunction::ALL, RollupFunction::name)?,
    })
}
