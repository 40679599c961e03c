//! Blocks read from Markdown.

use mcpmark_service::checkpoint;

use super::spans::{self, attribute};
use super::{Content, Item, id_of};
use crate::model::{BlockBody, BlockType, Color, FileSource, Icon, LANGUAGES, RichText};
use crate::refusal::{Outcome, Refusal};
use crate::world::MAX_LEVELS;

/// Parses Markdown.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Item>> {
    let mut parser = Parser {
        lines: text.lines().collect(),
        at: 0,
        nesting: 0,
    };
    parser.items(0, None)
}

struct Parser<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// Number of levels that are being parsed.
    nesting: usize,
}

/// Divides a line into its indentation and the rest.
fn indented(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches('\t');
    (line.len() - rest.len(), rest)
}

fn simple(kind: BlockType, body: BlockBody) -> Item {
    Item {
        content: Content::Block(kind, Box::new(body)),
        children: Vec::new(),
    }
}

/// Returns the error of a tag that cannot be read. The words are chosen.
fn invalid(line: &str, problem: &str) -> Refusal {
    let shown: String = line.chars().take(80).collect();
    Refusal::invalid(format!("Invalid markdown: {problem}: {shown}"))
}

/// Divides a line into its text and the attributes in braces at its end.
fn with_attributes(line: &str) -> (&str, &str) {
    if line.ends_with("\"}")
        && let Some(at) = line
            .rfind(" {")
            .or_else(|| line.starts_with('{').then_some(0))
        && !line[..at].ends_with('\\')
    {
        let attributes = &line[at..];
        let attributes = attributes.strip_prefix(' ').unwrap_or(attributes);
        return (&line[..at], &attributes[1..attributes.len() - 1]);
    }
    (line, "")
}

fn value(attributes: &str, name: &str) -> Option<String> {
    attribute(&format!("< {attributes}>"), name)
}

fn color_of(name: Option<String>) -> Color {
    name.and_then(|name| Color::parse(&name))
        .unwrap_or_default()
}

fn body_of(rich_text: Vec<RichText>, color: Color) -> BlockBody {
    BlockBody {
        rich_text,
        color,
        ..BlockBody::default()
    }
}

/// Returns what is between an opening and a closing tag on one line, and the opening tag.
fn tagged<'a>(line: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let after = line.strip_prefix('<')?.strip_prefix(name)?;
    if !after.starts_with([' ', '>', '/']) {
        return None;
    }
    let end = line.find('>')? + 1;
    let tag = &line[..end];
    if tag.ends_with("/>") {
        return Some((tag, ""));
    }
    let closing = format!("</{name}>");
    let inner = line[end..].trim_end().strip_suffix(closing.as_str());
    Some((tag, inner.unwrap_or(&line[end..])))
}

impl<'a> Parser<'a> {
    /// Parses blocks of one level up to a line with this closing tag, or with less indentation.
    fn items(&mut self, depth: usize, closing: Option<&str>) -> Outcome<Vec<Item>> {
        // Tags nest without indentation as well.
        self.nesting += 1;
        if self.nesting > MAX_LEVELS + 1 {
            return Err(Refusal::invalid(format!(
                "Blocks may have at most {MAX_LEVELS} levels."
            )));
        }
        let items = self.level(depth, closing)?;
        self.nesting -= 1;
        Ok(items)
    }

    fn level(&mut self, depth: usize, closing: Option<&str>) -> Outcome<Vec<Item>> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            checkpoint()?;
            let (level, rest) = indented(line);
            if rest.trim().is_empty() {
                self.at += 1;
                continue;
            }
            if closing == Some(rest.trim_end()) && level < depth.max(1) {
                return Ok(items);
            }
            if level < depth && closing.is_none() {
                return Ok(items);
            }
            self.at += 1;
            items.push(self.item(rest, depth.min(level))?);
        }
        match closing {
            None => Ok(items),
            Some(tag) => Err(invalid(tag, "a closing tag is missing")),
        }
    }

    /// Parses the blocks below a block.
    fn below(&mut self, depth: usize) -> Outcome<Vec<Item>> {
        self.items(depth + 1, None)
    }

    /// Parses the blocks up to a closing tag, which follows them.
    fn within(&mut self, depth: usize, closing: &str) -> Outcome<Vec<Item>> {
        let items = self.items(depth + 1, Some(closing))?;
        self.at += 1;
        Ok(items)
    }

    /// Parses the block that begins with a line.
    fn item(&mut self, line: &'a str, depth: usize) -> Outcome<Item> {
        let line = line.trim_end();
        if let Some(item) = self.fenced(line, depth)? {
            return Ok(item);
        }
        if line.starts_with('<')
            && let Some(item) = self.tag(line, depth)?
        {
            return Ok(item);
        }
        if line == "---" || line == "***" {
            return Ok(simple(BlockType::Divider, BlockBody::default()));
        }
        if line.starts_with('|')
            && let Some(item) = self.pipes(line)
        {
            return Ok(item);
        }
        if let Some(image) = image(line) {
            return Ok(image);
        }
        let (text, attributes) = with_attributes(line);
        let (kind, text, checked) = marked(text);
        let mut body = body_of(spans::parse(text), color_of(value(attributes, "color")));
        body.checked = checked;
        body.toggleable = value(attributes, "toggle").as_deref() == Some("true");
        let is_heading = matches!(
            kind,
            BlockType::Heading1 | BlockType::Heading2 | BlockType::Heading3
        );
        body.toggleable &= is_heading;
        let may_have_children = !is_heading || body.toggleable;
        let mut item = simple(kind, body);
        if may_have_children {
            item.children = self.below(depth)?;
        }
        Ok(item)
    }

    /// Parses a code block or an equation.
    fn fenced(&mut self, line: &str, depth: usize) -> Outcome<Option<Item>> {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        let fence = if ticks >= 3 {
            &line[..ticks]
        } else if line == "$$" {
            "$$"
        } else {
            return Ok(None);
        };
        let mut content = Vec::new();
        loop {
            let Some(line) = self.lines.get(self.at) else {
                return Err(invalid(line, "the end of the block is missing"));
            };
            self.at += 1;
            let (level, _) = indented(line);
            let line = &line[level.min(depth)..];
            if line.trim_end() == fence {
                break;
            }
            content.push(line);
        }
        let content = content.join("\n");
        if fence == "$$" {
            let body = BlockBody {
                text: content,
                ..BlockBody::default()
            };
            return Ok(Some(simple(BlockType::Equation, body)));
        }
        let language = line[ticks..].trim().to_lowercase();
        let known = LANGUAGES.iter().find(|known| **known == language);
        let rich_text = plain(&content);
        let body = BlockBody {
            rich_text,
            text: (*known.unwrap_or(&"plain text")).to_owned(),
            ..BlockBody::default()
        };
        Ok(Some(simple(BlockType::Code, body)))
    }

    /// Parses a block that is a tag. `None` means that the line is text that begins with a tag.
    fn tag(&mut self, line: &str, depth: usize) -> Outcome<Option<Item>> {
        let color = |tag: &str| color_of(attribute(tag, "color"));
        if line == "<empty-block/>" {
            return Ok(Some(simple(BlockType::Paragraph, BlockBody::default())));
        }
        for name in ["page", "database", "unknown"] {
            if let Some((tag, _)) = tagged(line, name) {
                let url = attribute(tag, "url");
                let id = url.as_deref().and_then(id_of);
                let id = id.ok_or_else(|| invalid(line, "the tag needs the url of a block"))?;
                let content = match name {
                    "page" => Content::Page(id),
                    "database" => Content::Database(id),
                    _ => Content::Opaque(id, attribute(tag, "alt").unwrap_or_default()),
                };
                let children = Vec::new();
                return Ok(Some(Item { content, children }));
            }
        }
        if let Some((tag, _)) = tagged(line, "table_of_contents") {
            let body = body_of(Vec::new(), color(tag));
            return Ok(Some(simple(BlockType::TableOfContents, body)));
        }
        for kind in [
            BlockType::Video,
            BlockType::Audio,
            BlockType::Pdf,
            BlockType::File,
        ] {
            if let Some((tag, inner)) = tagged(line, kind.name()) {
                let url = attribute(tag, "src").filter(|url| !url.is_empty());
                let url = url.ok_or_else(|| invalid(line, "the tag needs a src"))?;
                return Ok(Some(simple(kind, media(url, inner))));
            }
        }
        if let Some((tag, inner)) = tagged(line, "details") {
            let mut summary = inner.trim();
            if summary.is_empty() {
                summary = self.lines.get(self.at).map_or("", |line| line.trim());
                self.at += usize::from(summary.starts_with("<summary>"));
            }
            let text = summary
                .strip_prefix("<summary>")
                .and_then(|it| it.strip_suffix("</summary>"));
            let text = text.ok_or_else(|| invalid(line, "a summary is missing"))?;
            let mut item = simple(BlockType::Toggle, body_of(spans::parse(text), color(tag)));
            item.children = self.within(depth, "</details>")?;
            return Ok(Some(item));
        }
        if let Some((tag, inner)) = tagged(line, "callout") {
            return self.callout(line, tag, inner, color(tag), depth).map(Some);
        }
        if line == "<columns>" {
            let children = self.within(depth, "</columns>")?;
            let is_column =
                |item: &Item| matches!(&item.content, Content::Block(BlockType::Column, _));
            if children.len() < 2 || !children.iter().all(is_column) {
                return Err(invalid(line, "columns need at least two column tags"));
            }
            let mut item = simple(BlockType::ColumnList, BlockBody::default());
            item.children = children;
            return Ok(Some(item));
        }
        if line == "<column>" {
            let mut item = simple(BlockType::Column, BlockBody::default());
            item.children = self.within(depth, "</column>")?;
            return Ok(Some(item));
        }
        if let Some((tag, inner)) = tagged(line, "table") {
            return self.table(line, tag, inner).map(Some);
        }
        Ok(None)
    }

    fn callout(
        &mut self,
        line: &str,
        tag: &str,
        inner: &str,
        color: Color,
        depth: usize,
    ) -> Outcome<Item> {
        let mut body = body_of(Vec::new(), color);
        body.icon = attribute(tag, "icon").map(Icon::Emoji);
        let is_closed = line.ends_with("</callout>");
        let mut children = if is_closed {
            Vec::new()
        } else {
            self.within(depth, "</callout>")?
        };
        let inner = inner.trim();
        if !inner.is_empty() {
            body.rich_text = spans::parse(inner);
        } else if let Some(first) = children.first()
            && let Content::Block(BlockType::Paragraph, first) = &first.content
            && first.color == Color::default()
            && children[0].children.is_empty()
        {
            body.rich_text.clone_from(&first.rich_text);
            children.remove(0);
        }
        let mut item = simple(BlockType::Callout, body);
        item.children = children;
        Ok(item)
    }

    /// Parses a table of tags.
    fn table(&mut self, line: &str, tag: &str, inner: &str) -> Outcome<Item> {
        let mut text = inner.to_owned();
        if !line.ends_with("</table>") {
            loop {
                let Some(line) = self.lines.get(self.at) else {
                    return Err(invalid(line, "a closing tag is missing"));
                };
                self.at += 1;
                if line.trim() == "</table>" {
                    break;
                }
                text.push_str(line.trim());
            }
        }
        let is_set = |name: &str| attribute(tag, name).as_deref() == Some("true");
        let rows = text.split("<tr").skip(1).map(|row| {
            let cells = row.split("<td").skip(1);
            let cell = |cell: &str| {
                let start = cell.find('>').map_or(0, |at| at + 1);
                let end = cell.find("</td>").unwrap_or(cell.len()).max(start);
                spans::parse(&cell[start..end])
            };
            cells.map(cell).collect()
        });
        grid(
            rows.collect(),
            is_set("header-row"),
            is_set("header-column"),
        )
        .ok_or_else(|| invalid(line, "a table needs rows with cells"))
    }

    /// Parses a table of lines with vertical bars, as in GitHub Flavored Markdown.
    fn pipes(&mut self, first: &str) -> Option<Item> {
        let rule = self.lines.get(self.at)?.trim();
        let is_rule = rule.contains('-') && rule.chars().all(|c| "|-: ".contains(c));
        if !is_rule {
            return None;
        }
        self.at += 1;
        let mut rows = vec![cells(first)];
        while let Some(line) = self.lines.get(self.at).map(|line| line.trim())
            && line.starts_with('|')
        {
            rows.push(cells(line));
            self.at += 1;
        }
        grid(rows, true, false)
    }
}

/// Divides text into pieces without style.
fn plain(text: &str) -> Vec<RichText> {
    const MAX_PIECE: usize = 2_000;
    let chars: Vec<char> = text.chars().collect();
    // A character has at most two UTF-16 units.
    chars
        .chunks(MAX_PIECE / 2)
        .map(|piece| RichText::plain(piece.iter().collect::<String>()))
        .collect()
}

fn media(url: String, caption: &str) -> BlockBody {
    BlockBody {
        source: Some(FileSource::External(url)),
        caption: spans::parse(caption),
        ..BlockBody::default()
    }
}

fn image(line: &str) -> Option<Item> {
    let (line, _) = with_attributes(line);
    let rest = line.strip_prefix("![")?;
    let middle = rest.rfind("](")?;
    let url = rest[middle + 2..].strip_suffix(')')?;
    let is_url = !url.is_empty() && !url.contains(char::is_whitespace);
    is_url.then(|| simple(BlockType::Image, media(url.to_owned(), &rest[..middle])))
}

/// Returns the text after a mark, which is empty or begins with a space.
fn after_mark(text: &str) -> Option<&str> {
    text.strip_prefix(' ')
        .or_else(|| text.is_empty().then_some(""))
}

/// Returns the type of a block of text by the mark at its beginning, and the text after it.
fn marked(text: &str) -> (BlockType, &str, bool) {
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes)
        && let Some(rest) = after_mark(&text[hashes..])
    {
        // Deeper headings become the deepest one (chosen).
        let kind = match hashes {
            1 => BlockType::Heading1,
            2 => BlockType::Heading2,
            _ => BlockType::Heading3,
        };
        return (kind, rest, false);
    }
    for (mark, kind, checked) in [
        ("- [ ]", BlockType::ToDo, false),
        ("- [x]", BlockType::ToDo, true),
        ("- [X]", BlockType::ToDo, true),
    ] {
        if let Some(rest) = text.strip_prefix(mark)
            && (rest.is_empty() || rest.starts_with(' '))
        {
            return (kind, rest.strip_prefix(' ').unwrap_or(rest), checked);
        }
    }
    for (mark, kind) in [
        ("-", BlockType::BulletedListItem),
        ("*", BlockType::BulletedListItem),
        ("+", BlockType::BulletedListItem),
        (">", BlockType::Quote),
    ] {
        if let Some(rest) = text.strip_prefix(mark)
            && (rest.is_empty() || rest.starts_with(' '))
        {
            return (kind, rest.strip_prefix(' ').unwrap_or(rest), false);
        }
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && let Some(rest) = text[digits..].strip_prefix('.')
        && (rest.is_empty() || rest.starts_with(' '))
    {
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        return (BlockType::NumberedListItem, rest, false);
    }
    (BlockType::Paragraph, text, false)
}

fn cells(line: &str) -> Vec<Vec<RichText>> {
    let line = line.trim().trim_start_matches('|');
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|')
        .map(|cell| spans::parse(cell.trim()))
        .collect()
}

/// Returns a table whose rows are as long as the longest one.
fn grid(mut rows: Vec<Vec<Vec<RichText>>>, column_header: bool, row_header: bool) -> Option<Item> {
    let width = rows.iter().map(Vec::len).max().filter(|width| *width > 0)?;
    let children = rows.iter_mut().map(|cells| {
        cells.resize(width, Vec::new());
        let body = BlockBody {
            cells: std::mem::take(cells),
            ..BlockBody::default()
        };
        simple(BlockType::TableRow, body)
    });
    let children = children.collect();
    let body = BlockBody {
        table_width: width as u64,
        column_header,
        row_header,
        ..BlockBody::default()
    };
    let mut item = simple(BlockType::Table, body);
    item.children = children;
    Some(item)
}
