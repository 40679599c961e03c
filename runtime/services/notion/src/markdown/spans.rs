//! Rich text read from Markdown.

use crate::input::MAX_ITEMS;
use crate::model::{Annotations, Color, DateValue, Mention, Moment, RichText, Span};

use super::id_of;

/// Maximum length of one piece of text, in UTF-16 units. Longer texts are divided.
const MAX_PIECE: usize = 2_000;

/// Maximum length of a tag or an address, in bytes. Text is searched no further for its end, so that the cost stays
/// linear.
const MAX_TAG: usize = 4_096;

/// Returns the beginning of a text, as far as a tag may reach.
fn near(text: &str) -> &str {
    let mut end = text.len().min(MAX_TAG);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Marker that switches a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Bold,
    Italic,
    Strikethrough,
}

impl Marker {
    fn text(self) -> &'static str {
        match self {
            Self::Bold => "**",
            Self::Italic => "*",
            Self::Strikethrough => "~~",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Char(char),
    Marker(Marker),
    Code(String),
    Equation(String),
    Mention(Mention),
    OpenSpan(bool, Color),
    CloseSpan,
    OpenLink(String),
    CloseLink,
}

/// Parses one line of text.
pub(super) fn parse(line: &str) -> Vec<RichText> {
    let mut tokens = Vec::new();
    tokenize(line, &mut tokens);
    for marker in [Marker::Bold, Marker::Italic, Marker::Strikethrough] {
        // A marker without a partner is text.
        let count = tokens.iter().filter(|it| **it == Token::Marker(marker));
        if count.count() % 2 == 1
            && let Some(last) = tokens.iter().rposition(|it| *it == Token::Marker(marker))
        {
            let chars = marker.text().chars().map(Token::Char);
            tokens.splice(last..=last, chars);
        }
    }
    assemble(tokens)
}

fn tokenize(line: &str, tokens: &mut Vec<Token>) {
    let mut rest = line;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let length = special(rest, before, tokens).unwrap_or_else(|| {
            tokens.push(Token::Char(c));
            c.len_utf8()
        });
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
    }
}

/// Adds the token at the beginning of a text, if it is more than a character. Returns its length in bytes.
fn special(rest: &str, before: char, tokens: &mut Vec<Token>) -> Option<usize> {
    let second = rest.chars().nth(1);
    match rest.chars().next()? {
        '\\' => {
            let c = second.filter(char::is_ascii_punctuation)?;
            tokens.push(Token::Char(c));
            Some(2)
        }
        '*' | '~' => {
            let marker = if rest.starts_with("**") {
                Marker::Bold
            } else if rest.starts_with("~~") {
                Marker::Strikethrough
            } else if rest.starts_with('*') {
                Marker::Italic
            } else {
                return None;
            };
            let length = marker.text().len();
            let after = rest[length..].chars().next().unwrap_or(' ');
            if before.is_whitespace() && after.is_whitespace() {
                return None;
            }
            tokens.push(Token::Marker(marker));
            Some(length)
        }
        '`' => {
            let (text, length) = quoted(rest)?;
            tokens.push(Token::Code(text));
            Some(length)
        }
        '$' if second == Some('`') => {
            let (text, length) = quoted(&rest[1..])?;
            let end = 1 + length;
            rest[end..].starts_with('$').then(|| {
                tokens.push(Token::Equation(text));
                end + 1
            })
        }
        '[' => {
            let (inner, length) = bracketed(rest)?;
            let after = rest[length..].strip_prefix('(')?;
            let end = near(after).find(')')?;
            let url = after[..end].trim();
            if url.is_empty() || url.contains(char::is_whitespace) {
                return None;
            }
            tokens.push(Token::OpenLink(url.to_owned()));
            tokenize(inner, tokens);
            tokens.push(Token::CloseLink);
            Some(length + 1 + end + 1)
        }
        '<' => tag(rest, tokens),
        _ => None,
    }
}

/// Returns the text between backticks, and its length with them.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => return Some((text, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                c @ ('\\' | '`') => text.push(c),
                c => text.extend(['\\', c]),
            },
            c => text.push(c),
        }
    }
    None
}

/// Returns the text between brackets, and its length with them. Links contain no links.
fn bracketed(rest: &str) -> Option<(&str, usize)> {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            ']' => return Some((&rest[1..at], at + 1)),
            '[' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the value of an attribute of a tag.
pub(super) fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let value = &tag[start..];
    let value = &value[..value.find('"')?];
    let value = value.replace("&quot;", "\"").replace("&lt;", "<");
    let value = value.replace("&gt;", ">").replace("&#10;", "\n");
    Some(value.replace("&amp;", "&"))
}

fn tag(rest: &str, tokens: &mut Vec<Token>) -> Option<usize> {
    let end = near(rest).find('>')? + 1;
    let tag = &rest[..end];
    if ["<br>", "<br/>", "<br />"].contains(&tag) {
        tokens.push(Token::Char('\n'));
        return Some(end);
    }
    if tag == "</span>" {
        tokens.push(Token::CloseSpan);
        return Some(end);
    }
    if tag.starts_with("<span ") {
        let underline = attribute(tag, "underline").as_deref() == Some("true");
        let color = attribute(tag, "color").and_then(|name| Color::parse(&name));
        tokens.push(Token::OpenSpan(underline, color.unwrap_or_default()));
        return Some(end);
    }
    if tag.starts_with("<mention-date ") {
        tokens.push(Token::Mention(Mention::Date(date(tag)?)));
        return Some(end);
    }
    for (name, make) in [
        ("mention-user", Mention::User as fn(_) -> Mention),
        ("mention-page", Mention::Page),
        ("mention-database", Mention::Database),
    ] {
        if tag
            .strip_prefix('<')
            .and_then(|it| it.strip_prefix(name))
            .is_some_and(|it| it.starts_with(' '))
        {
            let id = id_of(&attribute(tag, "url")?)?;
            let closing = format!("</{name}>");
            let length = if tag.ends_with("/>") {
                end
            } else {
                end + near(&rest[end..]).find(&closing)? + closing.len()
            };
            tokens.push(Token::Mention(make(id)));
            return Some(length);
        }
    }
    None
}

fn date(tag: &str) -> Option<DateValue> {
    let time_zone = attribute(tag, "timeZone");
    let zone = match &time_zone {
        Some(name) => Some(jiff::tz::TimeZone::get(name).ok()?),
        None => None,
    };
    let moment = |text: String| Moment::parse(&text, zone.as_ref());
    let end = match attribute(tag, "end") {
        Some(end) => Some(moment(end)?),
        None => None,
    };
    Some(DateValue {
        start: moment(attribute(tag, "start")?)?,
        end,
        time_zone,
    })
}

/// Builds pieces of tokens.
fn assemble(tokens: Vec<Token>) -> Vec<RichText> {
    let mut pieces: Vec<RichText> = Vec::new();
    let mut style = Annotations::default();
    let mut link: Option<String> = None;
    let mut text = String::new();
    for token in tokens {
        // Further pieces would be refused, and each one has a copy of the address of its link.
        if pieces.len() > MAX_ITEMS {
            break;
        }
        if !matches!(token, Token::Char(_)) {
            flush(&mut pieces, &mut text, style, link.as_ref());
        }
        let piece = |span: Span, annotations: Annotations| RichText { span, annotations };
        match token {
            Token::Char(c) => text.push(c),
            Token::Marker(Marker::Bold) => style.bold = !style.bold,
            Token::Marker(Marker::Italic) => style.italic = !style.italic,
            Token::Marker(Marker::Strikethrough) => style.strikethrough = !style.strikethrough,
            Token::Code(mut content) => {
                let style = Annotations {
                    code: true,
                    ..style
                };
                flush(&mut pieces, &mut content, style, link.as_ref());
            }
            Token::Equation(it) => pieces.push(piece(Span::Equation(it), style)),
            Token::Mention(it) => pieces.push(piece(Span::Mention(it), style)),
            Token::OpenSpan(underline, color) => {
                style.underline = underline;
                style.color = color;
            }
            Token::CloseSpan => {
                style.underline = false;
                style.color = Color::default();
            }
            Token::OpenLink(url) => link = Some(url),
            Token::CloseLink => link = None,
        }
    }
    flush(&mut pieces, &mut text, style, link.as_ref());
    pieces
}

fn flush(
    pieces: &mut Vec<RichText>,
    text: &mut String,
    annotations: Annotations,
    link: Option<&String>,
) {
    let mut content = String::new();
    let mut units = 0;
    let mut add = |content: String| {
        if !content.is_empty() {
            let link = link.cloned();
            let span = Span::Text { content, link };
            pieces.push(RichText { span, annotations });
        }
    };
    for c in std::mem::take(text).chars() {
        if units + c.len_utf16() > MAX_PIECE {
            add(std::mem::take(&mut content));
            units = 0;
        }
        units += c.len_utf16();
        content.push(c);
    }
    add(content);
}
