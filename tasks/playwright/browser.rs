//! Browser of a solution: pages as accessibility snapshots, and forms by the labels of their fields.

#![allow(dead_code, reason = "each solution uses a part of it")]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{self, json};

/// Element of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Depth in the page.
    depth: usize,
    /// Role, such as `link`, `row` or `text`.
    pub role: String,
    /// Accessible name, which is empty for most elements.
    pub name: String,
    /// Text beside the elements below it.
    own_text: String,
    /// Reference for tools.
    reference: String,
    /// Address of a link.
    pub url: String,
}

/// Snapshot of a page.
#[derive(Debug, Clone, Default)]
pub struct Page(Vec<Element>);

/// Browser that a solution drives through the tools.
#[derive(Debug)]
pub struct Browser<'a> {
    tools: &'a mut Tools,
    site: &'static str,
    page: Page,
}

impl Page {
    /// Parses the snapshot in the answer of a tool.
    fn parse(answer: &str) -> Self {
        let mut elements: Vec<Element> = Vec::new();
        let snapshot = answer.split("```yaml\n").nth(1).unwrap_or_default();
        let snapshot = snapshot.split("\n```").next().unwrap_or_default();
        for line in snapshot.lines() {
            let text = line.trim_start();
            let depth = line.len() - text.len();
            let Some(text) = text.strip_prefix("- ") else {
                continue;
            };
            if let Some(url) = text.strip_prefix("/url: ") {
                if let Some(link) = elements.last_mut() {
                    link.url = unquoted(url);
                }
            } else if !text.starts_with('/') {
                elements.push(element(depth, text));
            }
        }
        Self(elements)
    }

    /// Returns the elements with a role.
    pub fn with_role(&self, role: &'static str) -> impl Iterator<Item = (usize, &Element)> {
        let all = self.0.iter().enumerate();
        all.filter(move |(_, element)| element.role == role)
    }

    /// Returns the elements below the one with an index.
    pub fn below(&self, index: usize) -> &[Element] {
        let depth = self.0[index].depth;
        let rest = &self.0[index + 1..];
        let end = rest.iter().position(|element| element.depth <= depth);
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Returns the text of the element with an index: its name, its own text, or that of the elements below it.
    pub fn text(&self, index: usize) -> String {
        let element = &self.0[index];
        for text in [&element.name, &element.own_text] {
            if !text.is_empty() {
                return text.trim().to_owned();
            }
        }
        let below = self.below(index);
        let depth = below.first().map(|child| child.depth);
        let children = below.iter().enumerate();
        let children = children.filter(|(_, child)| Some(child.depth) == depth);
        let texts = children.map(|(offset, _)| self.text(index + 1 + offset));
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        texts.join(" ")
    }

    /// Returns the text of the definition after a term.
    pub fn definition(&self, term: &str) -> Option<String> {
        let (index, _) = self
            .with_role("term")
            .find(|(index, _)| self.text(*index) == term)?;
        let mut definitions = self.with_role("definition").filter(|(at, _)| *at > index);
        definitions.next().map(|(at, _)| self.text(at))
    }

    /// Returns the rows of all tables as the texts of their cells.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let rows = self.with_role("row").map(|(row, _)| {
            let first = row + 1;
            let cells = self.below(row).iter().enumerate().filter(|(_, element)| {
                matches!(element.role.as_str(), "cell" | "rowheader" | "columnheader")
            });
            cells.map(|(offset, _)| self.text(first + offset)).collect()
        });
        rows.collect()
    }

    /// Returns the paragraphs and items of lists.
    pub fn paragraphs(&self) -> Vec<String> {
        let all = self.0.iter().enumerate();
        let all = all.filter(|(_, it)| matches!(it.role.as_str(), "paragraph" | "listitem"));
        all.map(|(index, _)| self.text(index)).collect()
    }

    /// Returns the address of the first link with this text.
    pub fn link(&self, text: &str) -> Option<String> {
        let found = self
            .with_role("link")
            .find(|(index, _)| self.text(*index) == text);
        found.map(|(_, link)| link.url.clone())
    }

    fn reference(&self, role: &'static str, name: &str) -> &str {
        let found = self
            .with_role(role)
            .find(|(_, element)| element.name == name);
        match found {
            Some((_, element)) => &element.reference,
            None => panic!("the page has no {role} {name:?}"),
        }
    }
}

/// Parses one line, such as `link "Jobs" [ref=e7] [cursor=pointer]: text`.
fn element(depth: usize, line: &str) -> Element {
    // A line that YAML would misread is quoted as a whole, up to the colon.
    let (head, text) = match line.strip_prefix('\'') {
        Some(quoted) => {
            let end = quoted.find("':").unwrap_or(quoted.len());
            let rest = quoted.get(end + 2..).unwrap_or_default();
            (quoted[..end].replace("''", "'"), rest.trim().to_owned())
        }
        None => split(line),
    };
    let (role, rest) = head.split_once(' ').unwrap_or((&head, ""));
    let name = rest.strip_prefix('"').map(|rest| {
        let mut end = 0;
        let mut is_escaped = false;
        for (at, c) in rest.char_indices() {
            if c == '"' && !is_escaped {
                end = at;
                break;
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        serde_json::from_str(&format!("\"{}\"", &rest[..end])).unwrap_or_default()
    });
    let reference = rest
        .split_once("[ref=")
        .and_then(|(_, rest)| rest.split_once(']'));
    Element {
        depth,
        role: role.trim_end_matches(':').to_owned(),
        name: name.unwrap_or_default(),
        own_text: unquoted(&text),
        reference: reference.map_or_else(String::new, |(it, _)| it.to_owned()),
        url: String::new(),
    }
}

/// Splits a line at the colon after the role, the name and the attributes.
fn split(line: &str) -> (String, String) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' if !is_escaped => is_quoted = !is_quoted,
            ':' if !is_quoted => return (line[..at].to_owned(), line[at + 1..].trim().to_owned()),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    (line.to_owned(), String::new())
}

/// Returns the value of a YAML scalar.
fn unquoted(text: &str) -> String {
    match serde_json::from_str::<String>(text) {
        Ok(text) => text,
        Err(_) => text.to_owned(),
    }
}

impl<'a> Browser<'a> {
    /// Creates a browser for a site, such as `http://forum.test`.
    pub fn new(tools: &'a mut Tools, site: &'static str) -> Self {
        Self {
            tools,
            site,
            page: Page::default(),
        }
    }

    /// Opens a path of the site.
    #[track_caller]
    pub fn open(&mut self, path: &str) -> Page {
        let url = format!("{}{path}", self.site);
        let answer = self.tools.text("browser_navigate", &json!({ "url": url }));
        self.page = Page::parse(&answer);
        self.page.clone()
    }

    /// Returns the page as it is.
    #[track_caller]
    pub fn look(&mut self) -> Page {
        let answer = self.tools.text("browser_snapshot", &json!({}));
        self.page = Page::parse(&answer);
        self.page.clone()
    }

    /// Fills fields of the page: role, label and value.
    #[track_caller]
    pub fn fill(&mut self, fields: &[(&'static str, &str, &str)]) {
        let fields: Vec<_> = fields
            .iter()
            .map(|(role, label, value)| {
                let reference = self.page.reference(role, label);
                json!({ "name": label, "type": role, "ref": reference, "value": value })
            })
            .collect();
        self.tools
            .text("browser_fill_form", &json!({ "fields": fields }));
    }

    /// Presses a button of the page.
    #[track_caller]
    pub fn press(&mut self, name: &str) -> Page {
        let reference = self.page.reference("button", name).to_owned();
        self.click(name, &reference)
    }

    /// Presses a button in the item of a list that begins with a text.
    #[track_caller]
    pub fn press_in(&mut self, item: &str, name: &str) -> Page {
        let found = self
            .page
            .with_role("listitem")
            .find(|(index, _)| self.page.text(*index).starts_with(item));
        let Some((index, _)) = found else {
            panic!("the page has no item {item:?}");
        };
        let below = Page(self.page.below(index).to_vec());
        let reference = below.reference("button", name).to_owned();
        self.click(name, &reference)
    }

    #[track_caller]
    fn click(&mut self, name: &str, reference: &str) -> Page {
        let arguments = json!({ "element": name, "ref": reference });
        let answer = self.tools.text("browser_click", &arguments);
        self.page = Page::parse(&answer);
        self.page.clone()
    }
}
