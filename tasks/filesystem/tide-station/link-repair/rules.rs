//! How broken links are mended. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Csv;

#[path = "scan.rs"]
mod scan;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Links of a page that was moved are resolved from its present folder only.
    pub present_folder_only: bool,
    /// A mended path keeps whatever anchor it had.
    pub keeps_old_anchors: bool,
}

/// A broken link.
pub struct Broken {
    pub file: String,
    pub line: usize,
    pub old: String,
    pub new: String,
    pub how: String,
}

impl Broken {
    /// Its line in the report.
    pub fn row(&self) -> [String; 5] {
        let line = self.line.to_string();
        [&self.file, &line, &self.old, &self.new, &self.how].map(String::clone)
    }
}

/// What comes of mending.
pub struct Mended {
    /// New texts of the files with a broken link that could be mended.
    pub texts: BTreeMap<String, String>,
    /// All broken links in the order of the report.
    pub broken: Vec<Broken>,
}

/// The list of moves.
pub const MOVES: &str = "docs/contributing/moved-pages.csv";
/// The table of renamed headings.
pub const RENAMED: &str = "docs/contributing/renamed-headings.md";

/// Whether the rules look after a file.
pub fn is_looked_after(path: &str) -> bool {
    let named = [
        "README.md",
        "CONTRIBUTING.md",
        "firmware/README.md",
        "tools/README.md",
    ];
    let is_page = path.starts_with("docs/")
        && path.ends_with(".md")
        && path != "docs/index.md"
        && !path.starts_with("docs/archive/");
    named.contains(&path) || is_page || (path.starts_with("web/") && path.ends_with(".html"))
}

/// Mends everything; `paths` are all files of the world, `read` gives the text of one.
pub fn mend(
    paths: &[String],
    mut read: impl FnMut(&str) -> String,
    oversights: &Oversights,
) -> Mended {
    let history = History::read(&read(MOVES), &read(RENAMED));
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for path in paths {
        if path.ends_with(".md") || is_looked_after(path) {
            texts.insert(path, read(path));
        }
    }
    let anchors = texts
        .iter()
        .filter(|(path, _)| path.ends_with(".md"))
        .map(|(path, text)| ((*path).to_owned(), scan::anchors(text)))
        .collect();
    let mut places: BTreeSet<String> = paths.iter().cloned().collect();
    for path in paths {
        places.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
    }
    let mender = Mender {
        history,
        anchors,
        files: paths,
        places,
        oversights,
    };
    let mut mended = Mended {
        texts: BTreeMap::new(),
        broken: Vec::new(),
    };
    for (path, text) in texts.iter().filter(|(path, _)| is_looked_after(path)) {
        let mut new_text = String::new();
        let mut copied = 0;
        for link in scan::links(text, path.ends_with(".html")) {
            let old = &text[link.target.clone()];
            let (new, how) = match mender.judge(path, old) {
                Verdict::Works => continue,
                Verdict::Unresolved => (String::new(), "unresolved".to_owned()),
                Verdict::Removed => {
                    new_text += &text[copied..link.whole.start];
                    new_text += &text[link.label.clone()];
                    copied = link.whole.end;
                    (String::new(), "removed".to_owned())
                }
                Verdict::Mended(new, how) => {
                    new_text += &text[copied..link.target.start];
                    new_text += &new;
                    copied = link.target.end;
                    (new, how)
                }
            };
            mended.broken.push(Broken {
                file: (*path).to_owned(),
                line: text[..link.target.start].matches('\n').count() + 1,
                old: old.to_owned(),
                new,
                how,
            });
        }
        if copied > 0 {
            new_text += &text[copied..];
            mended.texts.insert((*path).to_owned(), new_text);
        }
    }
    mended
}

/// The text of the report.
pub fn report(broken: &[Broken]) -> String {
    let rows = broken.iter().map(|link| Csv::line(link.row()));
    std::iter::once(Csv::line(["file", "line", "old", "new", "how"]))
        .chain(rows)
        .collect()
}

struct Move {
    day: String,
    from: String,
    to: String,
}

struct History {
    moves: Vec<Move>,
    /// Page, old anchor, new anchor; none where the heading is gone.
    renamed: Vec<(String, String, Option<String>)>,
}

impl History {
    fn read(moves: &str, renamed: &str) -> Self {
        let table = Csv::strict().read(moves).expect("the moves are CSV");
        let mut list = Vec::new();
        for row in table.rows() {
            let path = |column| match row.get(column) {
                "" => String::new(),
                path => format!("docs/{path}"),
            };
            list.push(Move {
                day: row.get("moved_on").to_owned(),
                from: path("from"),
                to: path("to"),
            });
        }
        let rows = renamed.lines().filter(|line| line.starts_with("| "));
        let renamed = rows.skip(1).map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let now = (cells[2] != "-").then(|| scan::anchor(cells[2]));
            (format!("docs/{}", cells[0]), scan::anchor(cells[1]), now)
        });
        Self {
            moves: list,
            renamed: renamed.collect(),
        }
    }

    /// The latest move away from a path.
    fn move_from(&self, path: &str) -> Option<&Move> {
        let moves = self.moves.iter().filter(|entry| entry.from == path);
        moves.max_by_key(|entry| &entry.day)
    }

    /// The paths at which a file stood before, the latest first.
    fn former(&self, path: &str) -> Vec<&str> {
        let mut found: Vec<&Move> = Vec::new();
        let mut sought = vec![path];
        while let Some(path) = sought.pop() {
            for entry in self.moves.iter().filter(|entry| entry.to == path) {
                if !found.iter().any(|other| std::ptr::eq(*other, entry)) {
                    found.push(entry);
                    sought.push(&entry.from);
                }
            }
        }
        found.sort_by(|a, b| b.day.cmp(&a.day));
        found.into_iter().map(|entry| entry.from.as_str()).collect()
    }
}

enum Verdict {
    Works,
    Mended(String, String),
    Removed,
    Unresolved,
}

/// Where a path leads.
enum Place {
    Right,
    Elsewhere(String, &'static str),
    Removed,
    Nowhere,
}

struct Mender<'a> {
    history: History,
    anchors: BTreeMap<String, BTreeSet<String>>,
    files: &'a [String],
    /// Files and folders.
    places: BTreeSet<String>,
    oversights: &'a Oversights,
}

impl Mender<'_> {
    fn judge(&self, file: &str, target: &str) -> Verdict {
        let is_scheme =
            |head: &str| !head.is_empty() && head.bytes().all(|b| b.is_ascii_alphabetic());
        if target
            .split_once(':')
            .is_some_and(|(head, _)| is_scheme(head))
        {
            return Verdict::Works;
        }
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, Some(anchor)),
            None => (target, None),
        };
        let (goal, mut how) = if path.is_empty() {
            (file.to_owned(), "")
        } else {
            match self.resolve(file, &decode(path)) {
                Place::Right => (join(folder(file), &decode(path)), ""),
                Place::Elsewhere(goal, how) => (goal, how),
                Place::Removed => return Verdict::Removed,
                Place::Nowhere => return Verdict::Unresolved,
            }
        };
        let mut written = if how.is_empty() {
            path.to_owned()
        } else {
            encode(&relative(folder(file), &goal))
        };
        match anchor {
            Some(anchor) if self.has_anchor(&goal, anchor) => written += &format!("#{anchor}"),
            Some(anchor) if self.oversights.keeps_old_anchors && !how.is_empty() => {
                written += &format!("#{anchor}");
            }
            Some(anchor) => {
                how = match how {
                    "moved" => "moved+anchor",
                    "capitals" => "capitals+anchor",
                    _ => "anchor",
                };
                match self.renamed(&goal, anchor) {
                    Some(now) => written += &format!("#{now}"),
                    None if path.is_empty() => return Verdict::Removed,
                    None => {}
                }
            }
            None => {}
        }
        if how.is_empty() {
            Verdict::Works
        } else {
            Verdict::Mended(written, how.to_owned())
        }
    }

    fn resolve(&self, file: &str, path: &str) -> Place {
        let former = if self.oversights.present_folder_only {
            Vec::new()
        } else {
            self.history.former(file)
        };
        let folders = std::iter::once(file).chain(former).map(folder);
        for (number, folder) in folders.enumerate() {
            let goal = join(folder, path);
            if self.places.contains(&goal) {
                return if number == 0 {
                    Place::Right
                } else {
                    Place::Elsewhere(goal, "moved")
                };
            }
            let mut step = self.history.move_from(&goal);
            while let Some(entry) = step {
                if entry.to.is_empty() {
                    return Place::Removed;
                }
                if self.places.contains(&entry.to) {
                    return Place::Elsewhere(entry.to.clone(), "moved");
                }
                step = self.history.move_from(&entry.to);
            }
            let small = goal.to_lowercase();
            if let Some(file) = self.files.iter().find(|file| file.to_lowercase() == small) {
                return Place::Elsewhere(file.clone(), "capitals");
            }
        }
        Place::Nowhere
    }

    fn has_anchor(&self, goal: &str, anchor: &str) -> bool {
        self.anchors
            .get(goal)
            .is_none_or(|anchors| anchors.contains(anchor))
    }

    fn renamed(&self, goal: &str, anchor: &str) -> Option<String> {
        let mut anchor = anchor.to_owned();
        // A heading is renamed at most as often as the table has rows.
        for _ in &self.history.renamed {
            let is_it = |row: &&(String, String, Option<String>)| row.0 == goal && row.1 == anchor;
            anchor = self.history.renamed.iter().find(is_it)?.2.clone()?;
            if self.has_anchor(goal, &anchor) {
                return Some(anchor);
            }
        }
        None
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path from the top that a relative path leads to.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The shortest relative path from a folder.
fn relative(folder: &str, goal: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = goal.split('/').collect();
    let last = to.len() - 1;
    let shared = from
        .iter()
        .zip(&to[..last])
        .take_while(|(a, b)| a == b)
        .count();
    "../".repeat(from.len() - shared) + &to[shared..].join("/")
}

fn decode(path: &str) -> String {
    path.replace("%20", " ")
        .replace("%28", "(")
        .replace("%29", ")")
}

fn encode(path: &str) -> String {
    path.replace(' ', "%20")
        .replace('(', "%28")
        .replace(')', "%29")
}
