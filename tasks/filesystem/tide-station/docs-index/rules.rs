//! How the index follows from the pages. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, BTreeSet};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Orders of pages are compared as text: 100 comes before 20.
    pub orders_as_text: bool,
    /// Sections come as they stand in their file.
    pub follows_the_section_file: bool,
}

/// A page that is listed.
#[derive(Clone)]
pub struct Page {
    pub path: String,
    pub title: String,
    pub deprecated: bool,
    pub summary: Option<String>,
    /// Language and path, sorted.
    pub translations: Vec<(String, String)>,
    order: Option<i64>,
}

impl Page {
    /// Its line in the index.
    pub fn line(&self) -> String {
        let title = self.title.replace('[', "\\[").replace(']', "\\]");
        let mut line = format!("- [{title}]({})", encode(&self.path));
        if self.deprecated {
            line += " (deprecated)";
        }
        for (language, path) in &self.translations {
            line += &format!(" [{language}]({})", encode(path));
        }
        if let Some(summary) = &self.summary {
            line += &format!(": {summary}");
        }
        line
    }
}

/// A section of the index with its pages.
pub struct Section {
    pub name: String,
    pub pages: Vec<Page>,
}

const BEGIN: &str = "<!-- index:begin -->\n";
const END: &str = "<!-- index:end -->\n";
const OTHER: &str = "Other pages";

/// The sections with their pages; `paths` are files of the world, `read` gives the text of one.
pub fn sections(
    paths: &[String],
    mut read: impl FnMut(&str) -> String,
    oversights: &Oversights,
) -> Vec<Section> {
    let known = known_sections(&read("docs/sections.ini"), oversights);
    let files: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("docs/"))
        .filter(|path| is_page(path))
        .collect();
    let mut sections: Vec<Section> = known
        .iter()
        .map(|(name, _)| Section {
            name: name.clone(),
            pages: Vec::new(),
        })
        .collect();
    sections.push(Section {
        name: OTHER.to_owned(),
        pages: Vec::new(),
    });
    for path in &files {
        if translation_of(path).is_some_and(|(original, _)| files.contains(original.as_str())) {
            continue;
        }
        let text = read(&format!("docs/{path}"));
        let (front, body) = front_matter(&text);
        let status = front.get("status").map(|status| status.to_lowercase());
        if status.as_deref() == Some("draft") || front.contains_key("moved_to") {
            continue;
        }
        let section = front.get("section").map(|name| name.to_lowercase());
        let at = known
            .iter()
            .position(|(_, words)| section.as_ref().is_some_and(|name| words.contains(name)))
            .unwrap_or(known.len());
        let translations = files.iter().filter_map(|other| {
            let (original, language) = translation_of(other)?;
            (original == **path).then(|| (language, (*other).to_owned()))
        });
        sections[at].pages.push(Page {
            path: (*path).to_owned(),
            title: front
                .get("title")
                .cloned()
                .unwrap_or_else(|| heading(&body)),
            deprecated: status.as_deref() == Some("deprecated"),
            summary: front.get("summary").cloned(),
            translations: translations.collect(),
            order: front.get("order").map(|order| match order.parse() {
                Ok(order) => order,
                Err(error) => panic!("{path}: order {order:?}: {error}"),
            }),
        });
    }
    for section in &mut sections {
        section.pages.sort_by_key(|page| {
            let order = page
                .order
                .map_or_else(String::new, |order| order.to_string());
            (
                page.order.is_none(),
                oversights.orders_as_text.then_some(order),
                page.order,
                page.title.clone(),
                page.path.clone(),
            )
        });
    }
    sections.retain(|section| !section.pages.is_empty());
    sections
}

/// The index with a new list.
pub fn index(old: &str, sections: &[Section]) -> String {
    let (head, tail) = marks(old);
    let pages: usize = sections.iter().map(|section| section.pages.len()).sum();
    let mut index = format!(
        "{}_{pages} pages, {} sections_\n",
        &old[..head],
        sections.len()
    );
    for section in sections {
        index += &format!("\n## {}\n\n", section.name);
        for page in &section.pages {
            index += &(page.line() + "\n");
        }
    }
    index + &old[tail..]
}

/// What the old list linked and the new one does not, and the other way round.
pub fn changes(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
    let (before, after) = (linked(old), linked(new));
    (
        before.difference(&after).cloned().collect(),
        after.difference(&before).cloned().collect(),
    )
}

/// The file that tells the changes.
pub fn changes_text(old: &str, new: &str) -> String {
    let (gone, come) = changes(old, new);
    let gone = gone.iter().map(|path| format!("- {path}\n"));
    let come = come.iter().map(|path| format!("+ {path}\n"));
    gone.chain(come).collect()
}

fn marks(index: &str) -> (usize, usize) {
    let head = index.find(BEGIN).expect("the index has its first mark") + BEGIN.len();
    let tail = index.find(END).expect("the index has its second mark");
    (head, tail)
}

fn linked(index: &str) -> BTreeSet<String> {
    let (head, tail) = marks(index);
    index[head..tail]
        .split("](")
        .skip(1)
        .filter_map(|part| part.split_once(')'))
        .map(|(path, _)| {
            path.replace("%20", " ")
                .replace("%28", "(")
                .replace("%29", ")")
        })
        .collect()
}

fn encode(path: &str) -> String {
    path.replace(' ', "%20")
        .replace('(', "%28")
        .replace(')', "%29")
}

fn is_page(path: &str) -> bool {
    let is_hidden = |name: &str| name.starts_with(['_', '.']);
    path.ends_with(".md")
        && path != "index.md"
        && !path.starts_with("archive/")
        && !path.split('/').any(is_hidden)
}

/// Original and language of `name.xx.md`.
fn translation_of(path: &str) -> Option<(String, String)> {
    let (name, language) = path.strip_suffix(".md")?.rsplit_once('.')?;
    let is_language =
        language.len() == 2 && language.bytes().all(|letter| letter.is_ascii_lowercase());
    is_language.then(|| (format!("{name}.md"), language.to_owned()))
}

/// Names and words of the sections in their order.
fn known_sections(ini: &str, oversights: &Oversights) -> Vec<(String, Vec<String>)> {
    let mut sections: Vec<(i64, String, Vec<String>)> = Vec::new();
    for line in ini.lines().map(str::trim) {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            sections.push((0, name.to_owned(), vec![name.to_lowercase()]));
        }
        let (Some((order, _, words)), Some((key, value))) =
            (sections.last_mut(), line.split_once('='))
        else {
            continue;
        };
        match key.trim() {
            "order" => *order = value.trim().parse().expect("an order is a number"),
            "also" => words.extend(value.split(',').map(|word| word.trim().to_lowercase())),
            _ => {}
        }
    }
    if !oversights.follows_the_section_file {
        sections.sort_by_key(|(order, ..)| *order);
    }
    sections
        .into_iter()
        .map(|(_, name, words)| (name, words))
        .collect()
}

/// Front matter and body.
fn front_matter(text: &str) -> (BTreeMap<String, String>, String) {
    let text = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .replace("\r\n", "\n");
    let mut front = BTreeMap::new();
    let Some((block, body)) = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
    else {
        return (front, text);
    };
    for (name, value) in block.lines().filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        let unquoted = ['"', '\'']
            .iter()
            .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        front.insert(name.trim().to_owned(), unquoted.unwrap_or(value).to_owned());
    }
    (front, body.to_owned())
}

/// The first heading of level one outside of code blocks.
fn heading(body: &str) -> String {
    let mut in_code = false;
    for line in body.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if let (false, Some(title)) = (in_code, line.strip_prefix("# ")) {
            return title.trim().to_owned();
        }
    }
    panic!("a page without title and heading")
}
