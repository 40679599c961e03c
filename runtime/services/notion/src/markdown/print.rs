//! Blocks as Markdown.

use super::inline::{self, attribute, escaped};
use super::{Content, Item, address};
use crate::model::{BlockBody, BlockType, Color, Icon, Kind, Workspace};

/// Returns blocks as Markdown, one or more lines for each.
pub(crate) fn print(workspace: &Workspace, items: &[Item]) -> String {
    let mut printer = Printer {
        workspace,
        lines: Vec::new(),
    };
    for item in items {
        printer.item(item, 0);
    }
    printer.lines.join("\n")
}

/// Returns one block as Markdown, by which blocks are compared.
pub(crate) fn print_one(workspace: &Workspace, item: &Item) -> String {
    print(workspace, std::slice::from_ref(item))
}

struct Printer<'a> {
    workspace: &'a Workspace,
    lines: Vec<String>,
}

/// Returns the list of attributes at the end of a line.
fn suffix(attributes: &[(&str, &str)]) -> String {
    let shown: Vec<String> = attributes
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}=\"{value}\""))
        .collect();
    if shown.is_empty() {
        String::new()
    } else {
        format!(" {{{}}}", shown.join(" "))
    }
}

fn color(body: &BlockBody) -> &'static str {
    if body.color == Color::default() {
        ""
    } else {
        body.color.name()
    }
}

/// Returns text that would otherwise begin a block of another type, with its first character made literal.
fn guarded(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with('.') {
        return format!("{}\\{}", &text[..digits], &text[digits..]);
    }
    let begins_a_tag =
        text.starts_with("<mention") || text.starts_with("<span") || text.starts_with("<br>");
    if text.starts_with(['-', '#', '+', '!', ' ', '\t']) && !begins_a_tag {
        if text.starts_with([' ', '\t']) {
            return text;
        }
        return format!("\\{text}");
    }
    text
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "\t".repeat(depth)));
    }

    fn items(&mut self, items: &[Item], depth: usize) {
        for item in items {
            self.item(item, depth);
        }
    }

    fn item(&mut self, item: &Item, depth: usize) {
        let (kind, body) = match &item.content {
            Content::Block(kind, body) => (*kind, body.as_ref()),
            Content::Page(id) => {
                let title = escaped(&self.workspace.title(*id));
                let line = format!("<page url=\"{}\">{title}</page>", address(*id));
                return self.line(depth, &line);
            }
            Content::Database(id) => {
                let title = escaped(&self.workspace.title(*id));
                let inline = match self.workspace.nodes.get(id).map(|node| &node.kind) {
                    Some(Kind::Database(database)) => database.inline,
                    _ => false,
                };
                let url = address(*id);
                let line =
                    format!("<database url=\"{url}\" inline=\"{inline}\">{title}</database>");
                return self.line(depth, &line);
            }
            Content::Opaque(id, name) => {
                let line = format!(
                    "<unknown url=\"{}\" alt=\"{}\"/>",
                    address(*id),
                    attribute(name)
                );
                return self.line(depth, &line);
            }
        };
        let text = inline::print(self.workspace, &body.rich_text);
        let color = color(body);
        let tag_color = match color {
            "" => String::new(),
            color => format!(" color=\"{color}\""),
        };
        match kind {
            BlockType::Paragraph if text.trim().is_empty() && color.is_empty() => {
                self.line(depth, "<empty-block/>");
            }
            BlockType::Paragraph => {
                let text = guarded(text);
                self.line(depth, &format!("{text}{}", suffix(&[("color", color)])));
            }
            BlockType::Heading1 | BlockType::Heading2 | BlockType::Heading3 => {
                let marks = match kind {
                    BlockType::Heading1 => "#",
                    BlockType::Heading2 => "##",
                    _ => "###",
                };
                let toggle = if body.toggleable { "true" } else { "" };
                let suffix = suffix(&[("toggle", toggle), ("color", color)]);
                self.line(depth, &format!("{marks} {text}{suffix}"));
            }
            BlockType::BulletedListItem => {
                let suffix = suffix(&[("color", color)]);
                self.line(depth, &format!("- {text}{suffix}"));
            }
            BlockType::NumberedListItem => {
                let suffix = suffix(&[("color", color)]);
                self.line(depth, &format!("1. {text}{suffix}"));
            }
            BlockType::ToDo => {
                let mark = if body.checked { 'x' } else { ' ' };
                let suffix = suffix(&[("color", color)]);
                self.line(depth, &format!("- [{mark}] {text}{suffix}"));
            }
            BlockType::Quote => {
                self.line(depth, &format!("> {text}{}", suffix(&[("color", color)])));
            }
            BlockType::Toggle => {
                self.line(depth, &format!("<details{tag_color}>"));
                self.line(depth, &format!("<summary>{text}</summary>"));
                self.items(&item.children, depth + 1);
                return self.line(depth, "</details>");
            }
            BlockType::Callout => {
                let icon = match &body.icon {
                    Some(Icon::Emoji(emoji)) => format!(" icon=\"{}\"", attribute(emoji)),
                    _ => String::new(),
                };
                self.line(depth, &format!("<callout{icon}{tag_color}>"));
                let text = if text.is_empty() {
                    "<empty-block/>".to_owned()
                } else {
                    guarded(text)
                };
                self.line(depth + 1, &text);
                self.items(&item.children, depth + 1);
                return self.line(depth, "</callout>");
            }
            BlockType::Divider => self.line(depth, "---"),
            BlockType::Code => self.code(body, depth),
            BlockType::Equation => {
                self.line(depth, "$$");
                for line in body.text.split('\n') {
                    self.line(depth, line);
                }
                self.line(depth, "$$");
            }
            BlockType::TableOfContents => {
                self.line(depth, &format!("<table_of_contents{tag_color}/>"));
            }
            BlockType::ColumnList | BlockType::Column => {
                let name = if kind == BlockType::Column {
                    "column"
                } else {
                    "columns"
                };
                self.line(depth, &format!("<{name}>"));
                self.items(&item.children, depth + 1);
                return self.line(depth, &format!("</{name}>"));
            }
            BlockType::Table => return self.table(item, body, depth),
            BlockType::Image => {
                let caption = inline::print(self.workspace, &body.caption);
                let url = body.source.as_ref().map_or("", |source| source.url());
                self.line(depth, &format!("![{caption}]({})", url.replace(')', "%29")));
            }
            BlockType::Video | BlockType::Audio | BlockType::Pdf | BlockType::File => {
                let caption = inline::print(self.workspace, &body.caption);
                let url = body.source.as_ref().map_or("", |source| source.url());
                let (name, url) = (kind.name(), attribute(url));
                self.line(depth, &format!("<{name} src=\"{url}\">{caption}</{name}>"));
            }
            // The remaining types are opaque, or parts of a table.
            _ => {}
        }
        self.items(&item.children, depth + 1);
    }

    fn code(&mut self, body: &BlockBody, depth: usize) {
        let code = self.workspace.plain(&body.rich_text);
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.line(depth, &format!("{fence}{}", body.text));
        for line in code.split('\n') {
            self.line(depth, line);
        }
        self.line(depth, &fence);
    }

    fn table(&mut self, item: &Item, body: &BlockBody, depth: usize) {
        let mut tag = "<table".to_owned();
        if body.column_header {
            tag.push_str(" header-row=\"true\"");
        }
        if body.row_header {
            tag.push_str(" header-column=\"true\"");
        }
        self.line(depth, &format!("{tag}>"));
        for row in &item.children {
            let Content::Block(_, row) = &row.content else {
                continue;
            };
            self.line(depth + 1, "<tr>");
            for cell in &row.cells {
                let cell = inline::print(self.workspace, cell);
                self.line(depth + 2, &format!("<td>{cell}</td>"));
            }
            self.line(depth + 1, "</tr>");
        }
        self.line(depth, "</table>");
    }
}
