//! Markdown documents: headings, sections, tables, lists and code, as far as checks need them.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::condition::show;
use crate::sequence::in_order;
use crate::{Condition, Found};

/// A Markdown text (CommonMark with tables and task lists) as a list of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    blocks: Vec<Block>,
}

/// One block of a document. Inline text is plain: emphasis and link targets are dropped, code spans
/// keep their text, and a line break becomes one space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading of level 1 to 6.
    Heading {
        /// Level of the heading.
        level: u8,
        /// Text of the heading.
        text: String,
    },
    /// A paragraph outside of lists.
    Paragraph(String),
    /// One item of a list; nested items follow their parent.
    Item {
        /// Nesting depth: 0 for an item of an outermost list.
        depth: usize,
        /// Number of the item, if the list is ordered.
        number: Option<u64>,
        /// Whether the item is ticked, if it is a task list item.
        ticked: Option<bool>,
        /// Text of the item, without that of nested items.
        text: String,
    },
    /// A table.
    Table {
        /// The cells of the first row.
        header: Vec<String>,
        /// The other rows.
        rows: Vec<Vec<String>>,
    },
    /// A code block.
    Code {
        /// Info string after the opening fence, such as the language.
        language: String,
        /// The code, with its newlines.
        text: String,
    },
    /// The text of one code span. It follows the block that contains it.
    Span(String),
}

impl Document {
    /// Parses a text. Every text is valid Markdown.
    pub fn parse(text: &str) -> Self {
        let mut builder = Builder::default();
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
            builder.take(event);
        }
        Self {
            blocks: builder.blocks,
        }
    }

    /// Returns all blocks in their order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the levels and texts of all headings.
    pub fn headings(&self) -> Vec<(u8, &str)> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Heading { level, text } => Some((*level, text.as_str())),
                _ => None,
            })
            .collect()
    }

    /// Returns the section below a heading, up to the next heading of the same or a higher level.
    pub fn section(&self, title: &str) -> Option<Document> {
        let is_title =
            |block: &Block| matches!(block, Block::Heading { text, .. } if text == title);
        let start = self.blocks.iter().position(is_title)?;
        let Block::Heading { level, .. } = self.blocks[start] else {
            return None;
        };
        let rest = &self.blocks[start + 1..];
        let ends =
            |block: &Block| matches!(block, Block::Heading { level: next, .. } if *next <= level);
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        Some(Document {
            blocks: rest[..end].to_vec(),
        })
    }

    /// Returns the texts of all list items.
    pub fn items(&self) -> Vec<&str> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Item { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Returns the headers and rows of all tables.
    pub fn tables(&self) -> Vec<(&[String], &[Vec<String>])> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Table { header, rows } => Some((header.as_slice(), rows.as_slice())),
                _ => None,
            })
            .collect()
    }

    /// Returns the texts of all paragraphs outside of lists.
    pub fn paragraphs(&self) -> Vec<&str> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Paragraph(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Returns the texts of all code spans.
    pub fn code_spans(&self) -> Vec<&str> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Span(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}

impl Found<Document> {
    /// Checks that the headings equal `expected`, in this order, each as `(1, "Title")`.
    pub fn headings_are(&self, expected: &[(u8, &str)]) -> Condition {
        self.satisfies(|document| in_order("heading", expected, &document.headings()))
    }

    /// Returns the section below the heading with this text.
    pub fn section(&self, title: &str) -> Found<Document> {
        self.part(&format!("section {title:?}"), |document| {
            document.section(title).ok_or_else(|| {
                format!(
                    "there is no such heading among {}",
                    show(&document.headings())
                )
            })
        })
    }

    /// Returns the texts of the list items.
    pub fn items(&self) -> Found<Vec<String>> {
        self.map(|document| document.items().into_iter().map(str::to_owned).collect())
    }

    /// Returns the texts of the paragraphs outside of lists.
    pub fn paragraphs(&self) -> Found<Vec<String>> {
        self.map(|document| {
            document
                .paragraphs()
                .into_iter()
                .map(str::to_owned)
                .collect()
        })
    }

    /// Returns the rows of the only table, its header first.
    pub fn table(&self) -> Found<Vec<Vec<String>>> {
        self.try_map(|document| match document.tables().as_slice() {
            [(header, rows)] => Ok(std::iter::once(header.to_vec())
                .chain(rows.iter().cloned())
                .collect()),
            tables => Err(format!("expected one table, found {}", tables.len())),
        })
    }
}

/// Collects blocks from parser events.
#[derive(Default)]
struct Builder {
    blocks: Vec<Block>,
    text: String,
    spans: Vec<String>,
    /// Number of the next item of each open list.
    lists: Vec<Option<u64>>,
    /// Positions in `blocks` of the open items.
    items: Vec<usize>,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(first)) => {
                self.flush_item();
                self.lists.push(first);
            }
            Event::End(TagEnd::List(_)) => {
                self.lists.pop();
            }
            Event::Start(Tag::Item) => {
                let number = self.lists.last_mut().and_then(|next| {
                    let number = *next;
                    *next = next.map(|n| n + 1);
                    number
                });
                self.items.push(self.blocks.len());
                let depth = self.lists.len().saturating_sub(1);
                self.blocks.push(Block::Item {
                    depth,
                    number,
                    ticked: None,
                    text: String::new(),
                });
                self.text.clear();
            }
            Event::TaskListMarker(value) => {
                if let Some(Block::Item { ticked, .. }) =
                    self.items.last().map(|at| &mut self.blocks[*at])
                {
                    *ticked = Some(value);
                }
            }
            Event::End(TagEnd::Item) => {
                self.flush_item();
                self.items.pop();
            }
            Event::End(TagEnd::Heading(level)) => {
                let text = self.take_text();
                self.push(Block::Heading {
                    level: level as u8,
                    text,
                });
            }
            Event::End(TagEnd::Paragraph) if self.items.is_empty() => {
                let text = self.take_text();
                self.push(Block::Paragraph(text));
            }
            Event::End(TagEnd::Paragraph) => self.text.push(' '),
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush_item();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.blocks.push(Block::Code {
                    language,
                    text: String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => {
                let code = std::mem::take(&mut self.text);
                if let Some(Block::Code { text, .. }) = self.blocks.last_mut() {
                    *text = code;
                }
            }
            Event::End(TagEnd::TableCell) => {
                let cell = self.take_text();
                self.row.push(cell);
            }
            Event::End(TagEnd::TableHead) => self.header = std::mem::take(&mut self.row),
            Event::End(TagEnd::TableRow) => self.rows.push(std::mem::take(&mut self.row)),
            Event::End(TagEnd::Table) => {
                let (header, rows) = (
                    std::mem::take(&mut self.header),
                    std::mem::take(&mut self.rows),
                );
                self.push(Block::Table { header, rows });
            }
            Event::Text(text) => self.text.push_str(&text),
            Event::Code(code) => {
                self.text.push_str(&code);
                self.spans.push(code.to_string());
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            _ => {}
        }
    }

    fn take_text(&mut self) -> String {
        let text = self.text.trim().to_owned();
        self.text.clear();
        text
    }

    fn push(&mut self, block: Block) {
        self.blocks.push(block);
        self.blocks.extend(self.spans.drain(..).map(Block::Span));
    }

    /// Appends the collected text to the innermost open item.
    fn flush_item(&mut self) {
        let text = self.take_text();
        if let Some(Block::Item { text: whole, .. }) =
            self.items.last().map(|at| &mut self.blocks[*at])
        {
            if !whole.is_empty() && !text.is_empty() {
                whole.push(' ');
            }
            whole.push_str(&text);
        }
        self.blocks.extend(self.spans.drain(..).map(Block::Span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Plan\n\nAn *opening*\nparagraph with `code`.\n\n## To do\n\n- [x] first `one`\n- [ ] second\n  1. nested\n\n\
        ### Small\n\n| Id | Name |\n|---|---|\n| 1 | **Ann** |\n| 2 | Bo |\n\n## Done\n\n```sh\nls\n```\n";

    fn document() -> Found<Document> {
        Found::new("a.md", Ok(Document::parse(TEXT)))
    }

    #[test]
    fn headings_and_sections() {
        let found = document();
        assert!(
            found
                .headings_are(&[(1, "Plan"), (2, "To do"), (3, "Small"), (2, "Done")])
                .passed()
        );
        assert_eq!(
            found.headings_are(&[(1, "Plan"), (2, "Todo")]).detail(),
            r#"a.md: heading 2: expected (2, "Todo"), found (2, "To do")"#
        );
        assert!(found.section("To do").section("Small").exists().passed());
        assert!(!found.section("Done").section("Small").exists().passed());
        assert!(found.section("Plan").section("Done").exists().passed());
    }

    #[test]
    fn items_tables_and_code() {
        let found = document();
        assert!(
            found
                .section("To do")
                .items()
                .equal(["first one", "second", "nested"])
                .passed()
        );
        assert!(
            found
                .table()
                .equal([vec!["Id", "Name"], vec!["1", "Ann"], vec!["2", "Bo"]])
                .passed()
        );
        assert!(
            found
                .section("Done")
                .table()
                .exists()
                .detail()
                .contains("expected one table, found 0")
        );
        assert!(
            found
                .paragraphs()
                .equal(["An opening paragraph with code."])
                .passed()
        );
        let document = found.required();
        assert_eq!(document.code_spans(), ["code", "one"]);
        assert!(document.blocks().contains(&Block::Code {
            language: "sh".into(),
            text: "ls\n".into()
        }));
        assert!(document.blocks().contains(&Block::Item {
            depth: 1,
            number: Some(1),
            ticked: None,
            text: "nested".into()
        }));
        assert!(document.blocks().contains(&Block::Item {
            depth: 0,
            number: None,
            ticked: Some(true),
            text: "first one".into()
        }));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_markdown(text in "[-#*`|>1. \\[\\]x\n]{0,40}") {
            Document::parse(&text);
        }
    }
}
