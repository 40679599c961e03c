//! Mutation testing of a verifier: worlds that are almost solved, each with one thing wrong.
//!
//! The oracle's final state is spoilt in every way of [`Mutation`]: what it produced, and what it
//! was to leave alone. A verifier that accepts such a world overlooks a mistake that an agent can
//! make.

mod dates;
mod json;
mod text;

use std::sync::Arc;

use mcpmark_kinds::Mutation;
use mcpmark_kinds::{MutateError, StateMutator};
use mcpmark_snapshot::{
    Blobs, Change, File, Kind, MemoryBlobs, Node, Tree, TreeBuilder, TreePath, diff,
};

use self::text::Spoilt;

/// How many mutants are made of one mutation, over all files.
const MOST: usize = 40;
/// A longer text is spoilt only as a whole.
const MOST_BYTES: u64 = 4 << 20;

/// A final state with one thing wrong.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    pub(crate) mutation: Mutation,
    /// The file, or `answer`.
    pub(crate) path: String,
    /// What was done to it.
    pub(crate) what: String,
    pub(crate) tree: Tree,
    pub(crate) answer: Option<String>,
    /// Before and after, where a text was spoilt.
    pub(crate) texts: Option<(String, String)>,
}

/// What a task starts from and what its oracle made of it.
pub(crate) struct Solved<'a> {
    pub(crate) start: &'a Tree,
    pub(crate) end: &'a Tree,
    /// The answer, where the task is judged on it.
    pub(crate) answer: Option<&'a str>,
    /// Where the bytes of both lie.
    pub(crate) blobs: &'a dyn Blobs,
}

/// Makes the mutants of a solved world. Their new bytes go to `memory`. The same world gives the
/// same mutants in the same order; none is equal to the solved world, and no two are equal.
pub(crate) fn mutants(
    solved: &Solved<'_>,
    memory: &Arc<MemoryBlobs>,
) -> std::io::Result<Vec<Mutant>> {
    let mut making = Making {
        solved,
        memory,
        mutants: Vec::new(),
    };
    let changes = diff(solved.start, solved.end);
    let outputs: Vec<&Change> = changes
        .iter()
        .filter(|change| matches!(&change.after, Some(Node::File(_))))
        .collect();
    let most = MOST.div_ceil(outputs.len().max(1)).max(1);
    for change in &outputs {
        making.output(change, most)?;
    }
    making.directories(&changes);
    making.executables();
    for change in &changes {
        making.undone(change);
    }
    making.inputs(&changes)?;
    making.strays(&outputs);
    making.answers();
    Ok(making.finish())
}

/// Makes the mutants of a solved world by the rules of its service, whose texts are mutated as those of files.
pub(crate) fn mutants_of_service(
    solved: &Solved<'_>,
    mutator: &mut dyn StateMutator,
    memory: &Arc<MemoryBlobs>,
) -> Result<Vec<Mutant>, MutateError> {
    let mut making = Making {
        solved,
        memory,
        mutants: Vec::new(),
    };
    for mutant in mutator.mutants()? {
        making.mutants.push(Mutant {
            mutation: mutant.mutation,
            path: mutant.place,
            what: mutant.what,
            tree: mutant.tree,
            answer: solved.answer.map(str::to_owned),
            texts: None,
        });
    }
    let texts = mutator.texts()?;
    let most = MOST.div_ceil(texts.len().max(1));
    for (index, text) in texts.iter().enumerate() {
        for spoilt in spoilt_texts(&text.path, &text.text, text.before.as_deref(), most) {
            making.mutants.push(Mutant {
                mutation: spoilt.mutation,
                path: text.place.clone(),
                what: spoilt.what,
                tree: mutator.with_text(index, &spoilt.text)?,
                answer: solved.answer.map(str::to_owned),
                texts: Some((text.text.clone(), spoilt.text)),
            });
        }
    }
    making.answers();
    Ok(making.finish())
}

struct Making<'a> {
    solved: &'a Solved<'a>,
    memory: &'a Arc<MemoryBlobs>,
    mutants: Vec<Mutant>,
}

impl Making<'_> {
    fn finish(self) -> Vec<Mutant> {
        let mut seen = std::collections::HashSet::new();
        let solved = (
            self.solved.end.digest(),
            self.solved.answer.map(str::to_owned),
        );
        seen.insert(solved);
        let mut counts = std::collections::BTreeMap::new();
        for mutant in &self.mutants {
            *counts.entry(mutant.mutation).or_insert(0usize) += 1;
        }
        // Of many, each n-th, so that all files have their share.
        let mut numbers = std::collections::BTreeMap::new();
        let mut mutants = self.mutants;
        mutants.retain(|mutant| {
            let count = counts[&mutant.mutation];
            let number = numbers.entry(mutant.mutation).or_insert(0usize);
            let (before, after) = (*number * MOST / count, (*number + 1) * MOST / count);
            *number += 1;
            count <= MOST || before != after
        });
        mutants.retain(|mutant| seen.insert((mutant.tree.digest(), mutant.answer.clone())));
        mutants.sort_by_key(|mutant| mutant.mutation);
        mutants
    }

    fn edit(
        &mut self,
        mutation: Mutation,
        path: &TreePath,
        what: impl Into<String>,
        edit: impl FnOnce(&mut TreeBuilder) -> Option<()>,
    ) {
        let mut builder = TreeBuilder::from(self.solved.end.clone());
        if edit(&mut builder).is_some() {
            self.mutants.push(Mutant {
                mutation,
                path: path.to_string(),
                what: what.into(),
                tree: builder.finish(),
                answer: self.solved.answer.map(str::to_owned),
                texts: None,
            });
        }
    }

    /// What the solution wrote, moved or changed.
    fn output(&mut self, change: &Change, most: usize) -> std::io::Result<()> {
        let path = &change.path;
        let Some(Node::File(file)) = &change.after else {
            return Ok(());
        };
        self.edit(Mutation::DELETE, path, "deleted", |tree| {
            tree.remove(path).map(drop)
        });
        self.misplaced(path, file);
        let Some(text) = self.text(file)? else {
            let half = File {
                size: file.size / 2,
                content: self.memory.put(self.solved.blobs.read_range(
                    &file.content,
                    0,
                    file.size / 2,
                )?),
                ..file.clone()
            };
            self.write(Mutation::TRUNCATE, path, "only the first half", half);
            let empty = self.put(file, "");
            self.write(Mutation::EMPTY, path, "nothing in it", empty);
            return Ok(());
        };
        let before = match &change.before {
            Some(Node::File(before)) => self.text(before)?,
            _ => None,
        };
        let spoilt = spoilt_texts(path.as_str(), &text, before.as_deref(), most);
        for Spoilt {
            mutation,
            what,
            text: new,
        } in spoilt
        {
            let file = self.put(file, &new);
            let texts = (text.clone(), new);
            self.write(mutation, path, what, file);
            if let Some(mutant) = self.mutants.last_mut() {
                mutant.texts = Some(texts);
            }
        }
        Ok(())
    }

    /// Directories that the solution made, each gone with all that is in it.
    fn directories(&mut self, changes: &[Change]) {
        for change in changes {
            if let (None, Some(Node::Directory(_))) = (&change.before, &change.after) {
                let path = &change.path;
                self.edit(Mutation::DELETE, path, "deleted with all in it", |tree| {
                    tree.remove(path).map(drop)
                });
            }
        }
    }

    /// Files that may be executed, and may not be any more; no service lets an agent do the
    /// opposite.
    fn executables(&mut self) {
        let files: Vec<(TreePath, File)> = self
            .solved
            .end
            .files()
            .filter(|(_, file)| file.executable)
            .map(|(path, file)| (path, file.clone()))
            .collect();
        for (path, file) in files {
            let file = File {
                executable: false,
                ..file
            };
            self.write(Mutation::EXECUTABLE, &path, "not executable", file);
        }
    }

    fn text(&self, file: &File) -> std::io::Result<Option<String>> {
        if file.size > MOST_BYTES {
            return Ok(None);
        }
        Ok(String::from_utf8(self.solved.blobs.read(&file.content)?).ok())
    }

    fn put(&self, like: &File, text: &str) -> File {
        File {
            size: text.len() as u64,
            content: self.memory.put(text),
            modified: None,
            ..like.clone()
        }
    }

    fn write(&mut self, mutation: Mutation, path: &TreePath, what: impl Into<String>, file: File) {
        self.edit(mutation, path, what, |tree| {
            tree.remove(path)?;
            tree.insert_file(path, file).ok()
        });
    }

    /// The right content at the wrong place.
    fn misplaced(&mut self, path: &TreePath, file: &File) {
        let (Some(name), Some(parent)) = (path.name(), path.parent()) else {
            return;
        };
        let mut directories = vec![TreePath::root()];
        directories.extend(parent.parent());
        directories.extend(parent.join("new").ok());
        for directory in directories.iter().filter(|directory| **directory != parent) {
            if let Ok(to) = directory.join(name) {
                self.moved(Mutation::WRONG_DIRECTORY, path, &to, file);
            }
        }
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let mut names = vec![format!("{name}.bak"), format!("{stem}_1.{extension}")];
        if let Some(first) = name.chars().find(char::is_ascii_alphabetic) {
            let flipped = char::from(first as u8 ^ 0x20);
            names.push(name.replacen(first, &flipped.to_string(), 1));
        }
        for other in names {
            if let Ok(to) = parent.join(other.trim_end_matches('.')) {
                self.moved(Mutation::WRONG_NAME, path, &to, file);
            }
        }
    }

    fn moved(&mut self, mutation: Mutation, from: &TreePath, to: &TreePath, file: &File) {
        self.edit(mutation, from, format!("at {to} instead"), |tree| {
            tree.remove(from)?;
            tree.insert_file(to, file.clone()).ok()
        });
    }

    /// One change of the solution taken back.
    fn undone(&mut self, change: &Change) {
        let path = &change.path;
        match (&change.before, &change.after) {
            (Some(Node::File(before)), Some(_)) => {
                let before = before.clone();
                self.write(Mutation::STALE, path, "as it was at the start", before);
            }
            (Some(Node::File(before)), None) => {
                self.edit(Mutation::STALE, path, "still there", |tree| {
                    tree.insert_file(path, before.clone()).ok()
                });
            }
            (Some(Node::Directory(_)), None) => {
                self.edit(Mutation::STALE, path, "still there", |tree| {
                    tree.create_directory(path).ok()
                });
            }
            _ => {}
        }
    }

    /// What nobody was asked to touch.
    fn inputs(&mut self, changes: &[Change]) -> std::io::Result<()> {
        let kept: Vec<(TreePath, File)> = self
            .solved
            .end
            .files()
            .filter(|(path, _)| !changes.iter().any(|change| change.path == *path))
            .map(|(path, file)| (path, file.clone()))
            .collect();
        let step = kept.len().div_ceil(MOST).max(1);
        for (index, (path, file)) in kept.iter().step_by(step).enumerate() {
            self.edit(Mutation::DELETE_INPUT, path, "deleted", |tree| {
                tree.remove(path).map(drop)
            });
            let mut bytes = self.solved.blobs.read(&file.content)?;
            let what = if index % 2 == 0 || bytes.is_empty() {
                bytes.push(b'\n');
                "a newline added"
            } else {
                // Another letter of the same length, in the middle.
                let at = bytes.len() / 2;
                bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
                "one byte changed"
            };
            let edited = File {
                size: bytes.len() as u64,
                content: self.memory.put(bytes),
                modified: None,
                ..file.clone()
            };
            self.write(Mutation::EDIT_INPUT, path, what, edited);
            let to = path.parent().zip(path.name());
            let to = to.and_then(|(parent, name)| parent.join(&format!("{name}.old")).ok());
            if let Some(to) = to {
                self.moved(Mutation::MOVE_INPUT, path, &to, file);
            }
        }
        Ok(())
    }

    /// Files and directories that do not belong there.
    fn strays(&mut self, outputs: &[&Change]) {
        let mut directories = vec![TreePath::root()];
        directories.extend(
            self.solved
                .end
                .walk(&TreePath::root())
                .filter(|(_, node)| node.kind() == Kind::Directory)
                .map(|(path, _)| path)
                .take(4),
        );
        directories.extend(
            outputs
                .iter()
                .filter_map(|change| change.path.parent())
                .take(8),
        );
        directories.sort();
        directories.dedup();
        let content = self.memory.put("notes to self\n");
        for directory in &directories {
            for name in ["scratch.txt", ".tmp"] {
                let Ok(path) = directory.join(name) else {
                    continue;
                };
                let file = File {
                    size: 14,
                    executable: false,
                    modified: None,
                    content,
                };
                self.edit(Mutation::STRAY_FILE, &path, "added", |tree| {
                    tree.insert_file(&path, file).ok()
                });
            }
            let Ok(path) = directory.join("scratch") else {
                continue;
            };
            self.edit(Mutation::STRAY_DIRECTORY, &path, "added", |tree| {
                tree.create_directory(&path).ok()
            });
        }
    }

    /// The last message, where the task is judged on it.
    fn answers(&mut self) {
        let Some(answer) = self.solved.answer else {
            return;
        };
        let mut add = |mutation, what: &str, new: Option<String>| {
            self.mutants.push(Mutant {
                mutation,
                path: "answer".to_owned(),
                what: what.to_owned(),
                tree: self.solved.end.clone(),
                texts: new.clone().map(|new| (answer.to_owned(), new)),
                answer: new,
            });
        };
        add(Mutation::NO_ANSWER, "none", None);
        add(Mutation::NO_ANSWER, "empty", Some(String::new()));
        for spoilt in text::spoil(answer, None, MOST) {
            add(spoilt.mutation, &spoilt.what, Some(spoilt.text));
        }
    }
}

/// A text with one thing wrong, in up to `most` ways of each kind.
fn spoilt_texts(path: &str, text: &str, before: Option<&str>, most: usize) -> Vec<Spoilt> {
    let is_json = path.ends_with(".json");
    let document = is_json.then(|| serde_json::from_str(text).ok()).flatten();
    let mut spoilt = text::spoil(text, before, most);
    if let Some(document) = &document {
        // Lines mean nothing to JSON.
        spoilt.retain(|spoilt| !is_of_lines(spoilt.mutation));
        spoilt.extend(json::spoil(text, document, most));
    }
    spoilt
}

fn is_of_lines(mutation: Mutation) -> bool {
    matches!(
        mutation,
        Mutation::DROP_LINE
            | Mutation::DUPLICATE_LINE
            | Mutation::SWAP_LINES
            | Mutation::REVERSE_LINES
            | Mutation::STRAY_LINE
            | Mutation::BLANK_LINE
            | Mutation::TRAILING_SPACE
            | Mutation::SWAP_FIELDS
    )
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    fn tree(files: &[(&str, &str)], blobs: &MemoryBlobs) -> Tree {
        let mut builder = TreeBuilder::new();
        for (path, content) in files {
            let file = File {
                size: content.len() as u64,
                executable: path.ends_with(".sh"),
                modified: None,
                content: blobs.put(*content),
            };
            builder
                .insert_file(&TreePath::parse(path).unwrap(), file)
                .unwrap();
        }
        builder.finish()
    }

    #[test]
    fn a_directory_that_was_made_is_deleted() {
        let blobs = Arc::new(MemoryBlobs::new());
        let start = tree(&[("a.txt", "one\n")], &blobs);
        let mut end = TreeBuilder::from(start.clone());
        let made = TreePath::parse("empty").unwrap();
        end.create_directory(&made).unwrap();
        let end = end.finish();
        let solved = Solved {
            start: &start,
            end: &end,
            answer: None,
            blobs: &*blobs,
        };
        let mutants = mutants(&solved, &blobs).unwrap();
        let deleted: Vec<_> = mutants
            .iter()
            .filter(|mutant| mutant.mutation == Mutation::DELETE)
            .collect();
        assert_eq!(deleted.len(), 1);
        assert_eq!(deleted[0].tree.digest(), start.digest());
    }

    #[test]
    fn outputs_inputs_and_strays_are_all_spoilt() {
        let blobs = Arc::new(MemoryBlobs::new());
        let start = tree(
            &[
                ("in/a.txt", "one\n"),
                ("in/run.sh", "true\n"),
                ("old.txt", "2 apples\n"),
            ],
            &blobs,
        );
        let end = tree(
            &[
                ("in/a.txt", "one\n"),
                ("in/run.sh", "true\n"),
                (
                    "out/report.csv",
                    "id,day,sum\n1,2025-03-01,2.50\n2,2025-03-02,3.00\n",
                ),
                ("out/all.json", "{\"sum\": 5.5, \"ids\": [1, 2]}\n"),
            ],
            &blobs,
        );
        let solved = Solved {
            start: &start,
            end: &end,
            answer: Some("Done: 2"),
            blobs: &*blobs,
        };
        let mutants = mutants(&solved, &blobs).unwrap();
        let mut counts: BTreeMap<Mutation, usize> = BTreeMap::new();
        for mutant in &mutants {
            *counts.entry(mutant.mutation).or_default() += 1;
        }
        let never: Vec<_> = Mutation::GENERAL
            .iter()
            .filter(|mutation| !counts.contains_key(mutation))
            .collect();
        assert!(never.is_empty(), "{never:?}");
        let distinct: HashSet<_> = mutants
            .iter()
            .map(|mutant| (mutant.tree.digest(), mutant.answer.clone()))
            .collect();
        assert_eq!(distinct.len(), mutants.len());
        assert!(!distinct.contains(&(end.digest(), Some("Done: 2".to_owned()))));
        assert!(counts.values().all(|count| *count <= MOST));
    }
}
