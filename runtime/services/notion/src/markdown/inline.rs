//! Rich text as Markdown.
//!
//! Style is written where it changes: `**`, `*` and `~~` switch bold, italic and struck-through text on and off, and a
//! `span` has the underline and the colour. Neighbouring pieces of equal style become one when they are read again.

use std::fmt::Write as _;

use super::address;
use crate::model::{Annotations, Color, Mention, RichText, Span, Workspace};

/// Characters with a meaning, which a backslash makes literal.
const SPECIAL: &str = "\\*~`$[]<>{}|^";

/// Returns text with its special characters made literal.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br>"),
            c if SPECIAL.contains(c) => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the value of an attribute with its quotation marks made literal.
pub(super) fn attribute(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    text.replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', "&#10;")
}

/// Returns rich text on one line.
pub(super) fn print(workspace: &Workspace, text: &[RichText]) -> String {
    let mut out = String::new();
    let mut now = Annotations::default();
    for piece in text {
        let body = body(workspace, piece);
        if body.is_empty() {
            continue;
        }
        change(&mut out, now, piece.annotations);
        now = piece.annotations;
        out.push_str(&body);
    }
    change(&mut out, now, Annotations::default());
    out
}

fn change(out: &mut String, from: Annotations, to: Annotations) {
    let span = |it: &Annotations| (it.underline, it.color);
    let has_span = |it: &Annotations| span(it) != (false, Color::default());
    for (marker, before, after) in [
        ("**", from.bold, to.bold),
        ("*", from.italic, to.italic),
        ("~~", from.strikethrough, to.strikethrough),
    ] {
        if before != after {
            out.push_str(marker);
        }
    }
    if span(&from) == span(&to) {
        return;
    }
    if has_span(&from) {
        out.push_str("</span>");
    }
    if has_span(&to) {
        out.push_str("<span");
        if to.underline {
            out.push_str(" underline=\"true\"");
        }
        if to.color != Color::default() {
            // Writing to a string cannot fail.
            let _ = write!(out, " color=\"{}\"", to.color.name());
        }
        out.push('>');
    }
}

fn body(workspace: &Workspace, piece: &RichText) -> String {
    match &piece.span {
        Span::Text { content, .. } if content.is_empty() => String::new(),
        Span::Text { content, link } => {
            let text = if piece.annotations.code {
                code(content)
            } else {
                escaped(content)
            };
            match link {
                Some(url) => format!("[{text}]({})", url.replace(')', "%29")),
                None => text,
            }
        }
        Span::Equation(expression) => format!("${}$", code(expression)),
        Span::Mention(mention) => self::mention(workspace, piece, mention),
    }
}

fn code(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('`', "\\`");
    format!("`{}`", text.replace('\n', "\\n"))
}

fn mention(workspace: &Workspace, piece: &RichText, mention: &Mention) -> String {
    let name = escaped(&workspace.plain_piece(piece));
    match mention {
        Mention::User(id) => format!("<mention-user url=\"user://{id}\">{name}</mention-user>"),
        Mention::Page(id) => {
            format!(
                "<mention-page url=\"{}\">{name}</mention-page>",
                address(*id)
            )
        }
        Mention::Database(id) => {
            format!(
                "<mention-database url=\"{}\">{name}</mention-database>",
                address(*id)
            )
        }
        Mention::Date(date) => {
            let mut out = format!("<mention-date start=\"{}\"", date.start.text);
            if let Some(end) = &date.end {
                let _ = write!(out, " end=\"{}\"", end.text);
            }
            if let Some(zone) = &date.time_zone {
                let _ = write!(out, " timeZone=\"{}\"", attribute(zone));
            }
            out.push_str("/>");
            out
        }
    }
}
