//! Rich text, dates, icons and files of requests.

use serde_json::Value;

use super::Field;
use crate::model::{
    Annotations, Color, DateValue, FileSource, Icon, Mention, Moment, NamedFile, RichText, Span,
};
use crate::refusal::{Outcome, Refusal};

/// Maximum length of a text, an equation and a URL (documentation of request limits).
const MAX_TEXT: usize = 2_000;
const MAX_EQUATION: usize = 1_000;
const MAX_URL: usize = 2_000;
/// Maximum number of items of an array (documentation of request limits).
pub(crate) const MAX_ITEMS: usize = 100;

/// Parses an array of rich text.
pub(crate) fn rich_text(field: &Field<'_>) -> Outcome<Vec<RichText>> {
    let items = field.items_within(MAX_ITEMS)?;
    items.iter().map(piece).collect()
}

/// Parser of the content of a piece of rich text.
type ParseSpan = fn(&Field<'_>) -> Outcome<Span>;

fn piece(field: &Field<'_>) -> Outcome<RichText> {
    field.object()?;
    let kinds: [(&str, ParseSpan); 3] =
        [("text", text), ("mention", mention), ("equation", equation)];
    let named = field.get("type");
    let wanted = match named.value {
        None => None,
        Some(_) => Some(named.one_of(&kinds.map(|(name, _)| name), |name| name)?),
    };
    let present = kinds.iter().find(|(name, _)| {
        wanted.is_none_or(|wanted| wanted == *name) && !field.get(name).is_absent()
    });
    let Some((name, parse)) = present else {
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        let missing = names
            .iter()
            .filter(|name| wanted.is_none_or(|wanted| wanted == **name));
        let complaints: Vec<String> = missing
            .map(|name| field.get(name).complaint("defined"))
            .collect();
        return Err(field.should_one(&complaints));
    };
    // `plain_text` and `href` of responses are accepted and have no effect, so that clients can send back what they
    // have read (SDK types do not name them; chosen).
    field.only(&["type", name, "annotations", "plain_text", "href"])?;
    Ok(RichText {
        span: parse(&field.get(name))?,
        annotations: annotations(&field.get("annotations"))?,
    })
}

fn text(field: &Field<'_>) -> Outcome<Span> {
    field.only(&["content", "link"])?;
    let content = field.get("content").string_within(MAX_TEXT)?.to_owned();
    let link = field.get("link");
    let link = match link.value {
        None | Some(Value::Null) => None,
        Some(_) => {
            link.only(&["url", "type"])?;
            Some(url(&link.get("url"))?)
        }
    };
    Ok(Span::Text { content, link })
}

fn equation(field: &Field<'_>) -> Outcome<Span> {
    field.only(&["expression"])?;
    let expression = field.get("expression").string_within(MAX_EQUATION)?;
    Ok(Span::Equation(expression.to_owned()))
}

fn mention(field: &Field<'_>) -> Outcome<Span> {
    field.object()?;
    let kinds = ["user", "page", "database", "date"];
    let Some(kind) = kinds.into_iter().find(|kind| !field.get(kind).is_absent()) else {
        let complaints = kinds.map(|kind| field.get(kind).complaint("defined"));
        return Err(field.should_one(&complaints));
    };
    let value = field.get(kind);
    let id = || value.get("id").id();
    Ok(Span::Mention(match kind {
        "user" => Mention::User(id()?),
        "page" => Mention::Page(id()?),
        "database" => Mention::Database(id()?),
        _ => Mention::Date(date(&value)?),
    }))
}

fn annotations(field: &Field<'_>) -> Outcome<Annotations> {
    let mut annotations = Annotations::default();
    if field.is_absent() {
        return Ok(annotations);
    }
    field.only(&[
        "bold",
        "italic",
        "strikethrough",
        "underline",
        "code",
        "color",
    ])?;
    for (name, switch) in annotations.switches() {
        *switch = field.get(name).opt_bool()?.unwrap_or(false);
    }
    annotations.color = color(&field.get("color"))?.unwrap_or_default();
    Ok(annotations)
}

/// Parses the name of a colour, if there is one.
pub(crate) fn color(field: &Field<'_>) -> Outcome<Option<Color>> {
    if field.is_absent() {
        return Ok(None);
    }
    let name = field.one_of(Color::names(), |name| name)?;
    Ok(Color::parse(name))
}

/// Parses the colour of an option, if there is one.
pub(crate) fn option_color(field: &Field<'_>) -> Outcome<Option<Color>> {
    if field.is_absent() {
        return Ok(None);
    }
    let name = field.one_of(Color::option_names(), |name| name)?;
    Ok(Color::parse_option(name))
}

/// Parses a URL. The service refuses an invalid one with `Invalid URL`, and takes `https://` and `http://` as well as
/// relative addresses of its own; which other schemes it takes is not documented (chosen: any).
pub(crate) fn url(field: &Field<'_>) -> Outcome<String> {
    let text = field.string_within(MAX_URL)?;
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if text.starts_with('/') || has_scheme && !text.contains(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err(Refusal::invalid("Invalid URL for link."))
    }
}

/// Parses a date value.
pub(crate) fn date(field: &Field<'_>) -> Outcome<DateValue> {
    field.only(&["start", "end", "time_zone"])?;
    let zone_name = field.get("time_zone");
    let zone = match zone_name.value {
        None | Some(Value::Null) => None,
        Some(_) => {
            let name = zone_name.string()?;
            let zone = jiff::tz::TimeZone::get(name);
            Some((
                name,
                zone.map_err(|_| zone_name.should("a valid time zone"))?,
            ))
        }
    };
    let moment = |field: &Field<'_>| {
        let text = field.string()?;
        let moment = Moment::parse(text, zone.as_ref().map(|(_, zone)| zone));
        let moment = moment.ok_or_else(|| field.should("a valid ISO 8601 date string"))?;
        match &zone {
            Some(_) if moment.is_date => Err(Refusal::invalid(
                "Time zone can only be set for dates with a time.",
            )),
            Some(_) if moment.text.len() > 23 => Err(Refusal::invalid(
                "Dates must not have an offset if the time zone is set.",
            )),
            _ => Ok(moment),
        }
    };
    let start = moment(&field.get("start"))?;
    let end = field.get("end");
    let end = match end.value {
        None | Some(Value::Null) => None,
        Some(_) => Some(moment(&end)?),
    };
    if end.as_ref().is_some_and(|end| end.time < start.time) {
        return Err(Refusal::invalid("Start date must be before end date."));
    }
    Ok(DateValue {
        start,
        end,
        time_zone: zone.map(|(name, _)| name.to_owned()),
    })
}

/// Parses an icon. `Ok(None)` is `null`, which removes it.
pub(crate) fn icon(field: &Field<'_>) -> Outcome<Option<Icon>> {
    if field.is_null() {
        return Ok(None);
    }
    field.object()?;
    if let Some(emoji) = field.get("emoji").present() {
        field.only(&["type", "emoji"])?;
        let text = emoji.string()?;
        // The service has a list of emoji. Here a short text without letters is one (chosen).
        let is_emoji = !text.is_empty()
            && text.chars().count() <= 12
            && !text
                .chars()
                .any(|c| c.is_alphabetic() || c.is_whitespace() || c.is_control());
        if !is_emoji {
            return Err(emoji.should("a valid emoji"));
        }
        return Ok(Some(Icon::Emoji(text.to_owned())));
    }
    if field.get("external").is_absent() {
        let complaints = ["emoji", "external"].map(|key| field.get(key).complaint("defined"));
        return Err(field.should_one(&complaints));
    }
    Ok(Some(Icon::File(external(field, &["type", "external"])?)))
}

/// Parses a cover. `Ok(None)` is `null`, which removes it.
pub(crate) fn cover(field: &Field<'_>) -> Outcome<Option<FileSource>> {
    if field.is_null() {
        return Ok(None);
    }
    external(field, &["type", "external"]).map(Some)
}

/// Parses the place of a file. Files can only be external; uploads are a later version of the API.
pub(crate) fn external(field: &Field<'_>, keys: &[&str]) -> Outcome<FileSource> {
    field.only(keys)?;
    let external = field.get("external");
    external.only(&["url"])?;
    Ok(FileSource::External(url(&external.get("url"))?))
}

/// Parses the files of a property.
pub(crate) fn files(field: &Field<'_>) -> Outcome<Vec<NamedFile>> {
    let items = field.items_within(MAX_ITEMS)?;
    let file = |item: &Field<'_>| {
        item.object()?;
        let name = item.get("name").string_within(MAX_ITEMS)?.to_owned();
        let source = external(item, &["type", "name", "external"])?;
        Ok(NamedFile { name, source })
    };
    items.iter().map(file).collect()
}
