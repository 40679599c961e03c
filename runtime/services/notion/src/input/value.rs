//! Values of properties in requests.

use serde_json::Value;

use super::Field;
use super::text::{self, MAX_ITEMS};
use crate::model::{Color, Config, Id, Property, PropertyType, PropertyValue};
use crate::refusal::{Outcome, Refusal};

/// Maximum lengths of an e-mail address and a phone number (documentation of request limits).
const MAX_CONTACT: usize = 200;
const MAX_URL: usize = 2_000;
/// Maximum length of the name of an option (documentation of request limits).
pub(crate) const MAX_OPTION: usize = 100;

/// New value of a property.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NewValue {
    /// No value.
    Empty,
    /// Value that does not depend on options.
    Value(PropertyValue),
    /// Option.
    Option(OptionRef),
    /// Several options.
    Options(Vec<OptionRef>),
}

/// Option in a request. An option with a new name is created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OptionRef {
    /// Id of an existing option.
    Existing(String),
    /// Name of a new option, with its colour if that was given.
    New(String, Option<Color>),
}

/// Parses the value of a property. The value may be under the name of its type, as in responses, or stand alone, as the
/// SDK types allow.
pub(crate) fn value(field: &Field<'_>, property: &Property) -> Outcome<NewValue> {
    let kind = property.config.kind();
    if kind.is_computed() {
        // The service refuses them; the text is chosen.
        return Err(Refusal::invalid(format!(
            "{} is a {} property, whose value cannot be set.",
            property.name,
            kind.name()
        )));
    }
    let inner = match field.value {
        Some(Value::Object(object)) if object.contains_key(kind.name()) => {
            field.only(&["id", "type", "name", kind.name()])?;
            field.get(kind.name())
        }
        Some(Value::Object(object)) => {
            let is_other = |key: &String| PropertyType::parse(key).is_some();
            let names_a_type =
                object.get("type").is_some_and(Value::is_string) || object.keys().any(is_other);
            if names_a_type || !stands_alone_as_object(kind) {
                return Err(mismatch(property));
            }
            field.clone()
        }
        _ => field.clone(),
    };
    parse(&inner, property)
}

/// Reports whether values of the type are objects even without the name of the type.
fn stands_alone_as_object(kind: PropertyType) -> bool {
    matches!(
        kind,
        PropertyType::Select | PropertyType::Status | PropertyType::Date
    )
}

fn mismatch(property: &Property) -> Refusal {
    Refusal::invalid(format!(
        "{} is expected to be {}.",
        property.name,
        property.config.kind().name()
    ))
}

fn parse(field: &Field<'_>, property: &Property) -> Outcome<NewValue> {
    let kind = property.config.kind();
    let full = |value: PropertyValue| Ok(NewValue::Value(value));
    if field.is_null() {
        return match kind {
            PropertyType::Number
            | PropertyType::Select
            | PropertyType::Status
            | PropertyType::Date
            | PropertyType::Url
            | PropertyType::Email
            | PropertyType::PhoneNumber => Ok(NewValue::Empty),
            _ => Err(field.should(wanted(kind))),
        };
    }
    match kind {
        PropertyType::Title | PropertyType::RichText => {
            let text = text::rich_text(field)?;
            if text.is_empty() {
                return Ok(NewValue::Empty);
            }
            full(PropertyValue::Text(text))
        }
        PropertyType::Number => match field.value {
            Some(Value::Number(_)) => full(PropertyValue::Number(field.number()?)),
            _ => Err(field.should(wanted(kind))),
        },
        PropertyType::Select | PropertyType::Status => {
            Ok(NewValue::Option(option(field, &property.config)?))
        }
        PropertyType::MultiSelect => {
            let items = field.items_within(MAX_ITEMS)?;
            let options: Vec<OptionRef> = items
                .iter()
                .map(|item| option(item, &property.config))
                .collect::<Outcome<_>>()?;
            if options.is_empty() {
                return Ok(NewValue::Empty);
            }
            Ok(NewValue::Options(options))
        }
        PropertyType::Date => full(PropertyValue::Date(text::date(field)?)),
        PropertyType::People => match ids(field)? {
            ids if ids.is_empty() => Ok(NewValue::Empty),
            ids => full(PropertyValue::People(ids)),
        },
        PropertyType::Relation => match ids(field)? {
            ids if ids.is_empty() => Ok(NewValue::Empty),
            ids => full(PropertyValue::Relation(ids)),
        },
        PropertyType::Files => match text::files(field)? {
            files if files.is_empty() => Ok(NewValue::Empty),
            files => full(PropertyValue::Files(files)),
        },
        PropertyType::Checkbox => Ok(if field.bool()? {
            NewValue::Value(PropertyValue::Checked)
        } else {
            NewValue::Empty
        }),
        PropertyType::Url | PropertyType::Email | PropertyType::PhoneNumber => {
            let most = if kind == PropertyType::Url {
                MAX_URL
            } else {
                MAX_CONTACT
            };
            if !field.value.is_some_and(Value::is_string) {
                return Err(field.should(wanted(kind)));
            }
            let text = field.string_within(most)?;
            if text.is_empty() {
                // The documentation asks for null (https://developers.notion.com, property values).
                return Err(field.should("a non-empty string or `null`"));
            }
            full(PropertyValue::Line(text.to_owned()))
        }
        PropertyType::Formula
        | PropertyType::Rollup
        | PropertyType::UniqueId
        | PropertyType::CreatedTime
        | PropertyType::CreatedBy
        | PropertyType::LastEditedTime
        | PropertyType::LastEditedBy
        | PropertyType::Button
        | PropertyType::Verification => Err(mismatch(property)),
    }
}

fn wanted(kind: PropertyType) -> &'static str {
    match kind {
        PropertyType::Number => "a number or `null`",
        PropertyType::Checkbox => "a boolean",
        PropertyType::Url | PropertyType::Email | PropertyType::PhoneNumber => "a string or `null`",
        PropertyType::Select | PropertyType::Status | PropertyType::Date => "an object or `null`",
        _ => "an array",
    }
}

/// Parses an array of objects with ids, without repetitions.
fn ids(field: &Field<'_>) -> Outcome<Vec<Id>> {
    let items = field.items_within(MAX_ITEMS)?;
    let mut ids = Vec::with_capacity(items.len());
    for item in items {
        item.object()?;
        let id = item.get("id").id()?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn option(field: &Field<'_>, config: &Config) -> Outcome<OptionRef> {
    field.only(&["id", "name", "color", "description"])?;
    if let Some(id) = field.get("id").present() {
        let id = id.string()?;
        if config.option(id).is_some() {
            return Ok(OptionRef::Existing(id.to_owned()));
        }
        if field.get("name").is_absent() {
            return Err(unknown(config.kind(), id));
        }
    }
    let name = field.get("name");
    if name.is_absent() {
        let complaints = ["id", "name"].map(|key| field.get(key).complaint("defined"));
        return Err(field.should_one(&complaints));
    }
    let text = option_name(&name, config.kind())?;
    if let Some(known) = config.options().iter().find(|option| option.name == text) {
        return Ok(OptionRef::Existing(known.id.clone()));
    }
    if config.kind() == PropertyType::Status {
        return Err(unknown(config.kind(), text));
    }
    let color = text::option_color(&field.get("color"))?;
    Ok(OptionRef::New(text.to_owned(), color))
}

/// Parses the name of an option, which must not contain a comma (documentation of the select option).
pub(crate) fn option_name<'a>(field: &Field<'a>, kind: PropertyType) -> Outcome<&'a str> {
    let text = field.string_within(MAX_OPTION)?;
    if text.is_empty() {
        return Err(field.too_short(1, 0));
    }
    if text.contains(',') {
        return Err(Refusal::invalid(format!(
            "Invalid {} option, commas not allowed: {text}",
            kind.name()
        )));
    }
    Ok(text)
}

/// Returns the error of an option that does not exist. The quotation mark at the end is that of the service.
fn unknown(kind: PropertyType, name: &str) -> Refusal {
    let kind = kind.name();
    let capital: String = kind[..1].to_uppercase() + &kind[1..];
    Refusal::invalid(format!(
        "Invalid {kind} option. {capital} option \"{name}\" does not exist\"."
    ))
}
