//! Differences between two trees, as text and as JSON.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use anstyle::Style;
use mcpmark_metadata::StateChange;
use mcpmark_snapshot::{Blobs, Change, ChangeKind, Digest, Node, Store, TreePath};

use super::state_node;
use crate::output::tree::{self, Branch};
use crate::output::{self, sanitise, unified};

/// Maximum number of files whose changed lines are shown without `--full`.
const FILES: usize = 12;

/// Formats changes as a tree with kinds and sizes, followed by the differing lines of text files.
pub(crate) fn changes_text(changes: &[Change], store: &Store, full: bool) -> String {
    let moves = Moves::of(changes);
    let mut root = Level::default();
    for change in changes {
        root.put(change, &moves);
    }
    let mut text = tree::draw(root.branches(), false);
    let _ = writeln!(
        text,
        "{}",
        output::paint(output::DIM, counted(changes, &moves))
    );

    let texts: Vec<&Change> = changes
        .iter()
        .filter(|change| is_content(change) && !moves.has(change))
        .collect();
    let shown = if full { texts.len() } else { FILES };
    for change in texts.iter().take(shown) {
        let _ = writeln!(text, "\n{}", title(change));
        text.push_str(&content(change, store, full));
    }
    if let Some(more) = texts.len().checked_sub(shown).filter(|more| *more > 0) {
        let more = format!("… {} more; --full shows them", output::count(more, "file"));
        let _ = writeln!(text, "\n{}", output::paint(output::DIM, more));
    }
    text
}

/// Moved files: a removed and an added file with the same unique content. Maps each path to the other.
struct Moves<'a>(HashMap<&'a TreePath, &'a TreePath>);

impl<'a> Moves<'a> {
    fn of(changes: &'a [Change]) -> Self {
        let mut contents: BTreeMap<Digest, (Vec<&TreePath>, Vec<&TreePath>)> = BTreeMap::new();
        for change in changes {
            let file = |node: &Option<Node>| {
                let file = node.as_ref()?.as_file()?;
                (file.size > 0).then_some(file.content)
            };
            match (file(&change.before), file(&change.after)) {
                (Some(gone), None) => contents.entry(gone).or_default().0.push(&change.path),
                (None, Some(new)) => contents.entry(new).or_default().1.push(&change.path),
                _ => {}
            }
        }
        let mut moves = HashMap::new();
        for sides in contents.into_values() {
            if let ([from], [to]) = (&*sides.0, &*sides.1) {
                moves.insert(*from, *to);
                moves.insert(*to, *from);
            }
        }
        Self(moves)
    }

    fn other(&self, change: &Change) -> Option<&TreePath> {
        self.0.get(&change.path).copied()
    }

    fn has(&self, change: &Change) -> bool {
        self.0.contains_key(&change.path)
    }
}

fn mark(kind: ChangeKind) -> (char, Style) {
    match kind {
        ChangeKind::Added => ('+', output::GOOD),
        ChangeKind::Removed => ('-', output::BAD),
        ChangeKind::Modified => ('~', output::WARN),
    }
}

/// Node in the tree of changes: the change of its path, if any, and the nodes below it.
#[derive(Default)]
struct Level {
    own: Option<(char, Style, String, bool)>,
    below: BTreeMap<String, Level>,
}

impl Level {
    fn put(&mut self, change: &Change, moves: &Moves<'_>) {
        let level = change.path.segments().fold(self, |level, name| {
            level.below.entry(name.to_owned()).or_default()
        });
        let (mark, style) = mark(change.kind);
        let node = change.after.as_ref().or(change.before.as_ref());
        let is_directory = node.is_some_and(|node| node.as_directory().is_some());
        let mut note = note(change);
        if let Some(other) = moves.other(change) {
            let word = match change.kind {
                ChangeKind::Removed => "now",
                _ => "was",
            };
            let _ = write!(note, ", {word} {}", sanitise::line(other.as_str()));
        }
        level.own = Some((mark, style, note, is_directory));
    }

    fn branches(self) -> Vec<Branch> {
        self.below
            .into_iter()
            .map(|(name, level)| {
                let name = sanitise::line(&name).into_owned();
                let (label, style, note) = match &level.own {
                    None => (format!("{name}/"), Style::new(), String::new()),
                    Some((mark, style, note, is_directory)) => {
                        let slash = if *is_directory { "/" } else { "" };
                        (format!("{mark} {name}{slash}"), *style, note.clone())
                    }
                };
                Branch {
                    label,
                    style,
                    note,
                    below: level.branches(),
                }
            })
            .collect()
    }
}

/// Describes a change of size, mode or kind.
fn note(change: &Change) -> String {
    match (&change.before, &change.after) {
        (Some(Node::File(before)), Some(Node::File(after))) => {
            let mut facts = Vec::new();
            if before.size != after.size {
                let sizes = (output::bytes(before.size), output::bytes(after.size));
                facts.push(format!("{} → {}", sizes.0, sizes.1));
            } else if before.content != after.content {
                facts.push(format!("{}, as before", output::bytes(after.size)));
            }
            match (before.executable, after.executable) {
                (false, true) => facts.push("now executable".to_owned()),
                (true, false) => facts.push("no longer executable".to_owned()),
                _ => {}
            }
            facts.join(", ")
        }
        (Some(before), Some(after)) if before.kind() != after.kind() => {
            format!("was a {}, now {}", before.kind(), describe(after))
        }
        (_, Some(node)) | (Some(node), None) => describe(node),
        (None, None) => String::new(),
    }
}

fn describe(node: &Node) -> String {
    match node {
        Node::Directory(_) => "directory".to_owned(),
        Node::File(file) => output::bytes(file.size),
        Node::Symlink(link) => format!("symlink to {}", sanitise::line(&link.target)),
    }
}

fn counted(changes: &[Change], moves: &Moves<'_>) -> String {
    let moved = changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Added && moves.has(change))
        .count();
    let mut parts = Vec::new();
    for kind in [ChangeKind::Added, ChangeKind::Removed, ChangeKind::Modified] {
        let of_kind = |change: &&Change| change.kind == kind && !moves.has(change);
        let number = changes.iter().filter(of_kind).count();
        if number > 0 {
            parts.push(format!("{number} {kind}"));
        }
    }
    if moved > 0 {
        parts.push(format!("{moved} moved"));
    }
    parts.join(", ")
}

/// Returns true if the content of a file differs.
fn is_content(change: &Change) -> bool {
    let content = |node: &Option<Node>| Some(node.as_ref()?.as_file()?.content);
    content(&change.before) != content(&change.after)
}

fn title(change: &Change) -> String {
    let (mark, style) = mark(change.kind);
    let path = sanitise::line(change.path.as_str());
    output::paint(style.bold(), format!("{mark} {path}"))
}

fn content(change: &Change, store: &Store, full: bool) -> String {
    let read = |node: &Option<Node>| {
        let file = node.as_ref().and_then(Node::as_file);
        file.map(|file| store.read(&file.content)).transpose()
    };
    match (read(&change.before), read(&change.after)) {
        (Ok(before), Ok(after)) => unified::diff(before.as_deref(), after.as_deref(), full),
        (Err(error), _) | (_, Err(error)) => {
            let error = error.to_string();
            format!("{}\n", output::paint(output::WARN, sanitise::line(&error)))
        }
    }
}

/// Returns changes as an array of the JSON output.
pub(crate) fn state_changes(changes: &[Change]) -> Vec<StateChange> {
    changes
        .iter()
        .map(|change| StateChange {
            path: change.path.as_str().to_owned(),
            kind: match change.kind {
                ChangeKind::Added => mcpmark_metadata::ChangeKind::Added,
                ChangeKind::Removed => mcpmark_metadata::ChangeKind::Removed,
                ChangeKind::Modified => mcpmark_metadata::ChangeKind::Modified,
            },
            before: change.before.as_ref().map(state_node),
            after: change.after.as_ref().map(state_node),
        })
        .collect()
}
