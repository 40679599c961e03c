//! Rich text, dates, icons and files of documents, read and written.

use serde_json::{Map, Value, json};

use super::WorldError;
use super::document::Entry;
use crate::model::{
    Annotations, Color, DateValue, FileSource, Icon, Mention, Moment, NamedFile, RichText, Span,
};

/// Keys of a piece of rich text that is not plain text.
const PIECE: [&str; 13] = [
    "text",
    "link",
    "equation",
    "user",
    "page",
    "database",
    "date",
    "bold",
    "italic",
    "strikethrough",
    "underline",
    "code",
    "color",
];

pub(super) fn read_text(entry: &Entry<'_>) -> Result<Vec<RichText>, WorldError> {
    match entry.value {
        Value::String(text) => Ok(vec![RichText::plain(text)]),
        Value::Array(_) => entry.items()?.iter().map(read_piece).collect(),
        _ => Err(entry.wrong("a string, or an array of pieces of text")),
    }
}

fn read_piece(entry: &Entry<'_>) -> Result<RichText, WorldError> {
    if let Value::String(text) = entry.value {
        return Ok(RichText::plain(text));
    }
    entry.object(&PIECE)?;
    let mut annotations = Annotations::default();
    for (name, switch) in annotations.switches() {
        *switch = entry.switch(name)?;
    }
    if let Some(color) = entry.get("color") {
        annotations.color = color.named("a colour", Color::parse)?;
    }
    let span = if let Some(text) = entry.get("text") {
        let link = entry
            .get("link")
            .map(|link| link.string().map(str::to_owned));
        Span::Text {
            content: text.string()?.to_owned(),
            link: link.transpose()?,
        }
    } else if let Some(equation) = entry.get("equation") {
        Span::Equation(equation.string()?.to_owned())
    } else if let Some(user) = entry.get("user") {
        Span::Mention(Mention::User(user.id()?))
    } else if let Some(page) = entry.get("page") {
        Span::Mention(Mention::Page(page.id()?))
    } else if let Some(database) = entry.get("database") {
        Span::Mention(Mention::Database(database.id()?))
    } else {
        Span::Mention(Mention::Date(read_date(&entry.need("date")?)?))
    };
    Ok(RichText { span, annotations })
}

pub(super) fn write_text(text: &[RichText]) -> Value {
    match text {
        [piece] if piece.as_plain().is_some() => json!(piece.as_plain()),
        text => text.iter().map(write_piece).collect(),
    }
}

fn write_piece(piece: &RichText) -> Value {
    if let Some(text) = piece.as_plain() {
        return json!(text);
    }
    let mut all = Map::new();
    let (key, value) = match &piece.span {
        Span::Text { content, .. } => ("text", json!(content)),
        Span::Equation(expression) => ("equation", json!(expression)),
        Span::Mention(Mention::User(id)) => ("user", json!(id.to_string())),
        Span::Mention(Mention::Page(id)) => ("page", json!(id.to_string())),
        Span::Mention(Mention::Database(id)) => ("database", json!(id.to_string())),
        Span::Mention(Mention::Date(date)) => ("date", write_date(date)),
    };
    all.insert(key.to_owned(), value);
    if let Span::Text {
        link: Some(link), ..
    } = &piece.span
    {
        all.insert("link".to_owned(), json!(link));
    }
    let mut annotations = piece.annotations;
    for (name, switch) in annotations.switches() {
        if *switch {
            all.insert(name.to_owned(), json!(true));
        }
    }
    if annotations.color != Color::default() {
        all.insert("color".to_owned(), json!(annotations.color.name()));
    }
    Value::Object(all)
}

pub(super) fn read_date(entry: &Entry<'_>) -> Result<DateValue, WorldError> {
    if entry.value.is_string() {
        let start = read_moment(entry, None)?;
        return Ok(DateValue {
            start,
            end: None,
            time_zone: None,
        });
    }
    entry.object(&["start", "end", "time_zone"])?;
    let zone = match entry.get("time_zone") {
        None => None,
        Some(zone) => Some(zone.named("the name of a time zone", |name| {
            let zone = jiff::tz::TimeZone::get(name).ok()?;
            Some((name.to_owned(), zone))
        })?),
    };
    let moment = |entry: &Entry<'_>| read_moment(entry, zone.as_ref().map(|(_, zone)| zone));
    let start = moment(&entry.need("start")?)?;
    let end = entry.get("end").map(|end| moment(&end)).transpose()?;
    let time_zone = zone.map(|(name, _)| name);
    Ok(DateValue {
        start,
        end,
        time_zone,
    })
}

fn read_moment(entry: &Entry<'_>, zone: Option<&jiff::tz::TimeZone>) -> Result<Moment, WorldError> {
    entry.named("a date, or a date and time, in ISO 8601", |text| {
        Moment::parse(text, zone)
    })
}

pub(super) fn write_date(date: &DateValue) -> Value {
    if date.end.is_none() && date.time_zone.is_none() {
        return json!(date.start.text);
    }
    let mut all = Map::new();
    all.insert("start".to_owned(), json!(date.start.text));
    if let Some(end) = &date.end {
        all.insert("end".to_owned(), json!(end.text));
    }
    if let Some(zone) = &date.time_zone {
        all.insert("time_zone".to_owned(), json!(zone));
    }
    Value::Object(all)
}

pub(super) fn read_icon(entry: &Entry<'_>) -> Result<Icon, WorldError> {
    match entry.value {
        Value::String(emoji) => Ok(Icon::Emoji(emoji.clone())),
        _ => Ok(Icon::File(read_file(entry, &[])?)),
    }
}

pub(super) fn write_icon(icon: &Icon) -> Value {
    match icon {
        Icon::Emoji(emoji) => json!(emoji),
        Icon::File(source) => Value::Object(write_file(source)),
    }
}

/// Reads the place of a file. `other` are keys that the same object may have.
pub(super) fn read_file(entry: &Entry<'_>, other: &[&str]) -> Result<FileSource, WorldError> {
    let keys: Vec<&str> = ["external", "hosted"]
        .iter()
        .chain(other)
        .copied()
        .collect();
    entry.object(&keys)?;
    match entry.get("hosted") {
        Some(hosted) => Ok(FileSource::Hosted(hosted.string()?.to_owned())),
        None => Ok(FileSource::External(
            entry.need("external")?.string()?.to_owned(),
        )),
    }
}

pub(super) fn write_file(source: &FileSource) -> Map<String, Value> {
    let key = match source {
        FileSource::External(_) => "external",
        FileSource::Hosted(_) => "hosted",
    };
    Map::from_iter([(key.to_owned(), json!(source.url()))])
}

pub(super) fn read_named_file(entry: &Entry<'_>) -> Result<NamedFile, WorldError> {
    let source = read_file(entry, &["name"])?;
    let name = entry.need("name")?.string()?.to_owned();
    Ok(NamedFile { name, source })
}

pub(super) fn write_named_file(file: &NamedFile) -> Value {
    let mut all = Map::new();
    all.insert("name".to_owned(), json!(file.name));
    all.extend(write_file(&file.source));
    Value::Object(all)
}
