//! Comparison of Markdown documents, block by block.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::csv::Rule;
use super::text::is_blank;
use super::{Expected, Lines};
use crate::Condition;
use crate::condition::{show, show_difference};
use crate::numbers::Amounts;

/// Maximum nesting depth.
const DEPTH: usize = 100;
/// Marks what is not plain text in the text of a block. In a text itself it is replaced, as CommonMark demands.
const MARK: char = '\0';

/// Expected Markdown document; see the table in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct Markdown {
    expected: String,
    options: Reading,
    any_items: bool,
    any_rows: bool,
    columns: Vec<(String, Rule)>,
}

/// Distinctions that the reader makes.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    emphasis: bool,
    alignment: bool,
    no_code_spans: bool,
    is_comment: bool,
}

/// Expects the content of this Markdown text: GitHub Flavored Markdown, with footnotes and front matter.
///
/// # Panics
/// The comparison panics if the expected text is nested deeper than 100 levels, or if a column with a rule is in none
/// of its tables.
pub fn markdown(expected: impl Into<String>) -> Markdown {
    Markdown {
        expected: expected.into(),
        options: Reading::default(),
        any_items: false,
        any_rows: false,
        columns: Vec::new(),
    }
}

impl Markdown {
    /// Compares emphasis, which is ignored by default. `*one*` equals `_one_` nevertheless.
    #[must_use]
    pub fn with_emphasis(mut self) -> Self {
        self.options.emphasis = true;
        self
    }

    /// Compares the alignment of the columns of tables.
    #[must_use]
    pub fn with_alignment(mut self) -> Self {
        self.options.alignment = true;
        self
    }

    /// Reads code spans as plain text.
    #[must_use]
    pub fn ignoring_code_spans(mut self) -> Self {
        self.options.no_code_spans = true;
        self
    }

    /// Reads the text as GitHub shows a comment or the text of an issue: every line break is shown, and there is
    /// no front matter.
    #[must_use]
    pub fn as_comment(mut self) -> Self {
        self.options.is_comment = true;
        self
    }

    /// Accepts the items of each list in any order.
    #[must_use]
    pub fn items_in_any_order(mut self) -> Self {
        self.any_items = true;
        self
    }

    /// Accepts the rows of each table in any order, below its header.
    #[must_use]
    pub fn rows_in_any_order(mut self) -> Self {
        self.any_rows = true;
        self
    }

    /// Compares the cells below a header cell by a rule, in every table that has it.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, rule: impl Into<Rule>) -> Self {
        self.columns.push((name.into(), rule.into()));
        self
    }

    /// Compares the cells below header cells as amounts: `12.5` equals `12.50`.
    #[must_use]
    pub fn amounts<S: AsRef<str>>(mut self, names: impl AsRef<[S]>) -> Self {
        for name in names.as_ref() {
            self = self.column(name.as_ref(), Amounts::new());
        }
        self
    }

    fn rule(&self, block: &Block) -> Option<&Rule> {
        let Shape::Cell { column, .. } = &block.shape else {
            return None;
        };
        let mut columns = self.columns.iter();
        columns
            .find(|(name, _)| name == column)
            .map(|(_, rule)| rule)
    }

    fn is_free(&self, block: &Block) -> bool {
        match block.shape {
            Shape::List { .. } => self.any_items,
            Shape::Rows => self.any_rows,
            _ => false,
        }
    }

    /// Compares siblings with their children. The reader bounds the depth.
    fn compare_siblings(
        &self,
        (expected, left): (&[Block], Range<usize>),
        (found, right): (&[Block], Range<usize>),
    ) -> Result<(), String> {
        let (mut at, mut other) = (left.start, right.start);
        loop {
            let a = expected[..left.end].get(at);
            let b = found[..right.end].get(other);
            let (a, b) = match (a, b) {
                (None, None) => return Ok(()),
                (Some(_), None) => {
                    let end = match found[..other].last() {
                        Some(block) => format!("nothing more after line {}", block.line),
                        None => "an empty document".to_owned(),
                    };
                    return Err(format!(
                        "expected {}, found {end}",
                        self.whole(expected, at)
                    ));
                }
                (None, Some(b)) => {
                    return Err(format!(
                        "{}expected nothing more, found {}",
                        place(b),
                        self.whole(found, other)
                    ));
                }
                (Some(a), Some(b)) => (a, b),
            };
            if !a.shape.is_like(&b.shape) {
                return Err(format!(
                    "{}expected {}, found {}",
                    place(b),
                    self.whole(expected, at),
                    self.whole(found, other)
                ));
            }
            self.compare_text(a, b)?;
            if self.is_free(a) {
                self.compare_bags((expected, at), (found, other))?;
            } else {
                let inside = (expected, at + 1..a.end);
                self.compare_siblings(inside, (found, other + 1..b.end))?;
            }
            (at, other) = (a.end, b.end);
        }
    }

    fn compare_text(&self, expected: &Block, found: &Block) -> Result<(), String> {
        let as_text = Rule::default();
        let rule = self.rule(expected).unwrap_or(&as_text);
        match rule.difference(&expected.text, &found.text) {
            None => Ok(()),
            Some(_) if rule.is_text() => {
                let (a, b) = show_difference(&readable(&expected.text), &readable(&found.text));
                let (a, b) = if a == b {
                    (
                        show(&expected.text.replace(MARK, "<>")),
                        show(&found.text.replace(MARK, "<>")),
                    )
                } else {
                    (a, b)
                };
                Err(format!("{}expected {a}, found {b}", place(found)))
            }
            Some((a, b)) => Err(format!("{}expected {a}, found {b}", place(found))),
        }
    }

    /// Compares the children of two blocks as multisets.
    fn compare_bags(
        &self,
        (expected, at): (&[Block], usize),
        (found, other): (&[Block], usize),
    ) -> Result<(), String> {
        let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for child in children(expected, at) {
            let key = self.canonical(expected, child);
            wanted.entry(key).or_default().push(child);
        }
        let mut extra = None;
        for child in children(found, other) {
            let place = wanted.get_mut(&self.canonical(found, child));
            if place.and_then(Vec::pop).is_none() && extra.is_none() {
                extra = Some(child);
            }
        }
        let missing = wanted.into_values().flatten().min();
        match (missing, extra) {
            (None, None) => Ok(()),
            (Some(missing), Some(extra)) => Err(format!(
                "{}expected {}, found {} instead",
                place(&found[extra]),
                self.whole(expected, missing),
                self.whole(found, extra)
            )),
            (Some(missing), None) => Err(format!(
                "{}expected {}, found none",
                place(&found[other]),
                self.whole(expected, missing)
            )),
            (None, Some(extra)) => Err(format!(
                "{}expected nothing more, found {}",
                place(&found[extra]),
                self.whole(found, extra)
            )),
        }
    }

    /// Returns a text that equal blocks with equal children have in common.
    fn canonical(&self, blocks: &[Block], at: usize) -> String {
        let block = &blocks[at];
        let text = match self.rule(block) {
            Some(rule) => rule.canonical(&block.text),
            None => block.text.clone(),
        };
        let inside = children(blocks, at).map(|child| self.canonical(blocks, child));
        let mut inside: Vec<String> = inside.collect();
        if self.is_free(block) {
            inside.sort_unstable();
        }
        format!("({}{text:?}{})", block.shape.key(), inside.concat())
    }

    /// Describes a block with the texts of its children.
    fn whole(&self, blocks: &[Block], at: usize) -> String {
        let noun = blocks[at].shape.noun();
        let inside = blocks[at..blocks[at].end].iter();
        let texts = inside.filter(|block| !block.text.is_empty()).take(20);
        let texts: Vec<String> = texts.map(|block| readable(&block.text)).collect();
        if texts.is_empty() {
            noun
        } else {
            format!("{noun} {}", show(&texts.join(" | ")))
        }
    }
}

impl Expected for Markdown {
    fn size(&self) -> usize {
        self.expected.len()
    }

    fn compare(&self, found: &str) -> Condition {
        let expected = match read(&self.expected, self.options) {
            Ok(expected) => expected,
            Err(reason) => panic!("the expected text: {reason}"),
        };
        for (name, _) in &self.columns {
            let is_header = |block: &Block| match &block.shape {
                Shape::Cell { row: 0, column, .. } => column == name,
                _ => false,
            };
            assert!(
                expected.iter().any(is_header),
                "the expected text has no table with the column {name:?}"
            );
        }
        let found = match read(found, self.options) {
            Ok(found) => found,
            Err(reason) => return Condition::fail(reason),
        };
        let whole = ((&*expected, 0..expected.len()), (&*found, 0..found.len()));
        match self.compare_siblings(whole.0, whole.1) {
            Ok(()) => Condition::pass(format!("{} blocks, as expected", found.len())),
            Err(reason) => Condition::fail(reason),
        }
    }
}

/// One block. Blocks are a list in the order of the text, in which the children of a block follow it.
#[derive(Debug)]
struct Block {
    line: u32,
    shape: Shape,
    text: String,
    /// Position after its last descendant.
    end: usize,
}

/// Kind of a block, with what distinguishes it besides its text.
#[derive(Debug, PartialEq)]
enum Shape {
    Heading(u8),
    Paragraph,
    List {
        first: Option<u64>,
    },
    Item {
        ticked: Option<bool>,
    },
    /// A table with its number in the text.
    Table {
        number: usize,
        alignment: String,
    },
    Header,
    /// All rows of a table below its header.
    Rows,
    Row,
    Cell {
        table: usize,
        /// Number of the row below the header; 0 for the header.
        row: usize,
        column: String,
    },
    Code {
        language: String,
    },
    Quote {
        kind: String,
    },
    Html,
    Rule,
    Footnote {
        name: String,
    },
    FrontMatter,
}

impl Shape {
    /// Returns true if two blocks are of one kind. The numbers of tables and rows are only for details.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Table { alignment: a, .. }, Self::Table { alignment: b, .. }) => a == b,
            (Self::Cell { .. }, Self::Cell { .. }) => true,
            _ => self == other,
        }
    }

    fn key(&self) -> String {
        match self {
            Self::Table { alignment, .. } => format!("table{alignment:?}"),
            Self::Cell { .. } => "cell".to_owned(),
            other => format!("{other:?}"),
        }
    }

    fn noun(&self) -> String {
        match self {
            Self::Heading(level) => format!("a heading of level {level}"),
            Self::Paragraph => "a paragraph".to_owned(),
            Self::List { first: None } => "a list".to_owned(),
            Self::List { first: Some(1) } => "a numbered list".to_owned(),
            Self::List { first: Some(first) } => format!("a numbered list from {first}"),
            Self::Item { ticked: None } => "an item".to_owned(),
            Self::Item { ticked: Some(true) } => "a ticked item".to_owned(),
            Self::Item {
                ticked: Some(false),
            } => "an unticked item".to_owned(),
            Self::Table { alignment, .. } if alignment.is_empty() => "a table".to_owned(),
            Self::Table { alignment, .. } => format!("a table with the columns {alignment}"),
            Self::Header => "a header".to_owned(),
            Self::Rows => "rows".to_owned(),
            Self::Row => "a row".to_owned(),
            Self::Cell { .. } => "a cell".to_owned(),
            Self::Code { language } if language.is_empty() => "a code block".to_owned(),
            Self::Code { language } => format!("a code block of {}", show(language)),
            Self::Quote { kind } if kind.is_empty() => "a quote".to_owned(),
            Self::Quote { kind } => format!("an alert of the kind {kind}"),
            Self::Html => "HTML".to_owned(),
            Self::Rule => "a rule".to_owned(),
            Self::Footnote { name } => format!("the footnote {}", show(name)),
            Self::FrontMatter => "front matter".to_owned(),
        }
    }
}

/// Returns the place of a block for details.
fn place(block: &Block) -> String {
    let line = block.line;
    match &block.shape {
        Shape::Heading(_) => format!("line {line}, heading: "),
        Shape::Cell { table, row: 0, .. } => format!("line {line}, header of table {table}: "),
        Shape::Cell { table, row, column } => format!(
            "line {line}, table {table}, row {row}, column {}: ",
            crate::condition::cut(&readable(column), 40)
        ),
        Shape::Code { .. } => format!("line {line}, code block: "),
        _ => format!("line {line}: "),
    }
}

fn children(blocks: &[Block], at: usize) -> impl Iterator<Item = usize> {
    let end = blocks[at].end;
    let mut next = at + 1;
    std::iter::from_fn(move || {
        let child = next;
        if child >= end {
            return None;
        }
        next = blocks[child].end;
        Some(child)
    })
}

/// Returns a text without the marks.
fn readable(text: &str) -> String {
    text.replace(MARK, "")
}

/// Reads a text into blocks.
fn read(text: &str, options: Reading) -> Result<Vec<Block>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut extensions = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    if !options.is_comment {
        extensions |= Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    }
    let mut reader = Reader {
        options,
        lines: Lines::of(text),
        blocks: Vec::new(),
        open: Vec::new(),
        closed: None,
        inline: String::new(),
        inline_line: None,
        links: Vec::new(),
        is_verbatim: false,
        table: Table::default(),
    };
    for (event, range) in Parser::new_ext(text, extensions).into_offset_iter() {
        reader.take(event, range.start)?;
    }
    reader.flush();
    Ok(reader.blocks)
}

/// Collects blocks from the events of the parser.
struct Reader {
    options: Reading,
    lines: Lines,
    blocks: Vec<Block>,
    /// Positions of the blocks that are not complete.
    open: Vec<usize>,
    /// Position of the block that was completed last.
    closed: Option<usize>,
    /// Text of the block that is being read, and the line on which it begins.
    inline: String,
    inline_line: Option<u32>,
    /// Open links and images: the start of their text, and what follows it.
    links: Vec<(usize, String, String)>,
    /// Whether the text is code or HTML, in which white space stays.
    is_verbatim: bool,
    table: Table,
}

/// Place in the current table.
#[derive(Default)]
struct Table {
    number: usize,
    columns: Vec<String>,
    row: usize,
    cell: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, offset: usize) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.start(tag, offset)?,
            Event::End(tag) => self.end(tag, offset),
            Event::Text(text) => self.push(&text, offset),
            Event::Code(code) if self.options.no_code_spans => self.push(&code, offset),
            Event::Code(code) => {
                self.mark("`", offset);
                self.push(&code, offset);
                self.mark("`", offset);
            }
            Event::InlineHtml(html) => {
                self.mark("", offset);
                self.push(&html, offset);
            }
            Event::Html(html) => self.push(&html, offset),
            Event::FootnoteReference(name) => {
                self.mark("[^", offset);
                self.push(&name, offset);
                self.mark("]", offset);
            }
            Event::SoftBreak if self.options.is_comment => self.push("\n", offset),
            Event::HardBreak if self.options.is_comment => self.push("\n", offset),
            Event::SoftBreak => self.push(" ", offset),
            Event::HardBreak => self.mark("\n", offset),
            Event::Rule => {
                self.flush();
                self.leaf(Shape::Rule, String::new(), self.lines.at(offset));
            }
            Event::TaskListMarker(value) => {
                if let Some(at) = self.open.last()
                    && let Shape::Item { ticked } = &mut self.blocks[*at].shape
                {
                    *ticked = Some(value);
                }
            }
            Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>, offset: usize) -> Result<(), String> {
        let shape = match tag {
            Tag::Emphasis if self.options.emphasis => return self.inline_mark("*", offset),
            Tag::Strong if self.options.emphasis => return self.inline_mark("**", offset),
            Tag::Strikethrough => return self.inline_mark("~~", offset),
            Tag::Link {
                dest_url, title, ..
            } => {
                self.links
                    .push((self.inline.len(), dest_url.to_string(), title.to_string()));
                return self.inline_mark("[", offset);
            }
            Tag::Image {
                dest_url, title, ..
            } => {
                self.links
                    .push((self.inline.len(), dest_url.to_string(), title.to_string()));
                return self.inline_mark("![", offset);
            }
            Tag::Paragraph | Tag::Heading { .. } => {
                self.flush();
                self.inline_line = Some(self.lines.at(offset));
                return Ok(());
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => {
                self.flush();
                self.is_verbatim = true;
                self.inline_line = Some(self.lines.at(offset));
                if let Tag::CodeBlock(kind) = tag {
                    let language = match kind {
                        CodeBlockKind::Fenced(info) => info.trim().to_owned(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    // The text follows when the block ends.
                    self.leaf(
                        Shape::Code { language },
                        String::new(),
                        self.lines.at(offset),
                    );
                }
                return Ok(());
            }
            Tag::TableCell => {
                self.inline_line = Some(self.lines.at(offset));
                return Ok(());
            }
            Tag::BlockQuote(kind) => Shape::Quote {
                kind: kind.map(|kind| format!("{kind:?}")).unwrap_or_default(),
            },
            Tag::List(first) => Shape::List { first },
            Tag::Item => Shape::Item { ticked: None },
            Tag::FootnoteDefinition(name) => Shape::Footnote {
                name: name.to_string(),
            },
            Tag::Table(alignment) => {
                self.table = Table {
                    number: self.table.number + 1,
                    ..Table::default()
                };
                let alignment = if self.options.alignment {
                    let names = alignment.iter().map(|it| format!("{it:?}").to_lowercase());
                    names.collect::<Vec<_>>().join(", ")
                } else {
                    String::new()
                };
                Shape::Table {
                    number: self.table.number,
                    alignment,
                }
            }
            Tag::TableHead => Shape::Header,
            Tag::TableRow => {
                self.table.row += 1;
                self.table.cell = 0;
                Shape::Row
            }
            _ => return Ok(()),
        };
        self.flush();
        let line = self.lines.at(offset);
        if shape == (Shape::List { first: None }) && self.reopen_list() {
            return Ok(());
        }
        self.open(shape, line)
    }

    fn open(&mut self, shape: Shape, line: u32) -> Result<(), String> {
        if self.open.len() == DEPTH {
            return Err(format!(
                "line {line}: expected at most {DEPTH} levels of nesting, found more"
            ));
        }
        self.open.push(self.blocks.len());
        self.leaf(shape, String::new(), line);
        Ok(())
    }

    /// Continues the list directly before this one: another marker begins another list, which looks the same.
    fn reopen_list(&mut self) -> bool {
        let end = self.blocks.len();
        let before = self.closed.filter(|&at| {
            let block = &self.blocks[at];
            block.end == end && block.shape == (Shape::List { first: None })
        });
        self.open.extend(before);
        before.is_some()
    }

    fn inline_mark(&mut self, mark: &str, offset: usize) -> Result<(), String> {
        self.mark(mark, offset);
        Ok(())
    }

    fn end(&mut self, tag: TagEnd, offset: usize) {
        match tag {
            TagEnd::Emphasis if self.options.emphasis => self.mark("*", offset),
            TagEnd::Strong if self.options.emphasis => self.mark("**", offset),
            TagEnd::Strikethrough => self.mark("~~", offset),
            TagEnd::Link | TagEnd::Image => self.end_link(tag == TagEnd::Image, offset),
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(level) => self.finish(Shape::Heading(level as u8)),
            TagEnd::CodeBlock => {
                self.is_verbatim = false;
                self.inline_line = None;
                let text = std::mem::take(&mut self.inline);
                if let Some(block) = self.blocks.last_mut() {
                    block.text = text.trim_end_matches('\n').to_owned();
                }
            }
            TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) => {
                let shape = if tag == TagEnd::HtmlBlock {
                    Shape::Html
                } else {
                    Shape::FrontMatter
                };
                self.finish(shape);
                self.is_verbatim = false;
            }
            TagEnd::TableCell => {
                let text = self.take_text();
                let (line, at) = (self.inline_line.take().unwrap_or(0), self.table.cell);
                self.table.cell += 1;
                if self.table.row == 0 {
                    self.table.columns.push(readable(&text));
                }
                let shape = Shape::Cell {
                    table: self.table.number,
                    row: self.table.row,
                    column: self.table.columns.get(at).cloned().unwrap_or_default(),
                };
                self.leaf(shape, text, line);
            }
            TagEnd::TableHead => {
                self.close();
                // The rows below the header are children of one block, so that they can have any order.
                self.open.push(self.blocks.len());
                self.leaf(Shape::Rows, String::new(), self.lines.at(offset));
            }
            TagEnd::Table => {
                self.close();
                self.close();
            }
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::TableRow => {
                self.flush();
                self.close();
            }
            _ => {}
        }
    }

    /// Ends a link or an image. A link whose text is its address equals the address as plain text.
    fn end_link(&mut self, is_image: bool, offset: usize) {
        let Some((start, address, title)) = self.links.pop() else {
            return;
        };
        let mark = if is_image { "![" } else { "[" };
        let text = &self.inline[start + MARK.len_utf8() + mark.len()..];
        if !is_image
            && title.is_empty()
            && (*text == address || address == format!("mailto:{text}"))
        {
            let text = text.to_owned();
            self.inline.truncate(start);
            self.push(&text, offset);
            return;
        }
        let title = if title.is_empty() {
            String::new()
        } else {
            format!(" {title:?}")
        };
        self.mark("](", offset);
        self.push(&format!("{address}{title}"), offset);
        self.mark(")", offset);
    }

    fn mark(&mut self, mark: &str, offset: usize) {
        self.begin(offset);
        self.inline.push(MARK);
        self.inline.push_str(mark);
    }

    fn push(&mut self, text: &str, offset: usize) {
        self.begin(offset);
        if text.contains(MARK) {
            self.inline.push_str(&text.replace(MARK, "\u{fffd}"));
        } else {
            self.inline.push_str(text);
        }
    }

    fn begin(&mut self, offset: usize) {
        if self.inline_line.is_none() {
            self.inline_line = Some(self.lines.at(offset));
        }
    }

    /// Ends a paragraph, if one is being read. The items of a tight list have their text without one.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline_line = None;
        } else {
            self.finish(Shape::Paragraph);
        }
    }

    fn finish(&mut self, shape: Shape) {
        let line = self.inline_line.take().unwrap_or(0);
        let text = self.take_text();
        self.leaf(shape, text, line);
    }

    fn leaf(&mut self, shape: Shape, text: String, line: u32) {
        self.blocks.push(Block {
            line,
            shape,
            text,
            end: self.blocks.len() + 1,
        });
    }

    fn close(&mut self) {
        if let Some(at) = self.open.pop() {
            self.blocks[at].end = self.blocks.len();
            self.closed = Some(at);
        }
    }

    fn take_text(&mut self) -> String {
        let text = std::mem::take(&mut self.inline);
        if self.is_verbatim {
            return text.trim_matches('\n').to_owned();
        }
        let mut one_blank = String::with_capacity(text.len());
        for line in text.split('\n') {
            if !one_blank.is_empty() {
                one_blank.push('\n');
            }
            let words = line.split(is_blank).filter(|word| !word.is_empty());
            for (index, word) in words.enumerate() {
                if index > 0 {
                    one_blank.push(' ');
                }
                one_blank.push_str(word);
            }
        }
        one_blank.trim_matches(['\n', ' ']).to_owned()
    }
}
