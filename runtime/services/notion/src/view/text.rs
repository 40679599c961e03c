//! Rich text, dates and files of responses.

use serde_json::{Value, json};

use crate::model::{
    DateValue, FileSource, Icon, Id, Kind, Mention, NamedFile, RichText, Span, Time, Workspace,
};

/// Time after which the address of a hosted file is no longer valid (documentation of the file object).
const HOUR: i64 = 3_600;

/// Returns an array of rich text.
pub(crate) fn rich_text(workspace: &Workspace, text: &[RichText]) -> Value {
    text.iter()
        .map(|piece| rich_text_piece(workspace, piece))
        .collect()
}

/// Returns one piece of rich text.
pub(crate) fn rich_text_piece(workspace: &Workspace, piece: &RichText) -> Value {
    let (kind, content, href) = match &piece.span {
        Span::Text { content, link } => {
            let target = link.as_ref().map(|url| json!({"url": url}));
            let content = json!({"content": content, "link": target});
            ("text", content, link.clone())
        }
        Span::Equation(expression) => ("equation", json!({"expression": expression}), None),
        Span::Mention(mention) => {
            let (content, href) = self::mention(workspace, mention);
            ("mention", content, href)
        }
    };
    let it = &piece.annotations;
    json!({
        "type": kind,
        kind: content,
        "annotations": {
            "bold": it.bold,
            "italic": it.italic,
            "strikethrough": it.strikethrough,
            "underline": it.underline,
            "code": it.code,
            "color": it.color.name(),
        },
        "plain_text": workspace.plain_piece(piece),
        "href": href,
    })
}

fn mention(workspace: &Workspace, mention: &Mention) -> (Value, Option<String>) {
    let link = |id: &Id| Some(format!("https://www.notion.so/{}", id.simple()));
    match mention {
        Mention::User(id) => {
            let user = match workspace.user(*id) {
                Some(user) => super::user(workspace, user),
                None => json!({"object": "user", "id": id.to_string()}),
            };
            (json!({"type": "user", "user": user}), None)
        }
        Mention::Page(id) => (
            json!({"type": "page", "page": {"id": id.to_string()}}),
            link(id),
        ),
        Mention::Database(id) => {
            let content = json!({"type": "database", "database": {"id": id.to_string()}});
            (content, link(id))
        }
        Mention::Date(value) => (json!({"type": "date", "date": date(value)}), None),
    }
}

/// Returns a date value.
pub(crate) fn date(value: &DateValue) -> Value {
    json!({
        "start": value.start.text,
        "end": value.end.as_ref().map(|end| &end.text),
        "time_zone": value.time_zone,
    })
}

/// Returns the members of a file object: its type, and the object under that type.
pub(crate) fn file(source: &FileSource, now: Time) -> (&'static str, Value) {
    match source {
        FileSource::External(url) => ("external", json!({"url": url})),
        FileSource::Hosted(url) => {
            let expiry = Time(now.0 + HOUR).second();
            ("file", json!({"url": url, "expiry_time": expiry}))
        }
    }
}

/// Returns a file object without a name.
pub(crate) fn file_object(source: &FileSource, now: Time) -> Value {
    let (kind, value) = file(source, now);
    json!({"type": kind, kind: value})
}

/// Returns the file of a property.
pub(crate) fn named_file(file: &NamedFile, now: Time) -> Value {
    let (kind, value) = self::file(&file.source, now);
    json!({"name": file.name, "type": kind, kind: value})
}

/// Returns an icon, or `null`.
pub(crate) fn icon(icon: Option<&Icon>, now: Time) -> Value {
    match icon {
        None => Value::Null,
        Some(Icon::Emoji(emoji)) => json!({"type": "emoji", "emoji": emoji}),
        Some(Icon::File(source)) => file_object(source, now),
    }
}

/// Returns a cover, or `null`.
pub(crate) fn cover(cover: Option<&FileSource>, now: Time) -> Value {
    cover.map_or(Value::Null, |source| file_object(source, now))
}

/// Returns the address of a page or database. The form of the words before the id is chosen.
pub(crate) fn url(workspace: &Workspace, id: Id) -> String {
    let title = workspace.title(id);
    let is_database = matches!(
        workspace.nodes.get(&id).map(|node| &node.kind),
        Some(Kind::Database(_))
    );
    let mut slug = String::new();
    for c in title.chars().take(100) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    let id = id.simple();
    if is_database || slug.is_empty() {
        format!("https://www.notion.so/{id}")
    } else {
        format!("https://www.notion.so/{slug}-{id}")
    }
}
