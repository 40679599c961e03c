//! Blocks of visible text in a Markdown document.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::words;

/// End of a line that the author of the text wrote as one: the next line is another sentence.
pub(super) const HARD_BREAK: char = '\n';
/// End of a line inside of a paragraph, which a renderer shows as a blank.
pub(super) const SOFT_BREAK: char = '\u{b}';

/// Maximum length of cells that are repeated with the names of their columns, in bytes.
const REPEATED: usize = 64 * 1024;

/// One block of visible text.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// Text as a reader sees it, with code spans in backticks and link targets in angle brackets.
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Heading(u8),
    Text,
    Item,
    /// A row of a table, its cells separated by `|`.
    Row,
    /// A cell of a table after the name of its column. Its words are also in a [`BlockKind::Row`].
    Cell,
    Code,
}

/// Splits a Markdown text into blocks. Comments and tags of HTML are dropped.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    // The number of a footnote is no statement, so that it must not be read as text.
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    for event in Parser::new_ext(text, options) {
        reader.take(event);
    }
    reader.flush(BlockKind::Text);
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    text: String,
    html: String,
    /// Targets of the open links, with the length of the text at their start.
    links: Vec<Option<String>>,
    items: usize,
    /// Number of the next item of each open list, if it is ordered.
    lists: Vec<Option<u64>>,
    /// Number of the open item whose text has not begun.
    number: Option<u64>,
    header: Vec<String>,
    row: Vec<String>,
    /// Length of all cells that were repeated with the names of their columns.
    repeated: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(first)) => {
                self.flush(self.kind());
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) => {
                self.flush(self.kind());
                self.items += 1;
                self.number = self.lists.last().copied().flatten();
                if let Some(Some(next)) = self.lists.last_mut() {
                    *next += 1;
                }
            }
            Event::End(TagEnd::Item) => {
                // A line of a number and a point alone is a list to Markdown too.
                if let Some(number) = self.number.take()
                    && self.text.is_empty()
                {
                    self.text = format!("{number}.");
                }
                self.flush(BlockKind::Item);
                self.items = self.items.saturating_sub(1);
            }
            Event::Start(Tag::Heading { .. } | Tag::Paragraph) if self.items == 0 => {
                self.flush(BlockKind::Text)
            }
            Event::End(TagEnd::Heading(level)) => self.flush(BlockKind::Heading(level as u8)),
            Event::End(TagEnd::Paragraph) => self.flush(self.kind()),
            Event::Start(Tag::CodeBlock(_)) => self.flush(self.kind()),
            Event::End(TagEnd::CodeBlock) => self.flush(BlockKind::Code),
            Event::Start(Tag::HtmlBlock) => self.flush(self.kind()),
            Event::End(TagEnd::HtmlBlock) => {
                let html = std::mem::take(&mut self.html);
                self.text.push_str(&without_tags(&html));
                self.flush(self.kind());
            }
            Event::Html(html) => self.html.push_str(&html),
            // A tag inside of a paragraph: its text is in other events.
            Event::InlineHtml(tag) if tag.starts_with("<br") => self.text.push(HARD_BREAK),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                let is_shown = matches!(link_type, LinkType::Autolink | LinkType::Email);
                let is_local =
                    dest_url.starts_with('#') || !dest_url.contains(['/', '.', '@', ':']);
                self.links
                    .push((!is_shown && !is_local).then(|| dest_url.to_string()));
            }
            Event::End(TagEnd::Link) => {
                if let Some(Some(target)) = self.links.pop()
                    && !self.text.ends_with(&target)
                {
                    self.text.push_str(&format!(" <{target}>"));
                }
            }
            Event::End(TagEnd::TableCell) => {
                let cell = std::mem::take(&mut self.text);
                self.row.push(cell.trim().to_owned());
            }
            Event::End(TagEnd::TableHead) => {
                self.header = std::mem::take(&mut self.row);
                let text = self.header.join(" | ");
                self.push(BlockKind::Row, text);
            }
            Event::End(TagEnd::TableRow) => self.end_row(),
            Event::Text(text) => {
                // A line such as "14. October" is a list to Markdown, and a date to its author.
                if let Some(number) = self.number.take() {
                    let word = text.split_whitespace().next().unwrap_or_default();
                    if words::month(&word.trim_end_matches(',').to_lowercase()).is_some() {
                        self.text.push_str(&format!("{number}. "));
                    }
                }
                self.text.push_str(&text);
            }
            Event::Code(code) => {
                self.text.push('`');
                self.text.push_str(&code);
                self.text.push('`');
            }
            Event::SoftBreak => self.text.push(SOFT_BREAK),
            Event::HardBreak => self.text.push(HARD_BREAK),
            _ => {}
        }
    }

    fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        // A short row has empty cells up to the width of the table.
        let width = row
            .iter()
            .rposition(|cell| !cell.is_empty())
            .map_or(0, |last| last + 1);
        row.truncate(width);
        self.push(BlockKind::Row, row.join(" | "));
        let mut cells = Vec::new();
        for (name, cell) in self.header.iter().zip(&row) {
            self.repeated += name.len() + cell.len();
            if !name.is_empty() && !cell.is_empty() && self.repeated <= REPEATED {
                cells.push(format!("{name}: {cell}"));
            }
        }
        for text in cells {
            self.push(BlockKind::Cell, text);
        }
    }

    fn kind(&self) -> BlockKind {
        if self.items > 0 {
            BlockKind::Item
        } else {
            BlockKind::Text
        }
    }

    fn flush(&mut self, kind: BlockKind) {
        let text = std::mem::take(&mut self.text);
        self.push(kind, text);
    }

    fn push(&mut self, kind: BlockKind, text: String) {
        let text = normalise(&text);
        if !text.trim().is_empty() {
            self.blocks.push(Block { kind, text });
        }
    }
}

/// Removes the tags and comments of a block of HTML.
fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_tag = rest[1..].starts_with(|char: char| {
            char.is_ascii_alphabetic() || matches!(char, '/' | '!' | '?')
        });
        if !is_tag {
            // "3 < 4"
            text.push('<');
            rest = &rest[1..];
            continue;
        }
        let end = if rest.starts_with("<!--") {
            // A comment without an end hides all that follows.
            Some(rest.find("-->").map_or(rest.len(), |end| end + 3))
        } else {
            rest.find('>').map(|end| end + 1)
        };
        // What looks like a tag without an end is read, so that it cannot hide anything.
        let Some(end) = end else { break };
        rest = &rest[end..];
        text.push(' ');
    }
    text.push_str(rest);
    text.replace('\n', &SOFT_BREAK.to_string())
}

/// Replaces variants of a character by one of them, and removes characters that are not visible.
pub(super) fn normalise(text: &str) -> String {
    text.chars()
        .filter_map(|char| match char {
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => None,
            '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{b4}' => Some('\''),
            '\u{201c}'..='\u{201f}' | '«' | '»' => Some('"'),
            '\u{2212}' | '\u{2010}' | '\u{2011}' => Some('-'),
            '\u{2012}' => Some('–'),
            '\u{2015}' => Some('—'),
            // Blanks that do not break stand between the groups of a number.
            '\u{202f}' | '\u{2007}' | '\u{2009}' => Some('\u{a0}'),
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(char as u32 - 0xfee0),
            HARD_BREAK | SOFT_BREAK | '\u{a0}' => Some(char),
            _ if char.is_whitespace() || char.is_control() => Some(' '),
            _ => Some(char),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(BlockKind, String)> {
        blocks(text)
            .into_iter()
            .map(|block| (block.kind, block.text))
            .collect()
    }

    #[test]
    fn visible_text_is_read_and_comments_are_not() {
        let text = "# One\n\nA *b* `c` [d](https://e.org/1).\n\n- x\n  - y\n\n<p>html</p>\n<!-- 14 -->\n\nend <!-- 15 --> here\n";
        assert_eq!(
            texts(text),
            [
                (BlockKind::Heading(1), "One".to_owned()),
                (BlockKind::Text, "A b `c` d <https://e.org/1>.".to_owned()),
                (BlockKind::Item, "x".to_owned()),
                (BlockKind::Item, "y".to_owned()),
                (BlockKind::Text, " html \u{b} \u{b}".to_owned()),
                (BlockKind::Text, "end  here".to_owned()),
            ]
        );
    }

    #[test]
    fn numbers_of_footnotes_are_no_text() {
        assert_eq!(
            texts("It is 14.[^1]\n\n[^1]: By hand.\n"),
            [
                (BlockKind::Text, "It is 14.".to_owned()),
                (BlockKind::Text, "By hand.".to_owned()),
            ]
        );
    }

    #[test]
    fn a_sign_in_html_hides_no_text() {
        assert_eq!(without_tags("<p>3 < 4 <b"), " 3 < 4 <b");
        assert_eq!(without_tags("<p>3<!-- 4"), " 3 ");
    }

    #[test]
    fn cells_are_read_with_their_row_and_with_their_column() {
        assert_eq!(
            texts("| Month | Merged |\n|---|---|\n| May | 14 |\n"),
            [
                (BlockKind::Row, "Month | Merged".to_owned()),
                (BlockKind::Row, "May | 14".to_owned()),
                (BlockKind::Cell, "Month: May".to_owned()),
                (BlockKind::Cell, "Merged: 14".to_owned()),
            ]
        );
    }

    #[test]
    fn a_day_at_the_start_of_a_line_is_no_number_of_a_list() {
        assert_eq!(
            texts("14. October was quiet\n"),
            [(BlockKind::Item, "14. October was quiet".to_owned())]
        );
        assert_eq!(texts("1. first\n2. next\n").len(), 2);
        assert_eq!(texts("3. third\n")[0].1, "third");
    }
}
