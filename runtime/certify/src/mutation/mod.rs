//! Mutation testing of a verifier, with solved worlds that contain one mistake each.
//!
//! Each [`Mutation`] is applied to the final state of the oracle: to the outputs, and to the inputs, which the solution
//! leaves unchanged. A verifier that accepts such a mutant overlooks a mistake that an agent can make.

mod dates;
mod json;
mod text;

use std::sync::Arc;

use mcpmark_kinds::Mutation;
use mcpmark_kinds::{MutateError, StateMutator};
use mcpmark_snapshot::{
    Blobs, Change, File, Kind, MemoryBlobs, Node, Tree, TreeBuilder, TreePath, diff,
};

use self::text::MutatedText;

/// Maximum number of mutants for each mutation, over all files.
const MAX_MUTANTS: usize = 40;
/// Maximum size of a file that is mutated as text, in bytes. Larger files are mutated only as a whole.
const MAX_BYTES: u64 = 4 << 20;

/// Final state with one mutation.
#[derive(Debug, Clone)]
pub(crate) struct Mutant {
    pub(crate) mutation: Mutation,
    /// Path of the mutated file, or `answer`.
    pub(crate) path: String,
    /// Description of the change.
    pub(crate) what: String,
    pub(crate) tree: Tree,
    pub(crate) answer: Option<String>,
    /// Content before and after the mutation, if a text was mutated.
    pub(crate) texts: Option<(String, String)>,
}

/// Starting state of a task and the result of its oracle.
pub(crate) struct Solved<'a> {
    pub(crate) start: &'a Tree,
    pub(crate) end: &'a Tree,
    /// Answer of the oracle, if the task is judged on it.
    pub(crate) answer: Option<&'a str>,
    /// Source of the bytes of both states.
    pub(crate) blobs: &'a dyn Blobs,
}

/// Returns the mutants of a solved world, and writes their new bytes to `memory`. The same world results in the same
/// mutants in the same order. All mutants differ from the solved world and from each other.
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
    let most = MAX_MUTANTS.div_ceil(outputs.len().max(1)).max(1);
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

/// Returns the mutants of a solved world that the mutator of its service generates. Texts of the service are mutated
/// like those of files.
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
    let most = MAX_MUTANTS.div_ceil(texts.len().max(1));
    for (index, text) in texts.iter().enumerate() {
        for mutated in mutated_texts(&text.path, &text.text, text.before.as_deref(), most) {
            making.mutants.push(Mutant {
                mutation: mutated.mutation,
                path: text.place.clone(),
                what: mutated.what,
                tree: mutator.with_text(index, &mutated.text)?,
                answer: solved.answer.map(str::to_owned),
                texts: Some((text.text.clone(), mutated.text)),
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
        // If there are too many mutants of a mutation, keep every n-th, so that all files are represented.
        let mut numbers = std::collections::BTreeMap::new();
        let mut mutants = self.mutants;
        mutants.retain(|mutant| {
            let count = counts[&mutant.mutation];
            let number = numbers.entry(mutant.mutation).or_insert(0usize);
            let (before, after) = (
                *number * MAX_MUTANTS / count,
                (*number + 1) * MAX_MUTANTS / count,
            );
            *number += 1;
            count <= MAX_MUTANTS || before != after
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

    /// Mutates a file that the solution wrote, moved or changed.
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
            self.write(Mutation::EMPTY, path, "emptied", empty);
            return Ok(());
        };
        let before = match &change.before {
            Some(Node::File(before)) => self.text(before)?,
            _ => None,
        };
        let mutated = mutated_texts(path.as_str(), &text, before.as_deref(), most);
        for MutatedText {
            mutation,
            what,
            text: new,
        } in mutated
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

    /// Deletes each directory that the solution created, with its content.
    fn directories(&mut self, changes: &[Change]) {
        for change in changes {
            if let (None, Some(Node::Directory(_))) = (&change.before, &change.after) {
                let path = &change.path;
                self.edit(Mutation::DELETE, path, "deleted with its content", |tree| {
                    tree.remove(path).map(drop)
                });
            }
        }
    }

    /// Clears the executable bit of each executable file. The opposite is not a mutation because no service lets an
    /// agent set the bit.
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
        if file.size > MAX_BYTES {
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

    /// Moves and renames an output.
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
        self.edit(mutation, from, format!("moved to {to}"), |tree| {
            tree.remove(from)?;
            tree.insert_file(to, file.clone()).ok()
        });
    }

    /// Reverts one change of the solution.
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

    /// Mutates files that the solution left unchanged.
    fn inputs(&mut self, changes: &[Change]) -> std::io::Result<()> {
        let kept: Vec<(TreePath, File)> = self
            .solved
            .end
            .files()
            .filter(|(path, _)| !changes.iter().any(|change| change.path == *path))
            .map(|(path, file)| (path, file.clone()))
            .collect();
        let step = kept.len().div_ceil(MAX_MUTANTS).max(1);
        for (index, (path, file)) in kept.iter().step_by(step).enumerate() {
            self.edit(Mutation::DELETE_INPUT, path, "deleted", |tree| {
                tree.remove(path).map(drop)
            });
            let mut bytes = self.solved.blobs.read(&file.content)?;
            let what = if index % 2 == 0 || bytes.is_empty() {
                bytes.push(b'\n');
                "a newline added"
            } else {
                // Change one byte in the middle and keep the length.
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

    /// Adds unwanted files and directories.
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

    /// Mutates the answer, if the task is judged on it.
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
        for mutated in text::mutate_text(answer, None, MAX_MUTANTS) {
            add(mutated.mutation, &mutated.what, Some(mutated.text));
        }
    }
}

/// Returns mutants of a text, up to `most` for each mutation.
fn mutated_texts(path: &str, text: &str, before: Option<&str>, most: usize) -> Vec<MutatedText> {
    let is_json = path.ends_with(".json");
    let document = is_json.then(|| serde_json::from_str(text).ok()).flatten();
    let mut mutated = text::mutate_text(text, before, most);
    if let Some(document) = &document {
        // JSON does not depend on lines.
        mutated.retain(|mutated| !is_of_lines(mutated.mutation));
        mutated.extend(json::mutate_json(text, document, most));
    }
    mutated
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
    fn outputs_inputs_and_strays_are_all_mutated() {
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
        assert!(counts.values().all(|count| *count <= MAX_MUTANTS));
    }
}
